/* Error handlers of windows: errors in calls that are given a window go to its own handler, whatever its communicator has. A
 * program that installs one deals with errors itself; with the default, MPI_ERRORS_ARE_FATAL, they are findings. */
/* explore: ranks=2 verdict=race-free args=own */
/* explore: ranks=2 verdict=race-free args=returned */
/* explore: ranks=2 verdict=found class=invalid-argument args=fatal says=target */
/* explore: ranks=2 verdict=found class=invalid-argument args=attribute says=MPI_Win_set_attr */
/* explore: ranks=2 verdict=found class=abort args=called */
/* explore: ranks=2 verdict=found class=type-mismatch args=types */
#include <assert.h>
#include <mpi.h>
#include <string.h>

static int memory, calls;
static MPI_Win window;

static void count(MPI_Win *where, int *error, ...) {
    int class;
    MPI_Error_class(*error, &class);
    assert(*where == window && class == MPI_ERR_RANK);
    calls++;
}

/* Rank 2 of 2. */
static int put_nowhere(void) { return MPI_Put(&memory, 1, MPI_INT, 2, 0, 1, MPI_INT, window); }

static void use_own_handler(void) {
    MPI_Errhandler handler, found;
    MPI_Win_get_errhandler(window, &found);
    assert(found == MPI_ERRORS_ARE_FATAL);
    MPI_Win_create_errhandler(count, &handler);
    MPI_Win_set_errhandler(window, handler);
    MPI_Win_get_errhandler(window, &found);
    assert(found == handler);
    MPI_Errhandler_free(&found);
    MPI_Errhandler_free(&handler);
    assert(put_nowhere() != MPI_SUCCESS && calls == 1);
    MPI_Win_call_errhandler(window, MPI_ERR_RANK);
    assert(calls == 2);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "own";
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (!strcmp(mode, "own"))
        use_own_handler();
    if (!strcmp(mode, "returned") || !strcmp(mode, "types"))
        MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    if (!strcmp(mode, "returned"))
        assert(put_nowhere() != MPI_SUCCESS);
    if (!strcmp(mode, "fatal"))
        put_nowhere();
    if (!strcmp(mode, "attribute"))
        MPI_Win_set_attr(window, MPI_KEYVAL_INVALID, NULL);
    if (!strcmp(mode, "called"))
        MPI_Win_call_errhandler(window, MPI_ERR_OTHER);
    if (!strcmp(mode, "types"))
        MPI_Put(&memory, 1, MPI_INT, 0, 0, 1, MPI_FLOAT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
