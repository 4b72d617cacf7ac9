/* What test and subject say to each other, through a shared region of memory that the subject leaves while it sleeps. */
#ifndef TESTS_CRIU_SUBJECT_H
#define TESTS_CRIU_SUBJECT_H

#include <stdint.h>

#define SUBJECT_REGION ((void *)0x200000000000)
enum { SUBJECT_MAILBOXES = 8, SUBJECT_REGION_BYTES = 1 << 16, SUBJECT_FAKE_PARENT = 77 };

/* The message that wakes it. */
struct subject_order {
    uint32_t mailbox;    /* where to answer */
    uint32_t add;        /* to the sum that is in its memory */
    int32_t exit_status; /* >= 0: ends with it instead */
    int32_t signal;      /* > 0: ends by it instead */
};

/* What it then knows of itself. */
struct subject_answer {
    uint64_t sum;            /* kept by the thread that called main */
    uint64_t worker_sum;     /* kept by a thread of its own that waits at a futex in between */
    uint32_t pattern_intact; /* is the rest of its memory as it was written at the start */
    int32_t filtered_parent; /* result of getppid, which its seccomp filter sends to a SIGSYS handler */
    int32_t pid, worker_pid; /* the thread numbers */
    uint32_t threads;
};

#endif
