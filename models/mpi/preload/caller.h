/* How every MPI function of the library begins.
 *
 *     EXPORT(Send)
 *     int MPI_Send(const void *buffer, int count, ...)
 *     {
 *         ENTER(Send, buffer, count, ...);
 *
 * EXPORT makes MPI_Send and PMPI_Send two names of one function. ENTER forwards calls that libmpich makes itself, ends the rank if
 * MPI is not initialised or already finalised, and defines `caller`. */
#ifndef MODELS_MPI_PRELOAD_CALLER_H
#define MODELS_MPI_PRELOAD_CALLER_H

#include "models/mpi/preload/call_site.h"
#include "models/mpi/preload/real.h"

/* Which MPI function the program called, and from where. */
struct caller {
    uint16_t function; /* enum mpi_function */
    uint64_t site;     /* return address in the program */
};

/* The names that the program sees are a few instructions that zero the stack below the call and go on in the C function. What
 * earlier calls have left there would otherwise show through the holes of the C function's frame, which is part of the local
 * state while the rank is blocked, and states that differ in nothing else would not be one. */
#define ZEROED_BELOW 4096
#define STARTING(name, section, opens)                                                                      \
    enum { MPI_##name##_opens = (opens) };                                                                  \
    __typeof__(MPI_##name) MPI_##name __asm__("modelled_MPI_" #name) __attribute__((visibility("hidden"))); \
    __asm__(".pushsection " section ",\"ax\",@progbits\n"                                                   \
            ".globl MPI_" #name ", PMPI_" #name "\n"                                                        \
            ".type MPI_" #name ", @function\n"                                                              \
            ".type PMPI_" #name ", @function\n"                                                             \
            "MPI_" #name ":\n"                                                                              \
            "PMPI_" #name ":\n"                                                                             \
            "\tmovq %rdi, %r10\n"                                                                           \
            "\tmovq %rcx, %r11\n"                                                                           \
            "\tleaq -4096(%rsp), %rdi\n"                                                                    \
            "\tmovl $512, %ecx\n"                                                                           \
            "\txorl %eax, %eax\n"                                                                           \
            "\trep stosq\n"                                                                                 \
            "\tmovq %r10, %rdi\n"                                                                           \
            "\tmovq %r11, %rcx\n"                                                                           \
            "\tjmp modelled_MPI_" #name "\n"                                                                \
            ".popsection\n");

/* Where these instructions are is known, so that what is closed to the program is opened by them already (shared_traps.c), if
 * ENTER would do that, and has it closed again. */
#define EXPORT(name) STARTING(name, "mpi_entries", 1)
extern const char entries_begin[] __asm__("__start_mpi_entries") __attribute__((visibility("hidden")));
extern const char entries_end[] __asm__("__stop_mpi_entries") __attribute__((visibility("hidden")));
/* Of functions with another ENTER_... */
#define EXPORT_ANYTIME(name) STARTING(name, ".text", 0)

#define CALLED(name, opens, ...)                                                                    \
    _Static_assert(MPI_##name##_opens == (opens), "EXPORT and ENTER, or both of the other kind");   \
    const uint64_t return_address = (uint64_t)__builtin_return_address(0);                          \
    if (call_site_is_mpich(return_address))                                                         \
        return REAL(name)(__VA_ARGS__);                                                             \
    const struct caller caller_value = {FUNCTION_MPI_##name, call_site_in_program(return_address)}; \
    const struct caller *const caller __attribute__((unused)) = &caller_value

#define ENTER(name, ...)                                                                        \
    CALLED(name, 1, __VA_ARGS__);                                                               \
    caller_stack = caller_frame = (uintptr_t)__builtin_frame_address(0);                        \
    const struct caller *const leaving __attribute__((unused, cleanup(caller_leave))) = caller; \
    caller_enter(caller)

/* As ENTER, for functions that may be called at any time. */
#define ENTER_ANYTIME(name, ...) CALLED(name, 0, __VA_ARGS__)

/* As ENTER, for functions that any thread may call, whatever the others do. */
#define ENTER_ANY_THREAD(name, ...)   \
    ENTER_ANYTIME(name, __VA_ARGS__); \
    caller_require_initialised(caller)

/* Returns only between MPI_Init and MPI_Finalize. */
void caller_require_initialised(const struct caller *caller);
/* ... and in a thread that may call MPI now (thread_calls.h); sets caller_current. */
void caller_require_active(const struct caller *caller);
/* The same; the thread is in the call until caller_leave. */
void caller_enter(const struct caller *caller);

/* The program goes on: what it must not touch is closed to it, as it was before. */
void caller_close(void);

/* The call is over: the program goes on. */
void caller_leave(const struct caller *const *leaving);

/* The call that the program is in, for what cannot be given it: MPICH's error handlers, and what makes objects. */
extern struct caller caller_current;
/* Above it is the program's stack, below it the library's. */
extern uintptr_t caller_stack;
/* The frame of the function that the program has called; 0: it is in none, or in one that may be called at any time. */
extern uintptr_t caller_frame;
/* That function is going to return this, whatever it says; without effect where the program is in none. */
void caller_return(int code);
/* Is the program in that call still, with this end of the stack? */
bool caller_is_below(uintptr_t stack);

#endif
