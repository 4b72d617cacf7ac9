/* Shared windows as programs use them on a node. Whatever the order, the results are those that are
 * asserted. The ones with another verdict lack one thing, and load what is not there yet or may just be stored. Not run
 * under mpiexec: where a rank spins, MPICH gets no chance to bring the others on. */
/* A ring of halos: each stores to its own segment, and loads from its neighbours' after MPI_Win_sync, a barrier and MPI_Win_sync. */
/* explore: ranks=4 verdict=race-free args=halo mpiexec=no */
/* explore: ranks=4 verdict=found class=rma-conflict|crash args=halo_without_barrier checkpoint=pages */
/* The same with flags in place of the barrier: each says which step it has finished, and waits for its neighbours. */
/* explore: ranks=2 verdict=race-free args=halo_by_flags checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict|crash args=halo_by_flags_of_last_step checkpoint=pages */
/* A table that the first rank of a node fills for all, found by MPI_Comm_split_type; the leaders exchange what they have. */
/* explore: ranks=3 verdict=race-free args=table mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=table_at_once */
/* Pieces of work, given out by a counter; everybody's results in a common array; the same number of pieces for one rank more. */
/* explore: ranks=2 verdict=race-free args=work checkpoint=pages mpiexec=no */
/* explore: ranks=3 verdict=race-free args=work checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=work_twice checkpoint=pages */
/* A ring of messages in shared memory, from one producer to one consumer, by two counters. */
/* explore: ranks=2 verdict=race-free args=ring checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=ring_too_full checkpoint=pages */
/* A pipeline: each stage waits for the flag of the one before it. */
/* explore: ranks=3 verdict=race-free args=pipeline checkpoint=pages mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=pipeline_hurried checkpoint=pages */
/* A barrier of its own, by an atomic counter and a generation that all wait for. */
/* explore: ranks=2 verdict=race-free args=own_barrier checkpoint=pages mpiexec=no */
/* explore: ranks=3 verdict=race-free args=own_barrier checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=own_barrier_left_early checkpoint=pages */
/* A reduction: each adds what it has to a sum in turns, by MPI_Win_lock or by a lock of its own. */
/* explore: ranks=2 verdict=race-free args=sum_by_window_lock checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=race-free args=sum_by_own_lock checkpoint=pages mpiexec=no */
/* A bit for each rank that has arrived, and a flag of a byte for each. */
/* explore: ranks=2 verdict=race-free args=bits checkpoint=pages mpiexec=no */
/* explore: ranks=3 verdict=race-free args=bytes checkpoint=pages mpiexec=no */
/* Broadcast: the root raises a number, others wait for it to change, and say that they have read before it is raised again. */
/* explore: ranks=2 verdict=race-free args=broadcast checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=broadcast_unread checkpoint=pages */
/* A list that everybody pushes to by compare and exchange. */
/* explore: ranks=2 verdict=race-free args=list checkpoint=pages mpiexec=no */
/* A rank tells the others to stop. */
/* explore: ranks=2 verdict=race-free args=stop checkpoint=pages mpiexec=no */
#include <assert.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 8, STEPS = 2, SLOTS = 2, ITEMS = 3, PIECES = 3 };

struct node {
    _Atomic long ticket, serving, generation, arrived;
    atomic_int lock, head, bits;
    atomic_uchar here[8];
    volatile int step[8]; /* of each rank; an aligned word, which its rank alone stores to */
    int result[16];
    int ring[SLOTS];
    _Alignas(64) _Atomic unsigned filled;
    _Alignas(64) _Atomic unsigned emptied;
    _Alignas(64) volatile int round;
    volatile int seen[8];
    int payload[4];
    struct {
        int value, next;
    } element[8];
};

static MPI_Win window;
static MPI_Comm node_ranks;
static struct node *node;
static int rank, size;
static const char *what;

static int is(const char *name) { return strcmp(what, name) == 0; }
static void barrier(void) { MPI_Barrier(node_ranks); }

