/* Epochs of one-sided communication (MPI-3.1 section 11.5): each is begun and ended once, and rank 0 accesses rank 1's memory in
 * between, or rank 1 rank 0's. */
#include "rules.h"

#include <stddef.h>

static bool is_rank_0(void) { return other_rank() == 1; }

static MPI_Group group_of_other(void) {
    MPI_Group all, other;
    const int number = other_rank();
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &number, &other);
    MPI_Group_free(&all);
    return other;
}

/* --- how epochs are begun and ended ------------------------------------------------------------------------------------ */

void fence(MPI_Win window) { MPI_Win_fence(0, window); }
void lock(MPI_Win window) { MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window); }
static void lock_alone(MPI_Win window) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window); }
static void unlock(MPI_Win window) { MPI_Win_unlock(1, window); }
void lock_all(MPI_Win window) { MPI_Win_lock_all(0, window); }
static void unlock_all(MPI_Win window) { MPI_Win_unlock_all(window); }
static void complete(MPI_Win window) { MPI_Win_complete(window); }
static void wait(MPI_Win window) { MPI_Win_wait(window); }

static void start(MPI_Win window) {
    MPI_Group other = group_of_other();
    MPI_Win_start(other, 0, window);
    MPI_Group_free(&other);
}

static void post(MPI_Win window) {
    MPI_Group other = group_of_other();
    MPI_Win_post(other, 0, window);
    MPI_Group_free(&other);
}

static void test(MPI_Win window) {
    for (int flag = 0; !flag;)
        MPI_Win_test(window, &flag);
}

/* --- what ranks do ------------------------------------------------------------------------------------------------------ */

static void put(const struct arguments *with) { MPI_Put(with->buffer, 1, MPI_INT, other_rank(), 0, 1, MPI_INT, with->window); }

static void use(const struct arguments *with, void (*begin)(MPI_Win window), bool puts, void (*end)(MPI_Win window)) {
    for (int i = 0; i < with->begins; i++)
        begin(with->window);
    if (with->within)
        with->within(with->window);
    if (puts)
        put(with);
    for (int i = 0; i < with->ends; i++)
        end(with->window);
}

#define EPOCHS(name, begin, end) \
    static void do_##name##_epoch(struct arguments *with) { use(with, begin, is_rank_0(), end); }
/* Rank 1 takes no part. */
#define EPOCHS_ALONE(name, begin, end)                      \
    static void do_##name##_epoch(struct arguments *with) { \
        if (is_rank_0())                                    \
            use(with, begin, true, end);                    \
    }
#define EPOCHS_OF_TWO(name, begin, puts, end, begin_of_other, puts_of_other, end_of_other) \
    static void do_##name##_epoch(struct arguments *with) {                                \
        if (is_rank_0())                                                                   \
            use(with, begin, puts, end);                                                   \
        else                                                                               \
            use(with, begin_of_other, puts_of_other, end_of_other);                        \
    }
EPOCHS(Win_fence, fence, fence)
EPOCHS_ALONE(Win_lock, lock, unlock)
EPOCHS_ALONE(Win_lock_exclusive, lock_alone, unlock)
EPOCHS_ALONE(Win_lock_all, lock_all, unlock_all)
EPOCHS_OF_TWO(Win_start, start, true, complete, post, false, wait)
EPOCHS_OF_TWO(Win_post, post, false, wait, start, true, complete)
EPOCHS_OF_TWO(Win_post_and_test, post, false, test, start, true, complete)

#define FAMILY_EPOCH(name, has) \
    { #name "_epoch", has, MEETS, do_##name##_epoch }
const struct family epoch_families[] = {
    FAMILY_EPOCH(Win_fence, HAS_FENCES),
    FAMILY_EPOCH(Win_lock, HAS_EPOCH | HAS_ACCESS_EPOCH),
    FAMILY_EPOCH(Win_lock_exclusive, HAS_EPOCH | HAS_ACCESS_EPOCH),
    FAMILY_EPOCH(Win_lock_all, HAS_EPOCH | HAS_ACCESS_EPOCH),
    FAMILY_EPOCH(Win_start, HAS_EPOCH | HAS_ACCESS_EPOCH),
    FAMILY_EPOCH(Win_post, HAS_EPOCH),
    FAMILY_EPOCH(Win_post_and_test, HAS_EPOCH),
};
const int epoch_family_count = sizeof epoch_families / sizeof epoch_families[0];
