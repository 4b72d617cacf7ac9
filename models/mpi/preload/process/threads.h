/* The program's threads, where processes are kept whole (channel->keeps_threads); elsewhere all but one are refused by name.
 *
 * All threads of a rank share one processor under SCHED_FIFO: each runs until it waits or wakes others, so a rank with threads does
 * the same each time. The main one is the one that called MPI_Init. When one blocks in MPI, the others go on until all of them wait
 * at a futex; then they are put in order: each is sent ORDER_SIGNAL in turn, notes its registers in the local state, and waits
 * anew. So the queues of the kernel's futexes are a function of the local state, before a checkpoint and after it. The one in the
 * call is the one that ends the step and that begins the next. */
#ifndef MODELS_MPI_PRELOAD_THREADS_H
#define MODELS_MPI_PRELOAD_THREADS_H

#include "ckpt/image.h"

#include <stdbool.h>
#include <stdint.h>

enum { THREADS_MOST = 64, THREADS_STACKS };

/* Called before MPICH is initialised, which may make threads of its own: those there are now are the program's. */
void threads_before_init(void);
/* By the thread that is in MPI_Init: from now on it is the main one. NULL, or why these threads cannot be kept. */
const char *threads_begin(void);

/* Are there any but the main one? */
bool threads_others(void);
/* Is the caller another one? */
bool thread_is_other(void);
/* What gettid says to another one. */
long thread_number(void);

/* By a thread in a call: waits until all others wait, and puts them in order; ends the step if they do not. Leaves nothing on the
 * program's stack. */
void threads_settle(void);
/* Is a thread in it? */
bool threads_settling(void);
/* What lies below the stack pointers of threads that have been settled, and below `stack_pointer` on the caller's stack: garbage of
 * finished calls. How many pieces; room for THREADS_STACKS. */
uint32_t threads_garbage(uintptr_t stack_pointer, struct image_span *garbage);
/* The process is about to be put to sleep, with settled threads. */
void threads_sleep(void);
/* In a process that was woken, with its memory tracked: the same as threads_settle for threads that slept with it. */
void threads_wake(void);

/* Answers of system calls. clone3 goes on outside the handler, `context` (ucontext_t) being changed for it: returns what its
 * rax must be. */
long threads_answer_clone3(const void *arguments, void *context);
/* By another thread. */
_Noreturn void threads_answer_exit(void);
long threads_answer_futex(const long argument[6]);
/* After each answer: who has woken others lets them run first. Else one that polls in MPI, and lets go of a lock only between one
 * poll and the next, would have it again before those who wait for it. */
void threads_give_way(void);

#endif