static void *segment_of(MPI_Win of, int member) {
    MPI_Aint bytes;
    int unit;
    void *base;
    MPI_Win_shared_query(of, member, &bytes, &unit, &base);
    return base;
}

/* ---- halos ---- */

static void await_step(int of, int step) {
    while (node->step[of] < step)
        MPI_Win_sync(window);
}

static void synchronise(int done) {
    if (is("halo")) {
        MPI_Win_sync(window);
        barrier();
        MPI_Win_sync(window);
    } else if (strncmp(what, "halo_by_flags", 13) == 0) {
        MPI_Win_sync(window);
        node->step[rank] = done;
        int wanted = is("halo_by_flags") ? done : done - 1;
        await_step((rank + 1) % size, wanted);
        await_step((rank + size - 1) % size, wanted);
        MPI_Win_sync(window);
    }
}

static void exchange_halos(void) {
    double *own;
    MPI_Win cells;
    MPI_Win_allocate_shared(CELLS * sizeof(double), sizeof(double), MPI_INFO_NULL, node_ranks, &own, &cells);
    const double *left = segment_of(cells, (rank + size - 1) % size), *right = segment_of(cells, (rank + 1) % size);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, cells);
    for (int i = 0; i < CELLS; i++)
        own[i] = rank;
    synchronise(1);
    for (int step = 0; step < STEPS; step++) {
        double sum = left[CELLS - 1] + right[0];
        assert(step > 0 || sum == (rank + size - 1) % size + (rank + 1) % size);
        synchronise(2 * step + 2);
        own[0] = own[CELLS - 1] = sum;
        synchronise(2 * step + 3);
    }
    MPI_Win_unlock_all(cells);
    MPI_Win_free(&cells);
}

/* ---- a table ---- */

static void use_table(void) {
    MPI_Comm leaders;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : MPI_UNDEFINED, 0, &leaders);
    if (rank == 0) {
        int sum = 0, one = 1;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, leaders);
        for (int i = 0; i < 16; i++)
            node->result[i] = sum * i * i;
        MPI_Comm_free(&leaders);
    }
    if (!is("table_at_once"))
        MPI_Win_fence(0, window);
    printf("%d\n", node->result[rank + 3]);
    MPI_Win_fence(0, window);
}

/* ---- work ---- */

static void do_pieces(void) {
    for (;;) {
        long piece = is("work_twice") ? atomic_load(&node->ticket) : atomic_fetch_add(&node->ticket, 1);
        if (piece >= PIECES)
            break;
        node->result[piece] = (int)(piece * piece) + 1;
        if (is("work_twice"))
            atomic_fetch_add(&node->ticket, 1);
    }
    barrier();
    assert(node->result[0] == 1 && node->result[1] == 2 && node->result[2] == 5);
}

/* ---- a ring ---- */

static void produce(void) {
    unsigned room = is("ring") ? SLOTS : SLOTS + 1;
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&node->emptied, memory_order_acquire) >= room)
            continue;
        node->ring[i % SLOTS] = 10 + (int)i;
        atomic_store_explicit(&node->filled, i + 1, memory_order_release);
    }
}

static void consume(void) {
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&node->filled, memory_order_acquire) == i)
            continue;
        printf("%d\n", node->ring[i % SLOTS]);
        atomic_store_explicit(&node->emptied, i + 1, memory_order_release);
    }
}

static void pass_through_ring(void) { rank == 0 ? produce() : consume(); }

/* ---- a pipeline ---- */

static void run_stage(void) {
    if (rank > 0 && !is("pipeline_hurried")) {
        while (!node->step[rank - 1])
            sched_yield();
    }
    int before = rank == 0 ? 1 : node->result[rank - 1];
    node->result[rank] = 2 * before;
    MPI_Win_sync(window);
    node->step[rank] = 1;
    barrier();
    assert(node->result[size - 1] == 1 << size);
}

/* ---- a barrier ---- */

static void meet(void) {
    long generation = atomic_load(&node->generation);
    if (atomic_fetch_add(&node->arrived, 1) == size - 1) {
        atomic_store(&node->arrived, 0);
        atomic_fetch_add(&node->generation, 1);
    }
    while (!is("own_barrier_left_early") && atomic_load(&node->generation) == generation)
        continue;
}

