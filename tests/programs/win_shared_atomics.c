/* Atomic operations (C11, GCC's, or instructions that come to the same) on a shared window. They are not in conflict with each
 * other, in whatever order they come, and who sees what another one has stored sees what its rank stored before. Not run
 * under mpiexec: where a rank spins, MPICH gets no chance to bring the others on. */
/* explore: ranks=2 verdict=race-free args=counter mpiexec=no */
/* explore: ranks=3 verdict=race-free args=counter checkpoint=pages mpiexec=no */
/* Not one of the ranks adds atomically. */
/* explore: ranks=2 verdict=found class=rma-conflict args=plain_counter checkpoint=pages */
/* One of two does. The other's addition is one instruction that is not atomic, or a load and a store, between which it comes. */
/* explore: ranks=2 verdict=found class=rma-conflict|crash args=half_atomic_counter checkpoint=pages */
/* Everybody gets a number, and it shows who came first. Sums of what they get do not show it. */
/* explore: ranks=2 verdict=found class=race-output args=tickets_show checkpoint=pages */
/* explore: ranks=3 verdict=race-free args=tickets checkpoint=pages mpiexec=no */
/* The largest, by compare and exchange. */
/* explore: ranks=2 verdict=race-free args=maximum checkpoint=pages mpiexec=no */
/* A spin lock guards a plain number; a release store (a plain instruction) gives it back. */
/* explore: ranks=2 verdict=race-free args=spin_lock checkpoint=pages mpiexec=no */
/* explore: ranks=3 verdict=race-free args=spin_lock checkpoint=pages mpiexec=no */
/* Only one of them locks. */
/* explore: ranks=2 verdict=found class=rma-conflict args=spin_lock_of_one */
/* The lock is given back before the store. */
/* explore: ranks=2 verdict=found class=rma-conflict args=spin_lock_early checkpoint=pages */
/* Nobody gives it back. */
/* explore: ranks=2 verdict=found class=livelock args=spin_lock_kept checkpoint=pages */
/* A ticket lock: numbers are drawn, and each waits for its own. */
/* explore: ranks=2 verdict=race-free args=ticket_lock checkpoint=pages mpiexec=no */
/* Data published by a release store, and an acquire load that waits for it; the other way round. */
/* explore: ranks=2 verdict=race-free args=publish checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=publish_late checkpoint=pages */
/* Nobody waits: whether the flag is set is a matter of chance, and what was published is there if it is. */
/* explore: ranks=2 verdict=race-free args=try checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=race-output args=try_shows checkpoint=pages */
/* The same by a release store and an acquire load, which are plain instructions: it has to be said that they are atomic. */
/* explore: ranks=2 verdict=race-free args=try_told checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=try_untold checkpoint=pages */
/* Atomic addition of bytes beside each other, and of a number beside a plain one of another rank. */
/* explore: ranks=2 verdict=race-free args=neighbours checkpoint=pages mpiexec=no */
/* What was counted is sent: after a barrier, and while others count. */
/* explore: ranks=2 verdict=race-free args=send_after checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=send_meanwhile checkpoint=pages */
/* Who comes last, by atomic subtraction, sees what all others stored before. */
/* explore: ranks=3 verdict=race-free args=last_sums checkpoint=pages mpiexec=no */
/* Whoever finds it is not the first adds what the first stored after. */
/* explore: ranks=2 verdict=found class=rma-conflict args=first_is_late checkpoint=pages */
/* Two windows: the flag is in one, the data in the other. */
/* explore: ranks=2 verdict=race-free args=two_windows checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=two_windows_late checkpoint=pages */
/* After a call that only asks the library something, accesses are seen as before it. */
/* explore: ranks=2 verdict=race-free args=asks_between checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=race-output args=asks_between_shows checkpoint=pages */
/* Registers of all kinds outlive an atomic operation. */
/* explore: ranks=2 verdict=race-free args=registers checkpoint=pages mpiexec=no */
#include <assert.h>
#include <explore.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct shared {
    atomic_int word[4];
    atomic_uchar byte[4];
    int number[4];
};

static MPI_Win window, other;
static struct shared *shared, *apart;
static int rank, size;
static const char *what;

static int is(const char *name) { return strcmp(what, name) == 0; }
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void count(void) {
    int *plain = (int *)&shared->word[0];
    if (is("plain_counter") || (is("half_atomic_counter") && rank == 1))
        *plain = *plain + 1;
    else
        atomic_fetch_add(&shared->word[0], 1);
    barrier();
    printf("%d\n", *plain);
    assert(*plain == size);
}

static void draw_tickets(void) {
    int mine = atomic_fetch_add(&shared->word[0], 1), sum;
    if (is("tickets_show"))
        printf("%d\n", mine);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(sum == size * (size - 1) / 2);
}

static void find_maximum(void) {
    int mine = 5 - rank, seen = atomic_load(&shared->word[1]);
    while (seen < mine && !atomic_compare_exchange_weak(&shared->word[1], &seen, mine))
        continue;
    barrier();
    assert(shared->word[1] == 5);
}

static void lock(void) {
    while (atomic_exchange(&shared->word[0], 1))
        continue;
}
static void unlock(void) { atomic_store_explicit(&shared->word[0], 0, memory_order_release); }

static void add_locked(void) {
    int locks = !is("spin_lock_of_one") || rank == 0;
    if (locks)
        lock();
    int before = shared->number[0];
    if (is("spin_lock_early"))
        unlock();
    shared->number[0] = before + 1;
    if (locks && is("spin_lock"))
        unlock();
    if (is("spin_lock_of_one") && locks)
        unlock();
    barrier();
    assert(shared->number[0] == size);
}

