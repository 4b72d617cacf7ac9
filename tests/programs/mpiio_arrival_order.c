/* Rank 0 receives from anyone and writes down in an MPI file who came when: the file depends on the order of messages, and as it is no text the bytes are
 * told that differ. With "ticket"
 * each rank first takes a number from a window under a lock, and the ranks above 0 then send to each other before they receive: a
 * deadlock if neither send is buffered, whatever the numbers are. With "sorted" the file has the ranks in their order: race-free. */
/* explore: ranks=3 verdict=found class=race-output args=arrival says=d2 */
/* explore: ranks=3 verdict=found class=deadlock args=ticket mpiexec=no */
/* explore: ranks=3 verdict=race-free args=sorted */
#include <mpi.h>
#include <string.h>

static void take_ticket(MPI_Comm comm) {
    int *counter, one = 1, ticket, rank;
    MPI_Win window;
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, comm, &counter, &window);
    if (rank == 0)
        *counter = 0;
    MPI_Barrier(comm);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
}

static void collect(int ranks, int sorted, int came[]) {
    for (int i = 0; i < ranks - 1; i++) {
        int who;
        MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        came[sorted ? who - 1 : i] = 0xd0 + who;
    }
}

int main(int argc, char **argv) {
    int rank, ranks, came[8] = {0};
    const char *how = argc > 1 ? argv[1] : "sorted";
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(how, "ticket") == 0) {
        take_ticket(MPI_COMM_WORLD);
        int partner = rank == 0 ? MPI_PROC_NULL : 3 - rank;
        MPI_Send(&rank, 1, MPI_INT, partner, 1, MPI_COMM_WORLD);
        MPI_Recv(&came[0], 1, MPI_INT, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        collect(ranks, strcmp(how, "arrival") != 0, came);
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, "arrival.bin", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, 0, came, rank == 0 ? ranks - 1 : 0, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
