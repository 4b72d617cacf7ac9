/* What is left of an earlier access in the buffer that the next one fetches into, while that is waited for. Every rank fetches from
 * rank 0's counter, and adds to it, several times. What it got last would tell its states apart until it gets something again:
 * once a search has many states it is forgotten where a rank waits for the next access, as nobody can tell.
 *
 * Four ranks that fetch three times, each for itself, have for each number of times that they have all fetched (0 to 3: 4^4) some
 * states, by how far the next request has come, and by what rank 0's agent does. What each got last would be up to 12 numbers more
 * for each of them.
 *
 *     fetches   by MPI_Fetch_and_op under shared locks
 *     flushes   ... under one lock for all, by flushes
 *     accounts  by a get, a flush and a put under exclusive locks
 *
 * What must not be lost is kept: `expect` ends the program where it is not, also if it is lost in all orderings alike.
 *
 *     gaps      it also gets two numbers that have another one between them
 *     window    it also gets into its own window, and looks at what it has got before there when the next get is complete
 *     gives     it gives again and again what it has got once
 *     receives  it also receives a message into the same number
 *     early     what it gets is kept until that is waited for: rank 3 looks at it before, which is a mistake, as it does one thing
 *               or another by what is there. Only if it was the first to fetch each time, which is farthest from the reference:
 *               when the search comes to it, ranks forget */
/* explore: ranks=4 verdict=race-free proof=state-graph states=15000 args=fetches checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=state-graph states=15000 args=flushes checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=state-graph states=25000 args=accounts checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=state-graph args=gaps checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=state-graph args=window checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=state-graph args=gives checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=state-graph args=receives checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=found class=rma-conflict proof=state-graph args=early checkpoint=pages mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3, KEPT = 77, GIVEN = 88 };

/* Rank 0's: the counter, and what nobody changes. Everybody's own: where it gets to. */
static struct memory { int counter, constant[3], own[2]; } memory;
static int rank, ranks;
static const char *what;
static MPI_Win window;

static int is(const char *name) { return strcmp(what, name) == 0; }

static void expect(int value, int expected) {
    if (value != expected)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static MPI_Aint place(const int *of) { return (MPI_Aint)((const char *)of - (const char *)&memory); }

static int fetch(void) {
    static const int one = 1;
    static int got;
    if (!is("flushes") && !is("early"))
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Fetch_and_op(&one, &got, MPI_INT, 0, place(&memory.counter), MPI_SUM, window);
    if (is("flushes") || is("early"))
        MPI_Win_flush(0, window);
    else
        MPI_Win_unlock(0, window);
    return got;
}

static void account(void) {
    static int balance;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(&balance, 1, MPI_INT, 0, place(&memory.counter), 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    balance++;
    MPI_Put(&balance, 1, MPI_INT, 0, place(&memory.counter), 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
}

/* The three numbers of rank 0 are 1, 2 and 3. */
static void get_with_gap(void) {
    static int got[3] = {0, KEPT, 0};
    MPI_Datatype first_and_last;
    MPI_Type_vector(2, 1, 2, MPI_INT, &first_and_last);
    MPI_Type_commit(&first_and_last);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(got, 1, first_and_last, 0, place(memory.constant), 2, MPI_INT, window);
    MPI_Win_unlock(0, window);
    MPI_Type_free(&first_and_last);
    expect(got[0], 1);
    expect(got[1], KEPT);
    expect(got[2], 2);
}

static void get_into_window(int round) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(&memory.own[round % 2], 1, MPI_INT, 0, place(memory.constant), 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    expect(memory.own[round % 2], 1);
    if (round > 0)
        expect(memory.own[1 - round % 2], 1);
    MPI_Win_unlock(rank, window);
}

/* What it gives must not be taken for what it fetches into. */
static void give_again(int round) {
    static int given, fetched;
    if (round == 0)
        given = GIVEN;
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    MPI_Fetch_and_op(&given, &fetched, MPI_INT, rank, place(&memory.own[0]), MPI_REPLACE, window);
    MPI_Win_unlock(rank, window);
    expect(given, GIVEN);
    expect(fetched, round == 0 ? 0 : GIVEN);
}

static void receive(int round) {
    static int received;
    const int sent = 10 * round + (rank + ranks - 1) % ranks, own = 10 * round + rank;
    MPI_Sendrecv(&own, 1, MPI_INT, (rank + 1) % ranks, 0, &received, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect(received, sent);
}

/* Under the lock of all. What it waits for is another access. */
static void look_early(void) {
    static int got = KEPT, other, was_kept;
    MPI_Get(&got, 1, MPI_INT, 1, place(memory.constant), 1, MPI_INT, window);
    MPI_Get(&other, 1, MPI_INT, 0, place(memory.constant), 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    was_kept = got == KEPT;
    MPI_Win_flush(1, window);
    expect(was_kept, 1);
}

static void do_more(int round) {
    if (is("gaps"))
        get_with_gap();
    if (is("window"))
        get_into_window(round);
    if (is("gives"))
        give_again(round);
    if (is("receives"))
        receive(round);
}

int main(int argc, char **argv) {
    int sum = 0; /* of what it fetches, if that matters */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    what = argc > 1 ? argv[1] : "fetches";
    memory = (struct memory){.constant = {1, 2, 3}};
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (is("flushes") || is("early"))
        MPI_Win_lock_all(0, window);
    for (int round = 0; round < ROUNDS; round++) {
        if (is("accounts"))
            account();
        else
            sum += fetch() * is("early");
        do_more(round);
    }
    if (is("early") && rank == ranks - 1 && sum == 0 + 1 + 2)
        look_early();
    if (is("flushes") || is("early"))
        MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    if (rank == 0)
        expect(memory.counter, ROUNDS * ranks);
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
