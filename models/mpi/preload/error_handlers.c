#include "models/mpi/preload/error_handlers.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/handler_functions.h"
#include "models/mpi/preload/objects.h"
#include "models/mpi/preload/rank.h"

#include <stdio.h>
#include <string.h>

/* What MPICH has for MPI_ERRORS_ARE_FATAL, of communicators and of windows. */
static MPI_Errhandler fatal;
static MPI_Errhandler fatal_of_windows;

/* The last line of MPICH's account of an error, which says most, without the place in its sources:
 *
 *     internal_Type_contiguous(43): Negative count, value is -1
 */
static const char *reason_in(char *text) {
    char *end = text + strlen(text);
    while (end > text && end[-1] == '\n')
        *--end = 0;
    char *line = strrchr(text, '\n');
    line = line == NULL ? text : line + 1;
    char *reason = strstr(line, "): ");
    return reason == NULL ? line : reason + 3;
}

/* MPICH found an error in a call of the program's, with a communicator or a window: their handles are of one type. */
static void end_with_finding(int *handle, int *error, ...) {
    (void)handle;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    REAL(Error_string)(*error, text, &length);
    rank_violation("invalid-argument", caller_current.function, caller_current.site, "%s failed: %s",
                   function_name(caller_current.function), reason_in(text));
}

void error_handlers_start(void) {
    REAL(Comm_create_errhandler)(end_with_finding, &fatal);
    REAL(Comm_set_errhandler)(MPI_COMM_WORLD, fatal);
    REAL(Comm_set_errhandler)(MPI_COMM_SELF, fatal);
    REAL(Win_create_errhandler)(end_with_finding, &fatal_of_windows);
}

/* A communicator that was freed while an operation still held it has lost its handler. */
static MPI_Comm named(MPI_Comm communicator) { return communicator == MPI_COMM_NULL ? MPI_COMM_WORLD : communicator; }

/* A reference, to be given back with let_go. */
static MPI_Errhandler handler_of(MPI_Comm communicator) {
    MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
    REAL(Comm_get_errhandler)(named(communicator), &handler);
    return handler;
}

static void let_go(MPI_Errhandler handler) {
    if (!real_is_predefined(handler))
        REAL(Errhandler_free)(&handler);
}

bool error_handler_is_fatal(MPI_Comm communicator) {
    MPI_Errhandler handler = handler_of(communicator);
    let_go(handler);
    return handler == fatal;
}

bool errors_are_fatal(MPI_Comm communicator) {
    const struct communicator *found = communicator_find(named(communicator));
    return found == NULL ? error_handler_is_fatal(communicator) : !found->handles_errors;
}

int errors_handle(MPI_Comm communicator, int error) {
    MPI_Comm handle = named(communicator);
    MPI_Errhandler handler = handler_of(handle);
    if (!handler_functions_call(handler, &handle, error))
        REAL(Comm_call_errhandler)(handle, error);
    let_go(handler);
    return error;
}

EXPORT(Comm_create_errhandler)
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *handler) {
    ENTER(Comm_create_errhandler, function, handler);
    return handler_functions_note(REAL(Comm_create_errhandler)(function, handler), handler, HANDLER_OF_COMMUNICATOR, function);
}

EXPORT(Errhandler_create)
int MPI_Errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *handler) {
    ENTER(Errhandler_create, function, handler);
    return handler_functions_note(REAL(Errhandler_create)(function, handler), handler, HANDLER_OF_COMMUNICATOR, function);
}

static int set(const struct caller *caller, MPI_Comm handle, MPI_Errhandler handler) {
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        error = check_object(caller, OBJECT_ERROR_HANDLER, handler);
    if (error != MPI_SUCCESS)
        return error;
    error = REAL(Comm_set_errhandler)(handle, handler_is_fatal(handler) ? fatal : handler);
    communicator->handles_errors = !error_handler_is_fatal(handle);
    /* An error shows where a request is completed. What has come before this step can no longer be told otherwise. */
    rank_change_receives(communicator->context, errors_are_fatal(handle) ? WIRE_FATAL_ERRORS : WIRE_HANDLED_ERRORS);
    return error;
}

/* What the program gets is as if it had been made now, and is to be freed (MPI-3.1 section 8.3); but for that of the library
 * itself, which stands for MPI_ERRORS_ARE_FATAL. */
