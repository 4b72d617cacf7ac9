/* How system calls of the application are answered. Answers run on the signal stack, outside the local state, and must call
 * nothing of libc that keeps state or makes system calls; malloc, which is the allocator of this library, may be used. */
#ifndef MODELS_MPI_PRELOAD_SYSTEM_CALLS_H
#define MODELS_MPI_PRELOAD_SYSTEM_CALLS_H

#include <stddef.h>
#include <stdint.h>

/* The result as the kernel would return it: negative errno values for errors. */
typedef long (*system_call_answer)(const long argument[6]);

struct system_call {
    uint16_t number;
    system_call_answer answer;
};

/* The calls on files, about signals, that wait for time or a signal, and about the process, of the .c files of these names
 * (attribute_calls: process_attributes.c). */
extern const struct system_call descriptor_calls[], open_calls[], name_calls[], rename_calls[], signal_calls[], waiting_calls[],
    attribute_calls[];
extern const size_t descriptor_calls_count, open_calls_count, name_calls_count, rename_calls_count, signal_calls_count,
    waiting_calls_count, attribute_calls_count;

/* Ends the step: "the program <what> after MPI_Init, which is not supported". */
_Noreturn void refuse_call(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What a call gives after which signals may be due: with their handlers, or the end of the rank (signal_calls.c). */
long answer_with_signals(long result);
/* What getpid says. */
long own_process_number(void);
/* The kernel is about to write into the application's memory there. */
void make_writable(uintptr_t start, size_t size);
/* The rank's fixed sequence of random bytes goes on. */
void fixed_random(void *bytes, size_t size);

#endif
