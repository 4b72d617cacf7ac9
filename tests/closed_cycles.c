/* Exit code 0: this kernel lets a process close the processor's cycle counter to itself, as explore has ranks do. Some virtual
 * machines say that they do, and leave it open. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <x86intrin.h>

static sigjmp_buf closed;

static void go_back(int signal) { siglongjmp(closed, signal); }

int main(void) {
    volatile unsigned long long cycles;
    unsigned processor;
    signal(SIGSEGV, go_back);
    volatile int open = prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0;
    if (!sigsetjmp(closed, 1)) {
        cycles = __rdtsc();
        open = 1;
    }
    if (!sigsetjmp(closed, 1)) {
        cycles = __rdtscp(&processor);
        open = 1;
    }
    (void)cycles;
    if (open)
        puts("this kernel does not let the processor's cycle counter be closed");
    return open;
}
