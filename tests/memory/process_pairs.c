/* Histories of what the kernel keeps for a process: signal handlers and masks. */
#include "tests/memory/histories.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

static void ignore_it(int number) { (void)number; }

static void install(void) { signal(SIGALRM, ignore_it); }
static void install_and_back(void) {
    signal(SIGALRM, ignore_it);
    signal(SIGALRM, SIG_DFL);
}
static void block(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
}
static void block_and_back(void) {
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, &old);
    sigprocmask(SIG_SETMASK, &old, NULL);
}
static sigjmp_buf place;
static void jump_with_mask(void) {
    if (sigsetjmp(place, 1) == 0)
        siglongjmp(place, 1);
    memset(place, 0, sizeof place);
}

const struct pair process_pairs[] = {
    {"handler_installed", DIFFERENT, install, NULL}, {"handler_and_back", SAME, install_and_back, NULL},
    {"mask_changed", DIFFERENT, block, NULL},        {"mask_and_back", SAME, block_and_back, NULL},
    {"jump_with_mask", SAME, jump_with_mask, NULL},  {0},
};
