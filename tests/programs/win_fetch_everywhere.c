/* Each rank fetches and adds at every rank, as for tickets or places in queues, and says what of it does not depend on the order: how
 * much there is in the end. Who comes first at one rank has nothing to do with who does at another, and that an accumulate is completed
 * with none that is made in the same way. So there are as many orderings as there are orders of the ranks, once for each of them.
 *
 *     requests    with requests that are waited for together
 *     flushes     MPI_Get_accumulate, and a flush for each
 *     swaps       compare-and-swap of a free place of as many as there are ranks
 *     fetched     wrong: says what it has fetched
 *     multiplies  wrong: one rank multiplies what others add to
 *     puts        wrong: one rank stores where others add, before they have completed it */
/* explore: ranks=3 verdict=race-free args=requests states=6000 says=216 */
/* explore: ranks=3 verdict=race-free args=flushes states=6000 */
/* explore: ranks=3 verdict=race-free args=swaps states=6000 */
/* explore: ranks=3 verdict=found class=race-output args=fetched */
/* explore: ranks=3 verdict=found class=rma-conflict args=multiplies */
/* explore: ranks=3 verdict=found class=rma-conflict args=puts */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { RANKS_MOST = 8 };

static const char *mode = "";
static int rank, ranks;
static MPI_Win window;
static long fetched[RANKS_MOST];

static bool is(const char *wanted) { return strcmp(mode, wanted) == 0; }

static void add_with_requests(void) {
    const long one = 1;
    MPI_Request request[RANKS_MOST];
    for (int target = 0; target < ranks; target++)
        MPI_Rget_accumulate(&one, 1, MPI_LONG, &fetched[target], 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_SUM, window,
                            &request[target]);
    MPI_Waitall(ranks, request, MPI_STATUSES_IGNORE);
}

static void add(MPI_Op operator) {
    const long one = 1;
    for (int target = 0; target < ranks; target++) {
        MPI_Get_accumulate(&one, 1, MPI_LONG, &fetched[target], 1, MPI_LONG, target, 0, 1, MPI_LONG, operator, window);
        MPI_Win_flush(target, window);
    }
}

static void put(void) {
    const long one = 1;
    for (int target = 0; target < ranks; target++) {
        MPI_Put(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, window);
        MPI_Win_flush(target, window);
    }
}

/* Takes the first place at each rank that is free. */
static void swap(void) {
    const long nobody = 0, mine = 1;
    for (int target = 0; target < ranks; target++) {
        long found = 1;
        for (int place = 0; found != 0; place++) {
            MPI_Compare_and_swap(&mine, &nobody, &found, MPI_LONG, target, place, window);
            MPI_Win_flush(target, window);
        }
    }
}

int main(int argc, char **argv) {
    long *memory, sum = 0;
    MPI_Init(&argc, &argv);
    mode = argc > 1 ? argv[1] : mode;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate(ranks * (MPI_Aint)sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, (size_t)ranks * sizeof *memory);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (is("requests"))
        add_with_requests();
    else if (is("swaps"))
        swap();
    else if (is("puts") && rank == 0)
        put();
    else
        add(is("multiplies") && rank == 0 ? MPI_PROD : MPI_SUM);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    for (int place = 0; place < ranks; place++)
        sum += memory[place];
    MPI_Win_unlock(rank, window);
    printf("%ld\n", sum);
    if (is("fetched"))
        printf("%ld of rank 0\n", fetched[0]);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
