#include "models/mpi/preload/handler_functions.h"

#include "models/mpi/preload/buffers/pending_leftovers.h"
#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/objects.h"

#include <dlfcn.h>
#include <stdlib.h>

struct noted {
    MPI_Errhandler handler;
    enum handler_kind kind;
    handler_function *function;
    bool is_cxx; /* ... takes a reference to an object of the C++ bindings: these call it */
};
static struct noted *list;
static size_t count;

/* How the C++ bindings call one. */
typedef void cxx_caller(int kind, int *handle, int *code, void (*function)(void));
static cxx_caller *call_cxx;

/* Called by the C++ bindings for each handler that they have made. */
__attribute__((visibility("default"))) void MPII_Errhandler_set_cxx(MPI_Errhandler handler, void (*caller)(void));

static void (*real_set_cxx)(MPI_Errhandler handler, void (*caller)(void));

/* Before main, as the functions of MPI (real.c). */
__attribute__((constructor)) static void find_internals(void) {
    *(void **)&real_set_cxx = dlsym(RTLD_NEXT, "MPII_Errhandler_set_cxx");
}

static struct noted *find(MPI_Errhandler handler) {
    for (size_t i = 0; i < count; i++) {
        if (list[i].handler == handler)
            return &list[i];
    }
    return NULL;
}

static void note(struct noted noted) {
    object_made(OBJECT_ERROR_HANDLER, noted.handler);
    struct noted *place = find(noted.handler);
    if (place == NULL) {
        list = realloc(list, (count + 1) * sizeof *list);
        place = &list[count++];
    }
    *place = noted;
}

int handler_functions_note(int error, const MPI_Errhandler *handler, enum handler_kind kind, handler_function *function) {
    if (error == MPI_SUCCESS)
        note((struct noted){.handler = *handler, .kind = kind, .function = function});
    return error;
}

void MPII_Errhandler_set_cxx(MPI_Errhandler handler, void (*caller)(void)) {
    struct noted *noted = find(handler);
    if (noted != NULL)
        noted->is_cxx = true;
    call_cxx = (cxx_caller *)caller;
    real_set_cxx(handler, caller);
}

void handler_functions_copy(MPI_Errhandler copy, MPI_Errhandler handler) {
    const struct noted *noted = find(handler);
    if (noted == NULL)
        return;
    struct noted same = *noted;
    same.handler = copy;
    note(same);
    if (same.is_cxx)
        real_set_cxx(copy, (void (*)(void))call_cxx);
}

handler_function *handler_functions_find(MPI_Errhandler handler, enum handler_kind kind) {
    const struct noted *noted = find(handler);
    return noted == NULL || noted->kind != kind ? NULL : noted->function;
}

/* The code that is left. */
static int call(const struct noted *noted, void *handle, int code) {
    if (noted->is_cxx) {
        call_cxx((int)noted->kind, handle, &code, (void (*)(void))noted->function);
        return MPI_SUCCESS; /* as with MPICH: else the bindings would call it once more */
    }
    noted->function(handle, &code, NULL);
    return code;
}

bool handler_functions_call(MPI_Errhandler handler, void *handle, int code) {
    const struct noted *found = find(handler);
    if (found == NULL)
        return false;
    /* It may call MPI functions, and make other handlers. */
    const struct noted noted = *found;
    const struct caller caller = caller_current;
    const uintptr_t stack = caller_stack, frame = caller_frame;
    pending_leftovers_note_callback();
    const int left = call(&noted, handle, code);
    caller_current = caller;
    caller_stack = stack;
    caller_frame = frame;
    if (left != code)
        caller_return(left);
    return true;
}
