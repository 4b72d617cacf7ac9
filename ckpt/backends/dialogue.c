#include "ckpt/backends/dialogue.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool channel_wait(struct mailbox *mailbox, uint32_t number, int milliseconds, uint64_t spin_cycles) {
    for (uint64_t began = __builtin_ia32_rdtsc(); __builtin_ia32_rdtsc() - began < spin_cycles;) {
        if (atomic_load_explicit(&mailbox->report, memory_order_acquire) == number)
            return true;
        __builtin_ia32_pause();
    }
    uint32_t seen = atomic_load(&mailbox->report);
    if (seen == number)
        return true;
    struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000l};
    syscall(SYS_futex, &mailbox->report, FUTEX_WAIT, seen, &limit, NULL, 0);
    return atomic_load(&mailbox->report) == number;
}

static void wake(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); }

uint32_t channel_command(struct mailbox *mailbox) {
    uint32_t number = atomic_load(&mailbox->command) + 1;
    atomic_store(&mailbox->command, number);
    wake(&mailbox->command);
    return number;
}

void channel_ring(struct parking *parking) {
    atomic_fetch_add(&parking->ring, 1);
    wake(&parking->ring);
}
