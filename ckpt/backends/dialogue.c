#include "ckpt/backends/dialogue.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool reached(uint32_t report, uint32_t number) { return (int32_t)(report - number) >= 0; }

bool channel_has_reached(const struct mailbox *mailbox, uint32_t number) {
    return reached(atomic_load_explicit(&mailbox->report, memory_order_acquire), number);
}

bool channel_wait(struct mailbox *mailbox, uint32_t number, int milliseconds, uint64_t spin_cycles) {
    for (uint64_t began = __builtin_ia32_rdtsc(); __builtin_ia32_rdtsc() - began < spin_cycles;) {
        if (channel_has_reached(mailbox, number))
            return true;
        __builtin_ia32_pause();
    }
    atomic_store(&mailbox->awaited, number);
    struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000l};
    uint32_t seen;
    bool late = false;
    while (!reached(seen = atomic_load(&mailbox->report), number) && !late)
        late = syscall(SYS_futex, &mailbox->report, FUTEX_WAIT, seen, &limit, NULL, 0) != 0 && errno != EAGAIN;
    return reached(seen, number);
}

static void wake(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); }

uint32_t channel_commands(struct mailbox *mailbox, uint32_t count) {
    uint32_t number = atomic_load(&mailbox->command) + count;
    atomic_store(&mailbox->command, number);
    wake(&mailbox->command);
    return number;
}

uint32_t channel_command(struct mailbox *mailbox) { return channel_commands(mailbox, 1); }

void channel_ring(struct parking *parking) {
    atomic_fetch_add(&parking->ring, 1);
    wake(&parking->ring);
}
