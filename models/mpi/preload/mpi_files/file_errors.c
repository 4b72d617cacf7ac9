/* Error handlers of files (MPI-3.1 section 8.3.3). By default an error is returned, and whoever opens a file that may not be
 * there looks at what MPI_File_open returns. A call with arguments that no right program gives is a finding all the same, unless
 * the program has set a handler: then it has said that it deals with errors itself. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/handler_functions.h"
#include "models/mpi/preload/mpi_files/mpi_files.h"
#include "models/mpi/preload/rank.h"

#include <stdarg.h>
#include <stdio.h>

/* Of files that are not open: MPI_FILE_NULL's. Those opened later begin with it. */
static struct file_errors of_no_file = {MPI_ERRORS_RETURN, false};

void file_errors_begin(struct file_errors *errors) { *errors = of_no_file; }

static struct file_errors *errors_of(struct mpi_file *file) { return file == NULL ? &of_no_file : &file->errors; }

static int call_handler(struct mpi_file *file, int error) {
    MPI_File handle = file == NULL ? MPI_FILE_NULL : file_handle(file);
    handler_functions_call(errors_of(file)->handler, &handle, error);
    return error;
}

static _Noreturn void end_with_finding(const struct caller *caller, const char *format, va_list arguments) {
    char reason[400];
    vsnprintf(reason, sizeof reason, format, arguments);
    rank_violation("invalid-argument", caller->function, caller->site, "%s was called with %s", function_name(caller->function),
                   reason);
}

int file_fail(const struct caller *caller, struct mpi_file *file, int error_class, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (handler_is_fatal(errors_of(file)->handler))
        end_with_finding(caller, format, arguments);
    va_end(arguments);
    return call_handler(file, error_class);
}

int file_reject(const struct caller *caller, struct mpi_file *file, int error_class, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const struct file_errors *errors = errors_of(file);
    if (!errors->is_set || handler_is_fatal(errors->handler))
        end_with_finding(caller, format, arguments);
    va_end(arguments);
    return call_handler(file, error_class);
}

int file_reject_pending(const struct caller *caller, struct mpi_file *file, const struct caller *access) {
    const struct file_errors *errors = errors_of(file);
    const struct wire_place places[2] = {{.site = access->site, .rank = rank_number(), .function = access->function}};
    if (!errors->is_set || handler_is_fatal(errors->handler))
        rank_violation_at("invalid-argument", caller->function, caller->site, places,
                          "%s was called with a file with an access by %s that is not complete",
                          function_name(caller->function), function_name(access->function));
    return call_handler(file, MPI_ERR_OTHER);
}

EXPORT(File_create_errhandler)
int MPI_File_create_errhandler(MPI_File_errhandler_function *function, MPI_Errhandler *handler) {
    ENTER(File_create_errhandler, function, handler);
    const int error = REAL(File_create_errhandler)(function, handler);
    return handler_functions_note(error, handler, HANDLER_OF_FILE, (handler_function *)function);
}

static int find(const struct caller *caller, MPI_File handle, struct mpi_file **file) {
    *file = NULL;
    return handle == MPI_FILE_NULL ? MPI_SUCCESS : check_file(caller, handle, file);
}

EXPORT(File_set_errhandler)
int MPI_File_set_errhandler(MPI_File handle, MPI_Errhandler handler) {
    ENTER(File_set_errhandler, handle, handler);
    struct mpi_file *file;
    int error = find(caller, handle, &file);
    if (error == MPI_SUCCESS)
        error = check_object(caller, OBJECT_ERROR_HANDLER, handler);
    if (error != MPI_SUCCESS)
        return error;
    if (!real_is_predefined(handler) && handler_functions_find(handler, HANDLER_OF_FILE) == NULL)
        return file_reject(caller, file, MPI_ERR_ARG, "an error handler that is not for files");
    *errors_of(file) = (struct file_errors){handler, true};
    return MPI_SUCCESS;
}

/* The program's own handler is as good as another reference to it, which it must free: a new one with the same function. */
static int refer_to(MPI_Errhandler *handler) {
    const MPI_Errhandler own = *handler;
    handler_function *function = handler_functions_find(own, HANDLER_OF_FILE);
    if (function == NULL)
        return MPI_SUCCESS;
    int error = REAL(File_create_errhandler)((MPI_File_errhandler_function *)function, handler);
    handler_functions_copy(*handler, own);
    return error;
}

EXPORT(File_get_errhandler)
int MPI_File_get_errhandler(MPI_File handle, MPI_Errhandler *handler) {
    ENTER(File_get_errhandler, handle, handler);
    struct mpi_file *file;
    int error = find(caller, handle, &file);
    if (error != MPI_SUCCESS)
        return error;
    *handler = errors_of(file)->handler;
    return refer_to(handler);
}

EXPORT(File_call_errhandler)
int MPI_File_call_errhandler(MPI_File handle, int code) {
    ENTER(File_call_errhandler, handle, code);
    struct mpi_file *file;
    int error = find(caller, handle, &file);
    if (error != MPI_SUCCESS)
        return error;
    if (handler_is_fatal(errors_of(file)->handler))
        rank_abort(caller->function, caller->site, code);
    call_handler(file, code);
    return MPI_SUCCESS;
}
