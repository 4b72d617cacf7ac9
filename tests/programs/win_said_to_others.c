/* The owner of a window, rank 0, reads what rank 2 changes in the same epoch (MPI-3.1 section 11.7), and says something to rank 1
 * afterwards. Rank 2 hears something, too, before it makes the change: the change comes after the read only if it can have heard of what
 * the owner said after that, by way of rank 1 or not. The owner has always said something to others since the read, and what it reads
 * makes no difference to what it does.
 *
 *   first word:  fence, post
 *   second:      unrelated   rank 1 says something to rank 2, and hears from the owner after that
 *                passed_on   ... before that: the change comes after the read
 *                before      the owner says something to rank 2 before it reads, and to rank 1 after that
 *                after       ... to both after it has read
 *                first       rank 2 waits for what comes first, from the owner or from rank 1, who has not heard from the owner
 *                all         ... for both
 *                group       what the owner says is a barrier with rank 1, which says something to rank 2 before it
 *                group_on    ... after it
 *                late        as unrelated, and rank 1 passes it on for rank 2 to hear after it has made the change
 *                epoch       the owner reads in the epoch before, and rank 2 may have left that already, or be about to: no mistake
 *                own_epoch   ... in that of the change
 *                two_epochs  as epoch, and in the second epoch the owner reads something else, which rank 2 changes when it has heard of
 *                            that by way of rank 1
 *                taken       rank 2 sends the owner a message synchronously, which is received after the owner has read
 *                given       ... by a standard send, which tells rank 2 nothing; it hears from rank 1, which knows nothing
 *                taken_early synchronously, received before the owner reads
 *   third:       nothing, or how the owner reads: sends, it sends that to rank 1; elsewhere, something else; again, in the second of
 *                two epochs; long, and then waits for many words of rank 1; or what rank 2 does: adds, gets */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+unrelated says=comes */
/* explore: ranks=3 verdict=race-free args=fence+passed_on */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+before */
/* explore: ranks=3 verdict=race-free args=fence+after */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+first */
/* explore: ranks=3 verdict=race-free args=fence+all */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+group */
/* explore: ranks=3 verdict=race-free args=fence+group_on */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+late */
/* explore: ranks=3 verdict=race-free args=fence+epoch */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+own_epoch */
/* explore: ranks=3 verdict=race-free buffering=infinite args=fence+taken */
/* explore: ranks=3 verdict=found class=rma-conflict buffering=infinite args=fence+given */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+taken_early */
/* explore: ranks=3 verdict=race-free args=fence+two_epochs */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+two_epochs+again */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+unrelated+sends says=MPI_Send */
/* explore: ranks=3 verdict=race-free args=fence+passed_on+sends */
/* explore: ranks=3 verdict=race-free args=fence+unrelated+elsewhere */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+unrelated+adds says=MPI_Accumulate */
/* explore: ranks=3 verdict=race-free args=fence+unrelated+gets */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+unrelated+long */
/* explore: ranks=3 verdict=race-free args=fence+passed_on+long */
/* explore: ranks=3 verdict=found class=rma-conflict args=post+unrelated */
/* explore: ranks=3 verdict=race-free args=post+passed_on */
/* explore: ranks=3 verdict=found class=rma-conflict args=post+before */
/* explore: ranks=3 verdict=race-free args=post+after */
/* explore: ranks=3 verdict=found class=rma-conflict args=post+first */
/* explore: ranks=3 verdict=race-free args=post+all */
/* explore: ranks=3 verdict=found class=rma-conflict args=post+group */
/* explore: ranks=3 verdict=race-free args=post+group_on */
/* explore: ranks=3 verdict=found class=rma-conflict args=post+late */
/* explore: ranks=3 verdict=race-free buffering=infinite args=post+epoch */
/* explore: ranks=3 verdict=found class=rma-conflict args=post+own_epoch */
/* explore: ranks=3 verdict=race-free buffering=infinite args=post+taken */
/* explore: ranks=3 verdict=found class=rma-conflict buffering=infinite args=post+given */
/* explore: ranks=3 verdict=found class=rma-conflict args=post+taken_early */
/* explore: ranks=3 verdict=race-free buffering=infinite args=post+two_epochs */
/* explore: ranks=3 verdict=found class=rma-conflict buffering=infinite args=post+two_epochs+again */
/* explore: ranks=3 verdict=found class=rma-conflict args=post+unrelated+sends */
/* explore: ranks=3 verdict=race-free args=post+passed_on+sends */
/* explore: ranks=3 verdict=race-free args=post+unrelated+elsewhere */
#include <mpi.h>
#include <string.h>

enum { OWNER, OTHER, ORIGIN, MANY = 70 };

static const char *epochs = "fence", *what = "passed_on", *how = "loads";
static int rank, memory[4];
static volatile int loaded;
static MPI_Comm both; /* of the owner and the other */
static MPI_Group group;
static MPI_Win window;

static int is(const char *name) { return strcmp(what, name) == 0; }

static void tell(int to) { MPI_Send(NULL, 0, MPI_INT, to, 0, MPI_COMM_WORLD); }

