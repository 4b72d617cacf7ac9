/* The first rank gets nothing by MPI_Exscan: its receive buffer does not matter and may be null (MPI-3.1 5.11.2), unless its own part is
 * there, in place. Another rank's matters. */
/* explore: ranks=3 verdict=race-free args=null mpiexec=no */
/* explore: ranks=3 verdict=race-free args=same mpiexec=no */
/* explore: ranks=3 verdict=race-free args=in_place */
/* explore: ranks=3 verdict=found class=invalid-argument args=null_in_place mpiexec=no */
/* explore: ranks=3 verdict=found class=invalid-argument args=null_second mpiexec=no */
/* explore: ranks=3 verdict=found class=invalid-argument args=same_second mpiexec=no */
#include <assert.h>
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, value, sum = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank + 1;
    const char *mode = argc > 1 ? argv[1] : "null";
    const void *input = &value;
    void *result = &sum;
    if (strstr(mode, "in_place") != NULL) {
        input = MPI_IN_PLACE;
        sum = value;
    }
    const int second = strstr(mode, "second") != NULL;
    if (strncmp(mode, "same", 4) == 0 && rank == second)
        result = &value;
    if (strncmp(mode, "null", 4) == 0 && rank == second)
        result = NULL;
    MPI_Exscan(input, result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(rank == 0 || sum == rank * (rank + 1) / 2);
    MPI_Finalize();
    return 0;
}
