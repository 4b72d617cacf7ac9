/* System calls that bypass libc, for code that runs while a rank's memory is captured or restored, and the only place in
 * a rank from which the system call filter lets every call through (raw_syscall.S, between the two labels). */
#ifndef CKPT_RAW_SYSCALL_H
#define CKPT_RAW_SYSCALL_H

#include <linux/sched.h>
#include <signal.h>
#include <stddef.h>

/* The kernel's result: negative errno values for errors. */
long raw_syscall(long number, long a, long b, long c, long d, long e, long f);

extern const char raw_syscall_begin[], raw_syscall_end[];

/* A thread to be made by clone3 in the place of somebody's system call: of a signal handler's context that is sent to
 * raw_clone_thread (raw_syscall.S says with which registers). Both threads go on from there, the new one with a signal stack. */
struct raw_thread {
    struct clone_args arguments;
    void (*failed)(void); /* called if there is no new thread; must not return */
    stack_t signal_stack;
    int tries; /* how often it is tried again while the number in arguments.set_tid is taken */
};
_Static_assert(offsetof(struct raw_thread, failed) == 88 && offsetof(struct raw_thread, signal_stack) == 96 &&
                   offsetof(struct raw_thread, tries) == 120,
               "as raw_syscall.S has them");
void raw_clone_thread(void);

#define RAW0(n) raw_syscall((n), 0, 0, 0, 0, 0, 0)
#define RAW1(n, a) raw_syscall((n), (long)(a), 0, 0, 0, 0, 0)
#define RAW2(n, a, b) raw_syscall((n), (long)(a), (long)(b), 0, 0, 0, 0)
#define RAW3(n, a, b, c) raw_syscall((n), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define RAW4(n, a, b, c, d) raw_syscall((n), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define RAW6(n, a, b, c, d, e, f) raw_syscall((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#endif
