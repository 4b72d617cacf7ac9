/* What MPICH's Fortran bindings call of libmpich that is no MPI function. Attributes come as integers there, and the keys of
 * predefined ones are higher by one than in C. */
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/communicators/attributes.h"
#include "models/mpi/preload/communicators/keyvals.h"
#include "models/mpi/preload/point_to_point/request_table.h"
#include "models/mpi/preload/windows/shared_traps.h"
#include "models/mpi/preload/windows/windows.h"

#include <dlfcn.h>

#define EXPORTED __attribute__((visibility("default")))

typedef int get_function(int handle, int keyval, void *value, int *flag, int kind);
typedef int set_function(int handle, int keyval, void *value, int kind);
EXPORTED get_function MPII_Comm_get_attr, MPII_Win_get_attr;
EXPORTED set_function MPII_Comm_set_attr;
EXPORTED void MPII_Grequest_set_lang_f77(MPI_Request handle);

static get_function *real_comm_get, *real_win_get;
static set_function *real_comm_set;

/* Before main, as the functions of MPI (real.c). */
__attribute__((constructor)) static void find_internals(void) {
    *(void **)&real_comm_get = dlsym(RTLD_NEXT, "MPII_Comm_get_attr");
    *(void **)&real_comm_set = dlsym(RTLD_NEXT, "MPII_Comm_set_attr");
    *(void **)&real_win_get = dlsym(RTLD_NEXT, "MPII_Win_get_attr");
}

static int give(const int *predefined, void *value, int *flag) {
    *(MPI_Aint *)value = *predefined;
    *flag = 1;
    return MPI_SUCCESS;
}

/* At the end of a call that was entered: what was closed to the program is again. */
static void go_on(const bool *were_set) {
    if (*were_set)
        shared_traps_close();
    caller_close();
}

#define GOES_ON const bool were_set __attribute__((unused, cleanup(go_on))) = shared_traps_are_set()

static int check_caller(struct caller *caller, MPI_Comm handle, int keyval) {
    caller->site = call_site_in_program(caller->site);
    caller_require_active(caller);
    return attributes_check(caller, handle, keyval);
}

int MPII_Comm_get_attr(MPI_Comm handle, int keyval, void *value, int *flag, int kind) {
    struct caller caller = {FUNCTION_MPI_Comm_get_attr, (uint64_t)__builtin_return_address(0)};
    if (call_site_is_mpich(caller.site))
        return real_comm_get(handle, keyval, value, flag, kind);
    GOES_ON;
    int error = check_caller(&caller, handle, keyval);
    const int *predefined = attributes_predefined(keyval - 1);
    if (error == MPI_SUCCESS && predefined != NULL)
        return give(predefined, value, flag);
    return error == MPI_SUCCESS ? real_comm_get(handle, keyval, value, flag, kind) : error;
}

int MPII_Comm_set_attr(MPI_Comm handle, int keyval, void *value, int kind) {
    struct caller caller = {FUNCTION_MPI_Comm_set_attr, (uint64_t)__builtin_return_address(0)};
    if (call_site_is_mpich(caller.site))
        return real_comm_set(handle, keyval, value, kind);
    GOES_ON;
    int error = check_caller(&caller, handle, keyval);
    if (error == MPI_SUCCESS)
        error = real_comm_set(handle, keyval, value, kind);
    if (error == MPI_SUCCESS)
        attributes_note(handle, keyval);
    return error;
}

int MPII_Win_get_attr(MPI_Win handle, int keyval, void *value, int *flag, int kind) {
    struct caller caller = {FUNCTION_MPI_Win_get_attr, (uint64_t)__builtin_return_address(0)};
    if (call_site_is_mpich(caller.site))
        return real_win_get(handle, keyval, value, flag, kind);
    GOES_ON;
    struct window *window;
    caller.site = call_site_in_program(caller.site);
    caller_require_active(&caller);
    int error = check_window(&caller, handle, &window);
    if (error == MPI_SUCCESS)
        error = check_keyval(&caller, MPI_COMM_WORLD, OBJECT_WINDOW, keyval);
    if (error != MPI_SUCCESS)
        return error;
    const int *predefined = window_predefined(window, keyval - 1);
    return predefined != NULL ? give(predefined, value, flag) : real_win_get(handle, keyval, value, flag, kind);
}

void MPII_Grequest_set_lang_f77(MPI_Request handle) {
    struct request *request = request_find(handle);
    if (request != NULL && request->generalized != NULL)
        request->generalized->is_fortran = true;
}