static void meet_by_own_barrier(void) {
    node->result[rank] = rank + 1;
    meet();
    int sum = 0;
    for (int i = 0; i < size; i++)
        sum += node->result[i];
    printf("%d\n", sum);
}

/* ---- sums ---- */

static void add(void) {
    MPI_Win_unlock_all(window);
    if (is("sum_by_window_lock"))
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    else
        while (atomic_flag_test_and_set((atomic_flag *)&node->here[0]))
            continue;
    node->result[0] += rank + 1;
    if (is("sum_by_window_lock"))
        MPI_Win_unlock(0, window);
    else
        atomic_flag_clear((atomic_flag *)&node->here[0]);
    barrier();
    assert(node->result[0] == size * (size + 1) / 2);
    MPI_Win_lock_all(0, window);
}

/* ---- arrivals ---- */

static void arrive_by_bits(void) {
    node->result[rank] = 7;
    atomic_fetch_or(&node->bits, 1 << rank);
    while (atomic_load(&node->bits) != (1 << size) - 1)
        continue;
    assert(node->result[0] == 7 && node->result[size - 1] == 7);
}

static void arrive_by_bytes(void) {
    node->result[rank] = 7;
    atomic_store_explicit(&node->here[rank], 1, memory_order_release);
    for (int i = 0; i < size; i++)
        while (!atomic_load_explicit(&node->here[i], memory_order_acquire))
            continue;
    assert(node->result[0] == 7 && node->result[size - 1] == 7);
}

/* ---- broadcast ---- */

static void broadcast(void) {
    for (int round = 1; round <= 2; round++) {
        if (rank == 0) {
            for (int i = 1; i < size && !is("broadcast_unread"); i++)
                while (node->seen[i] != round - 1)
                    MPI_Win_sync(window);
            node->payload[0] = 100 * round;
            MPI_Win_sync(window);
            node->round = round;
        } else {
            while (node->round < round)
                MPI_Win_sync(window);
            printf("%d\n", node->payload[0] / 100 >= round);
            node->seen[rank] = round;
        }
    }
}

/* ---- a list ---- */

static void push(void) {
    node->element[rank + 1].value = rank + 1;
    int head = atomic_load(&node->head);
    do
        node->element[rank + 1].next = head;
    while (!atomic_compare_exchange_strong(&node->head, &head, rank + 1));
    barrier();
    int sum = 0;
    for (int at = node->head; at != 0; at = node->element[at].next)
        sum += node->element[at].value;
    assert(sum == size * (size + 1) / 2);
}

/* One rank asks the others to stop; they look whenever they are between two messages. */
static void stop(void) {
    if (rank == 0)
        atomic_store(&node->lock, 1);
    int found = 0;
    while (!atomic_load(&node->lock))
        MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    assert(!found);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"halo", exchange_halos},
                 {"table", use_table},
                 {"work", do_pieces},
                 {"ring", pass_through_ring},
                 {"pipeline", run_stage},
                 {"own_barrier", meet_by_own_barrier},
                 {"sum_by_", add},
                 {"bits", arrive_by_bits},
                 {"bytes", arrive_by_bytes},
                 {"broadcast", broadcast},
                 {"list", push},
                 {"stop", stop}};
    void *own;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "halo";
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_ranks);
    MPI_Comm_rank(node_ranks, &rank);
    MPI_Comm_size(node_ranks, &size);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *node : 0, 1, MPI_INFO_NULL, node_ranks, &own, &window);
    node = segment_of(window, 0);
    if (rank == 0)
        memset(node, 0, sizeof *node);
    barrier();
    int fences = strncmp(what, "table", 5) == 0;
    if (fences)
        MPI_Win_fence(0, window);
    else
        MPI_Win_lock_all(0, window);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strncmp(what, cases[i].name, strlen(cases[i].name)) == 0)
            cases[i].run();
    }
    if (!fences)
        MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Comm_free(&node_ranks);
    MPI_Finalize();
    return 0;
}