static void give(MPI_Errhandler *handler, MPI_Errhandler of_library) {
    if (*handler != of_library) {
        object_made(OBJECT_ERROR_HANDLER, *handler);
        return;
    }
    let_go(of_library);
    *handler = MPI_ERRORS_ARE_FATAL;
}

static int get(const struct caller *caller, MPI_Comm handle, MPI_Errhandler *handler) {
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        error = REAL(Comm_get_errhandler)(handle, handler);
    if (error == MPI_SUCCESS)
        give(handler, fatal);
    return error;
}

EXPORT(Comm_set_errhandler)
int MPI_Comm_set_errhandler(MPI_Comm communicator, MPI_Errhandler handler) {
    ENTER(Comm_set_errhandler, communicator, handler);
    return set(caller, communicator, handler);
}

EXPORT(Comm_get_errhandler)
int MPI_Comm_get_errhandler(MPI_Comm communicator, MPI_Errhandler *handler) {
    ENTER(Comm_get_errhandler, communicator, handler);
    return get(caller, communicator, handler);
}

EXPORT(Errhandler_set)
int MPI_Errhandler_set(MPI_Comm communicator, MPI_Errhandler handler) {
    ENTER(Errhandler_set, communicator, handler);
    return set(caller, communicator, handler);
}

EXPORT(Errhandler_get)
int MPI_Errhandler_get(MPI_Comm communicator, MPI_Errhandler *handler) {
    ENTER(Errhandler_get, communicator, handler);
    return get(caller, communicator, handler);
}

/* The program itself asks for what the handler does: with a fatal one, to be aborted. */
EXPORT(Comm_call_errhandler)
int MPI_Comm_call_errhandler(MPI_Comm communicator, int error) {
    ENTER(Comm_call_errhandler, communicator, error);
    struct communicator *found;
    int bad = check_communicator(caller, communicator, &found);
    if (bad != MPI_SUCCESS)
        return bad;
    if (errors_are_fatal(communicator))
        rank_abort(caller->function, caller->site, error);
    return REAL(Comm_call_errhandler)(communicator, error);
}

/* ---- windows ---- */

static MPI_Errhandler handler_of_window(MPI_Win window) {
    MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
    REAL(Win_get_errhandler)(window, &handler);
    return handler;
}

void errors_start_window(MPI_Win window) { REAL(Win_set_errhandler)(window, fatal_of_windows); }

bool window_errors_are_fatal(MPI_Win window) {
    MPI_Errhandler handler = handler_of_window(window);
    let_go(handler);
    return handler == fatal_of_windows;
}

int window_errors_handle(MPI_Win window, int error) {
    MPI_Errhandler handler = handler_of_window(window);
    if (!handler_functions_call(handler, &window, error))
        REAL(Win_call_errhandler)(window, error);
    let_go(handler);
    return error;
}

EXPORT(Win_create_errhandler)
int MPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *handler) {
    ENTER(Win_create_errhandler, function, handler);
    return handler_functions_note(REAL(Win_create_errhandler)(function, handler), handler, HANDLER_OF_WINDOW, function);
}

EXPORT(Win_set_errhandler)
int MPI_Win_set_errhandler(MPI_Win window, MPI_Errhandler handler) {
    ENTER(Win_set_errhandler, window, handler);
    int error = check_window_handle(caller, window);
    if (error == MPI_SUCCESS)
        error = check_object(caller, OBJECT_ERROR_HANDLER, handler);
    return error == MPI_SUCCESS ? REAL(Win_set_errhandler)(window, handler_is_fatal(handler) ? fatal_of_windows : handler)
                                : error;
}

EXPORT(Win_get_errhandler)
int MPI_Win_get_errhandler(MPI_Win window, MPI_Errhandler *handler) {
    ENTER(Win_get_errhandler, window, handler);
    int error = check_window_handle(caller, window);
    if (error == MPI_SUCCESS)
        error = REAL(Win_get_errhandler)(window, handler);
    if (error == MPI_SUCCESS)
        give(handler, fatal_of_windows);
    return error;
}

EXPORT(Win_call_errhandler)
int MPI_Win_call_errhandler(MPI_Win window, int error) {
    ENTER(Win_call_errhandler, window, error);
    int bad = check_window_handle(caller, window);
    if (bad != MPI_SUCCESS)
        return bad;
    if (window_errors_are_fatal(window))
        rank_abort(caller->function, caller->site, error);
    return REAL(Win_call_errhandler)(window, error);
}
