/* A duplicate with hints of its own, an error handler that is called by name, and the resolution of the clock. */
/* explore: ranks=3 verdict=race-free */
#include <assert.h>
#include <mpi.h>

static int told;

static void on_error(MPI_Comm *communicator, int *code, ...) {
    (void)communicator;
    told = *code;
}

int main(int argc, char **argv) {
    int rank, result, sum;
    MPI_Info info;
    MPI_Comm copy;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy);
    MPI_Info_free(&info);
    MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
    assert(result == MPI_CONGRUENT);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(copy, handler);
    assert(MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER) == MPI_SUCCESS && told == MPI_ERR_OTHER);
    MPI_Errhandler_free(&handler);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy);
    assert(sum == 3);
    assert(MPI_Wtick() > 0);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
