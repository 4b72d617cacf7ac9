/* Accumulates of two origins to one place under shared locks may meet, and then must have the same operator and datatype (MPI-3.1
 * 11.7.1), though each is complete at once. A barrier between them, or another place, makes them right. */
/* explore: ranks=3 verdict=race-free args=sum */
/* explore: ranks=3 verdict=found class=rma-conflict args=product says=MPI_PROD */
/* explore: ranks=3 verdict=found class=rma-conflict args=floats says=datatypes */
/* explore: ranks=3 verdict=found class=rma-conflict args=fetching says=MPI_MAX */
/* explore: ranks=3 verdict=race-free args=elsewhere */
/* explore: ranks=3 verdict=race-free args=barrier */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, *memory, two = 2, fetched;
    float half = 0.5f;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Accumulate(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
        MPI_Win_flush(0, window);
    }
    if (strcmp(what, "barrier") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2 && strcmp(what, "fetching") == 0)
        MPI_Get_accumulate(&two, 1, MPI_INT, &fetched, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAX, window);
    else if (rank == 2 && strcmp(what, "floats") == 0)
        MPI_Accumulate(&half, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_SUM, window);
    else if (rank == 2)
        MPI_Accumulate(&two, 1, MPI_INT, 0, strcmp(what, "elsewhere") == 0, 1, MPI_INT,
                       strcmp(what, "sum") == 0 ? MPI_SUM : MPI_PROD, window);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && strcmp(what, "sum") == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        printf("%d\n", memory[0]);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
