/* Rank 0 receives into its window, which rank 1 accesses under a lock. That is over when rank 0 hears of it, by the very message that it
 * receives, but it was made while the receive was pending (MPI-3.1 sections 3.7.2 and 11.7).
 *
 *   first word: when rank 1 has the access behind it: meanwhile (rank 0 has told it that it receives), before (it has told rank 0, who
 *               then receives), after (rank 0 has told it that it has received)
 *   second:     what it does: put, exclusive (a put under an exclusive lock), add (an accumulate), elsewhere (a put to another place) */
/* explore: ranks=2 verdict=found class=rma-conflict says=MPI_Irecv args=meanwhile+put */
/* explore: ranks=2 verdict=found class=rma-conflict says=MPI_Irecv args=meanwhile+exclusive */
/* explore: ranks=2 verdict=found class=rma-conflict says=MPI_Irecv args=meanwhile+add */
/* explore: ranks=2 verdict=race-free args=meanwhile+elsewhere */
/* explore: ranks=2 verdict=race-free args=before+put */
/* explore: ranks=2 verdict=race-free args=before+exclusive */
/* explore: ranks=2 verdict=race-free args=before+add */
/* explore: ranks=2 verdict=race-free args=after+put */
/* explore: ranks=2 verdict=race-free args=after+add */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, memory[4];
static MPI_Win window;
static const char *when, *what;

static int is(const char *word, const char *name) { return strcmp(word, name) == 0; }

static void tell(int other) {
    const int word = 5;
    MPI_Send(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
}

static void hear(int other) {
    int word;
    MPI_Recv(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void access_window(void) {
    static const int number = 3;
    const int place = is(what, "elsewhere");
    MPI_Win_lock(is(what, "exclusive") ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, window);
    if (is(what, "add"))
        MPI_Accumulate(&number, 1, MPI_INT, 0, place, 1, MPI_INT, MPI_SUM, window);
    else
        MPI_Put(&number, 1, MPI_INT, 0, place, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
}

static void receive_into_window(void) {
    MPI_Request request;
    if (is(when, "before"))
        hear(1);
    MPI_Irecv(memory, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    if (is(when, "meanwhile"))
        tell(1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (is(when, "after"))
        tell(1);
}

static void send_and_access(void) {
    if (is(when, "meanwhile"))
        hear(0);
    if (!is(when, "after"))
        access_window();
    if (is(when, "before"))
        tell(0);
    tell(0);
    if (!is(when, "after"))
        return;
    hear(0);
    access_window();
}

int main(int argc, char **argv) {
    char words[] = "meanwhile+put";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    when = strtok(argc > 1 ? argv[1] : words, "+");
    what = strtok(NULL, "+");
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        receive_into_window();
    else
        send_and_access();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d %d\n", memory[0], memory[1]);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
