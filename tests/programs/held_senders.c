/* Each rank tells every other one something of a length of its own. A message from anyone is probed for, and then one from anyone is
 * received: not always the one that was found, which may be shorter. A run under mpiexec that is held to such an ordering ends there
 * for ranks 1 and 2, which have not received anything. They must leave alone what has come for them, and still see to what they have
 * sent, as rank 0, which comes late, waits for it. */
/* explore: ranks=3 verdict=found class=truncation */
/* explore: ranks=3 verdict=found class=truncation buffering=none */
/* explore: ranks=3 verdict=found class=truncation buffering=infinite */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { LONGEST = 8 };

int main(int argc, char **argv) {
    static char to_say[LONGEST], heard[LONGEST];
    MPI_Request *sent;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sent = malloc(size * sizeof *sent);
    for (int other = 0; other < size; other++) {
        sent[other] = MPI_REQUEST_NULL;
        if (other != rank)
            MPI_Isend(to_say, rank + 1, MPI_CHAR, other, 0, MPI_COMM_WORLD, &sent[other]);
    }
    if (rank == 0)
        usleep(300000);
    for (int i = 1; i < size; i++) {
        MPI_Status status;
        int length;
        MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_CHAR, &length);
        MPI_Recv(heard, length, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(size, sent, MPI_STATUSES_IGNORE);
    free(sent);
    MPI_Finalize();
    return 0;
}