static void hear(int from) { MPI_Recv(NULL, 0, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void load(int place) { loaded = ((volatile int *)memory)[place]; }

static void read_and_tell(void) {
    if (strcmp(how, "sends") == 0) {
        MPI_Send(memory, 1, MPI_INT, OTHER, 1, MPI_COMM_WORLD);
        return;
    }
    load(strcmp(how, "elsewhere") == 0 ? 3 : 0);
    if (strncmp(what, "group", 5) == 0)
        MPI_Barrier(both);
    else
        MPI_Send(memory + 2, 1, MPI_INT, OTHER, 1, MPI_COMM_WORLD);
}

static void hear_of_read(void) {
    int number;
    if (strncmp(what, "group", 5) == 0)
        MPI_Barrier(both);
    else
        MPI_Recv(&number, 1, MPI_INT, OWNER, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void change(int place) {
    static const int number = 7;
    static int got;
    if (strcmp(how, "adds") == 0)
        MPI_Accumulate(&number, 1, MPI_INT, OWNER, place, 1, MPI_INT, MPI_SUM, window);
    else if (strcmp(how, "gets") == 0)
        MPI_Get(&got, 1, MPI_INT, OWNER, place, 1, MPI_INT, window);
    else
        MPI_Put(&number, 1, MPI_INT, OWNER, place, 1, MPI_INT, window);
}

static void act_as_owner(void) {
    if (is("taken_early"))
        hear(ORIGIN);
    if (is("before"))
        tell(ORIGIN);
    read_and_tell();
    if (is("after") || is("first") || is("all"))
        tell(ORIGIN);
    if (is("taken") || is("given"))
        hear(ORIGIN);
    for (int i = 0; i < MANY && strcmp(how, "long") == 0; i++)
        hear(OTHER);
}

static void act_as_other(void) {
    const int waits = is("passed_on") || is("group_on");
    if (waits)
        hear_of_read();
    if (!is("before") && !is("after"))
        tell(ORIGIN);
    if (!waits)
        hear_of_read();
    if (is("late"))
        tell(ORIGIN);
    for (int i = 0; i < MANY && strcmp(how, "long") == 0; i++)
        tell(OWNER);
}

static void act_as_origin(void) {
    if (is("taken") || is("taken_early"))
        MPI_Ssend(NULL, 0, MPI_INT, OWNER, 0, MPI_COMM_WORLD);
    if (is("given"))
        tell(OWNER);
    hear(is("before") || is("after") ? OWNER : is("first") || is("all") ? MPI_ANY_SOURCE : OTHER);
    if (is("all"))
        hear(MPI_ANY_SOURCE);
    change(0);
    if (is("first"))
        hear(MPI_ANY_SOURCE);
    if (is("late"))
        hear(OTHER);
}

/* Without waiting for anybody. */
static void begin_next_epoch(void) {
    if (strcmp(epochs, "fence") == 0) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    } else if (rank == OWNER) {
        MPI_Win_wait(window);
        MPI_Win_post(group, 0, window);
    } else if (rank == ORIGIN) {
        MPI_Win_complete(window);
        MPI_Win_start(group, 0, window);
    }
}

static void begin(void) {
    MPI_Win_fence(strcmp(epochs, "post") == 0 ? MPI_MODE_NOSUCCEED : 0, window);
    if (strcmp(epochs, "post") != 0)
        return;
    if (rank == OWNER)
        MPI_Win_post(group, 0, window);
    if (rank == ORIGIN)
        MPI_Win_start(group, 0, window);
}

static void end(void) {
    if (strcmp(epochs, "post") != 0)
        MPI_Win_fence(0, window);
    else if (rank == OWNER)
        MPI_Win_wait(window);
    else if (rank == ORIGIN)
        MPI_Win_complete(window);
}

static void act_in_two_epochs(void) {
    if (rank == OWNER)
        read_and_tell();
    if (rank == OTHER)
        tell(ORIGIN);
    begin_next_epoch();
    if (rank == OWNER) {
        load(strcmp(how, "again") == 0 ? 0 : 1);
        tell(OTHER);
    }
    if (rank == OTHER) {
        hear_of_read();
        hear(OWNER);
        tell(ORIGIN);
    }
    if (rank == ORIGIN) {
        hear(OTHER);
        change(0);
        hear(OTHER);
        change(1);
    }
}

static void act(void) {
    if (is("two_epochs")) {
        act_in_two_epochs();
        return;
    }

    if (is("own_epoch"))
        begin_next_epoch();
    if (rank == OWNER)
        act_as_owner();
    if (rank == OTHER)
        act_as_other();
    if (is("epoch"))
        begin_next_epoch();
    if (rank == ORIGIN)
        act_as_origin();
}

static void take_words(char *words) {
    epochs = strtok(words, "+");
    what = strtok(NULL, "+");
    const char *third = strtok(NULL, "+");
    how = third != NULL ? third : how;
}

int main(int argc, char **argv) {
    MPI_Group all;
    MPI_Init(&argc, &argv);
    if (argc > 1)
        take_words(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == ORIGIN, rank, &both);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &(int){rank == OWNER ? ORIGIN : OWNER}, &group);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    begin();
    act();
    end();
    MPI_Win_free(&window);
    MPI_Group_free(&all);
    MPI_Group_free(&group);
    MPI_Comm_free(&both);
    MPI_Finalize();
    return 0;
}