static void lock_by_ticket(void) {
    int mine = atomic_fetch_add(&shared->word[0], 1);
    while (atomic_load_explicit(&shared->word[1], memory_order_acquire) != mine)
        continue;
    shared->number[1] += 10;
    atomic_store_explicit(&shared->word[1], mine + 1, memory_order_release);
    barrier();
    assert(shared->number[1] == 10 * size);
}

static void publish(void) {
    if (rank == 0) {
        if (is("publish"))
            shared->number[2] = 7;
        atomic_store_explicit(&shared->word[2], 1, memory_order_release);
        if (!is("publish"))
            shared->number[2] = 7;
        return;
    }
    while (!atomic_load_explicit(&shared->word[2], memory_order_acquire))
        continue;
    printf("%d\n", shared->number[2]);
}

static void try(void) {
    if (is("try_told"))
        explore_atomic(&shared->word[2], sizeof shared->word[2]);
    if (rank == 0) {
        shared->number[2] = 7;
        if (is("try") || is("try_shows"))
            atomic_store(&shared->word[2], 1);
        else
            atomic_store_explicit(&shared->word[2], 1, memory_order_release);
    } else if (atomic_load_explicit(&shared->word[2], memory_order_acquire)) {
        assert(shared->number[2] == 7);
        if (is("try_shows"))
            puts("found");
    }
}

/* One counts, and the other waits for it; then both draw a number. */
static void ask_between(void) {
    int bytes;
    MPI_Type_size(MPI_INT, &bytes);
    if (rank == 0)
        atomic_fetch_add(&shared->word[0], 1);
    while (rank == 1 && atomic_load(&shared->word[0]) == 0)
        ;
    MPI_Type_size(MPI_DOUBLE, &bytes);
    int number = atomic_fetch_add(&shared->word[1], 1);
    if (strcmp(what, "asks_between_shows") == 0)
        printf("%d\n", number);
    barrier();
    assert(shared->word[0] == 1 && shared->word[1] == 2);
}

static void add_to_neighbours(void) {
    for (int i = 0; i < 2; i++)
        atomic_fetch_add(&shared->byte[i], 1 + (unsigned char)rank);
    if (rank == 0)
        shared->number[0] = 3; /* of no other rank */
    else
        shared->number[1] = 4;
    barrier();
    assert(shared->byte[0] == 3 && shared->byte[1] == 3 && shared->byte[2] == 0 && shared->number[0] + shared->number[1] == 7);
}

static void count_and_send(void) {
    int got = 0;
    atomic_fetch_add(&shared->word[3], 1);
    if (is("send_after"))
        barrier();
    if (rank == 0)
        MPI_Send(&shared->word[3], 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1 && is("send_after"))
        assert(got == size);
    barrier();
}

static void sum_last(void) {
    shared->number[rank] = 100 + rank;
    if (atomic_fetch_add(&shared->word[0], 1) == size - 1)
        assert(shared->number[0] + shared->number[1] + shared->number[2] == 303);
}

static void store_late(void) {
    if (atomic_fetch_add(&shared->word[0], 1) == 0)
        shared->number[0] = 8;
    else
        printf("%d\n", shared->number[0] >= 0);
}

static void use_two_windows(void) {
    if (rank == 0) {
        if (is("two_windows"))
            apart->number[0] = 9;
        atomic_store(&shared->word[0], 1);
        if (!is("two_windows"))
            apart->number[0] = 9;
        return;
    }
    while (!atomic_load(&shared->word[0]))
        continue;
    printf("%d\n", apart->number[0]);
}

/* More is alive than a call would keep. */
static void use_registers(void) {
    volatile double half = 0.5;
    double a = half, b = a * 3, c = b * 5, d = c * 7, e = d * 9;
    long double f = (long double)e / 3;
    long i = rank + 1, j = i * 3, k = j * 5, l = k * 7, m = l * 9, n = m * 11;
    int before = 1000 < atomic_fetch_add(&shared->word[0], 1);
    assert(a == 0.5 && b == 1.5 && c == 7.5 && d == 52.5 && e == 472.5 && f == (long double)472.5 / 3);
    assert(i == rank + 1 && j == 3 * i && k == 15 * i && l == 105 * i && m == 945 * i && n == 10395 * i && !before);
}

static struct shared *make(MPI_Win *made) {
    int unit;
    MPI_Aint bytes;
    struct shared *own, *first;
    MPI_Win_allocate_shared(rank == 0 ? sizeof *own : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, made);
    MPI_Win_shared_query(*made, 0, &bytes, &unit, &first);
    return first;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"counter", count},
                 {"plain_counter", count},
                 {"half_atomic_counter", count},
                 {"tickets", draw_tickets},
                 {"maximum", find_maximum},
                 {"spin_lock", add_locked},
                 {"ticket_lock", lock_by_ticket},
                 {"publish", publish},
                 {"try", try},
                 {"neighbours", add_to_neighbours},
                 {"send_", count_and_send},
                 {"last_sums", sum_last},
                 {"first_is_late", store_late},
                 {"two_windows", use_two_windows},
                 {"asks_between", ask_between},
                 {"registers", use_registers}};
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "counter";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    shared = make(&window);
    apart = make(&other);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    barrier();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strncmp(what, cases[i].name, strlen(cases[i].name)) == 0)
            cases[i].run();
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&other);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
