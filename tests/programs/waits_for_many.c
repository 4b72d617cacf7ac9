/* More requests are complete at once than have all their subsets listed as choices: MPI_Waitsome may report any of them still. A sum
 * of all is the same however they come; the size of the first set is not, nor is whether it is a certain one of the 511. Only the
 * empty set never comes. By default all are reported; so each one that is not is a difference: one makes another size, four that set. */
/* explore: ranks=2 verdict=race-free args=sum */
/* explore: ranks=2 verdict=found class=race-output args=size differences=1 */
/* explore: ranks=2 verdict=found class=race-output args=one_set differences=4 */
/* explore: ranks=2 verdict=race-free args=no_set */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 9, ODD_SET = 0x155, IMPOSSIBLE_SET = 0 };

int main(int argc, char **argv) {
    const char *what = argv[1];
    int rank, value[MANY], done, indices[MANY], sum = 0;
    MPI_Request request[MANY];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < MANY && rank == 0; i++)
        MPI_Irecv(&value[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < MANY && rank == 1; i++)
        MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD); /* with the last send all are received */
    int first = 0;
    if (rank == 0) {
        MPI_Waitsome(MANY, request, &done, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; i < done; i++)
            first |= 1 << indices[i];
        MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MANY; i++)
            sum += value[i];
    }
    if (strcmp(what, "size") == 0)
        printf("%d\n", __builtin_popcount((unsigned)first));
    if (strcmp(what, "one_set") == 0)
        printf("%d\n", first == ODD_SET);
    if (strcmp(what, "no_set") == 0)
        printf("%d\n", first == IMPOSSIBLE_SET);
    if (strcmp(what, "sum") == 0)
        printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
