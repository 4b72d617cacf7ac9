/* System calls that bypass libc, for code that runs while a rank's memory is captured or restored, and the only place in
 * a rank from which the system call filter lets every call through (raw_syscall.S, between the two labels). */
#ifndef CKPT_RAW_SYSCALL_H
#define CKPT_RAW_SYSCALL_H

/* The kernel's result: negative errno values for errors. */
long raw_syscall(long number, long a, long b, long c, long d, long e, long f);

extern const char raw_syscall_begin[], raw_syscall_end[];

#define RAW0(n) raw_syscall((n), 0, 0, 0, 0, 0, 0)
#define RAW1(n, a) raw_syscall((n), (long)(a), 0, 0, 0, 0, 0)
#define RAW2(n, a, b) raw_syscall((n), (long)(a), (long)(b), 0, 0, 0, 0)
#define RAW3(n, a, b, c) raw_syscall((n), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define RAW4(n, a, b, c, d) raw_syscall((n), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define RAW6(n, a, b, c, d, e, f) raw_syscall((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#endif
