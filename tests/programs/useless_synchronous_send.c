/* explore: ranks=3 verdict=race-free advises=none args=needed */
/* explore: ranks=3 verdict=race-free advises=36 args=answered */
/* explore: ranks=3 verdict=race-free advises=36 args=tags */
/* explore: ranks=3 verdict=race-free advises=36 args=named */
/* explore: ranks=3 verdict=race-free advises=43 args=printed */
/* explore: ranks=3 verdict=race-free advises=none args=barrier */
/* Ranks 1 and 2 send to rank 0, which receives from anyone: rank 1 first, and then it lets rank 2 go.
 *
 * needed: it does so when its own message has been received. With a standard send either receive could match either message; the sum would
 * not tell.
 * answered: rank 0 confirms that it has received the first message before rank 1 lets rank 2 go, so line 36 need not wait.
 * tags, named: the receives tell the messages apart. What rank 0 gets is the same if line 36 does not wait.
 * printed: as needed, and rank 0 prints what came first. What lets rank 2 go is a synchronous send too (line 43): nothing depends on that rank 1
 * waits for it.
 * barrier: as needed, but what lets rank 2 go is a barrier of ranks 1 and 2 (Schaeli 2009, figure 5.20), which is needed too. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *how;

static int is(const char *what) { return strcmp(how, what) == 0; }

static void receive_all(void) {
    int value[2];
    for (int i = 0; i < 2; i++) {
        MPI_Recv(&value[i], 1, MPI_INT, is("named") ? i + 1 : MPI_ANY_SOURCE, is("tags") ? i : MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (is("answered") && i == 0)
            MPI_Send(NULL, 0, MPI_INT, 1, 7, MPI_COMM_WORLD);
    }
    printf("%d\n", is("printed") ? value[0] : value[0] + value[1]);
}

static void send_first(int value) {
    MPI_Ssend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (is("answered"))
        MPI_Recv(NULL, 0, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void let_go(void) {
    if (is("printed"))
        MPI_Ssend(NULL, 0, MPI_INT, 2, 8, MPI_COMM_WORLD);
    else if (!is("barrier"))
        MPI_Send(NULL, 0, MPI_INT, 2, 8, MPI_COMM_WORLD);
}

static void send_second(int value) { MPI_Send(&value, 1, MPI_INT, 0, is("tags"), MPI_COMM_WORLD); }

int main(int argc, char **argv) {
    int rank;
    MPI_Comm senders;
    MPI_Init(&argc, &argv);
    how = argv[1];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &senders);
    if (rank == 0)
        receive_all();
    if (rank == 1) {
        send_first(10);
        let_go();
    }
    if (rank == 2 && !is("barrier"))
        MPI_Recv(NULL, 0, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0 && is("barrier"))
        MPI_Barrier(senders);
    if (rank == 2)
        send_second(20);
    MPI_Comm_free(&senders);
    MPI_Finalize();
    return 0;
}
