/* A server whose clients are another program, other_program: one MPI_COMM_WORLD of both, each told apart by MPI_APPNUM. Each server
 * adds up what all clients send it; who comes first is no matter, unless it is printed. */
/* explore: ranks=2 verdict=race-free beside=other_program:2 */
/* explore: ranks=1 verdict=race-free beside=other_program:3 */
/* explore: ranks=1 verdict=found class=race-output args=prints beside=other_program:2 */
/* explore: ranks=2 verdict=found class=deadlock args=waits beside=other_program:1 */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int rank, ranks, servers, *program, found, value, sum = 0;
    MPI_Comm own, clients;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &found);
    assert(found && *program == 0);
    MPI_Comm_split(MPI_COMM_WORLD, *program, rank, &own);
    MPI_Comm_size(own, &servers);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, servers, 1, &clients);
    for (int i = servers; i < ranks + (strcmp(what, "waits") == 0); i++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, clients, MPI_STATUS_IGNORE);
        sum += value;
        if (strcmp(what, "prints") == 0)
            printf("%d\n", value);
    }
    printf("%d\n", sum);
    MPI_Comm_free(&own);
    MPI_Comm_free(&clients);
    MPI_Finalize();
    return 0;
}
