/* Signal handlers and the signal mask are remembered as part of the local state, but no handler is ever run: signals that a program
 * would send itself are refused by name, and no others reach it. */
#ifndef MODELS_MPI_PRELOAD_OWN_SIGNALS_H
#define MODELS_MPI_PRELOAD_OWN_SIGNALS_H

#include <stdint.h>

enum { SIGNALS = 64 };

struct own_signals {
    struct signal_action { /* as the kernel's */
        uint64_t handler, flags, restorer, mask;
    } action[SIGNALS + 1];
    uint64_t mask;
};

/* Takes over what was set before MPI_Init. To be called before the library sets handlers of its own. */
void own_signals_start(void);

/* The system calls. Errors as the kernel gives them. */
long own_signals_action(int signal, const struct signal_action *set, struct signal_action *old);
long own_signals_mask(int how, const uint64_t *set, uint64_t *old);

/* What happens to a rank that sends itself this signal. */
enum own_signal_fate { SIGNAL_IGNORED, SIGNAL_KILLS, SIGNAL_HANDLED /* or blocked */ };
enum own_signal_fate own_signals_fate(int signal);

#endif
