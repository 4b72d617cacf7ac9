/* Two ranks exchange thousands of messages at once, each with a tag of its own. All receives name their source, so all matches are
 * determined and there is one ordering, whichever sends are buffered: race-free. What that takes must not grow with the square of their
 * number, and that tags are too many to be told apart must not keep it from being proved. With `late`, the messages come in the opposite
 * order of the receives; with `truncated` the last receive is too short. */
/* explore: ranks=2 verdict=race-free args=plain memory=200M proof=state-graph */
/* explore: ranks=2 verdict=race-free args=late memory=200M proof=state-graph */
/* explore: ranks=2 verdict=found class=truncation args=truncated memory=200M */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGES = 3000 };

static int sent[MESSAGES], received[MESSAGES];
static MPI_Request requests[2 * MESSAGES];

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *way = argc > 1 ? argv[1] : "plain";
    int late = strcmp(way, "late") == 0, truncated = strcmp(way, "truncated") == 0;
    for (int i = 0; i < MESSAGES; i++) {
        int count = truncated && rank == 0 && i == MESSAGES - 1 ? 0 : 1;
        MPI_Irecv(&received[i], count, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < MESSAGES; i++) {
        int tag = late ? MESSAGES - 1 - i : i;
        sent[i] = rank + tag;
        MPI_Isend(&sent[i], 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &requests[MESSAGES + i]);
    }
    MPI_Waitall(2 * MESSAGES, requests, MPI_STATUSES_IGNORE);
    int wrong = 0;
    for (int i = 0; i < MESSAGES; i++)
        wrong += received[i] != 1 - rank + i;
    printf("rank %d: %d wrong\n", rank, wrong);
    MPI_Finalize();
    return 0;
}
