/* Signals inside a rank: a fault may be the dirty tracker's, any other ends the step as a crash. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/page_rights.h"
#include "models/mpi/preload/system_calls/own_signals.h"
#include "models/mpi/preload/system_calls/system_calls.h"
#include "models/mpi/preload/windows/shared_traps.h"

#include "ckpt/raw_syscall.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

/* A stray access this far above the arena's last block reads zeros, whatever this executor has opened for other states before. */
enum { ARENA_SLACK = 64 << 20 };

/* The arena's pages that this local state uses may not be open in this executor yet, if they were never written. */
static bool open_arena(uintptr_t address) {
    struct arena_bounds arena = arena_bounds();
    arena.pages_used += ARENA_SLACK;
    bool used = (address >= arena.descriptors && address < arena.descriptors_used) ||
                (address >= arena.pages && address < arena.pages_used);
    if (!used || image_is_open(&control->image, address))
        return false;
    image_open(&control->image, address);
    return true;
}

void report_stack(const void *stopped) {
    static const int numbers[WIRE_REGISTERS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                                REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    const greg_t *reg = ((const ucontext_t *)stopped)->uc_mcontext.gregs;
    const struct image *image = &control->image;
    uintptr_t at = (uintptr_t)reg[REG_RSP];
    size_t size = at >= image->stack_low && at < image->stack_high ? image->stack_high - at : 0;
    size = size < WIRE_STACK_MOST ? size : WIRE_STACK_MOST;
    struct wire_stack *stack = report_add(WIRE_STACK, sizeof *stack + size);
    *stack = (struct wire_stack){.address = size ? at : 0, .size = size};
    for (int i = 0; i < WIRE_REGISTERS; i++)
        stack->value[i] = (uint64_t)reg[numbers[i]];
    memcpy(stack + 1, (const void *)at, size);
}

/* The processor's cycle counter is closed: rdtsc and rdtscp fault and get the logical clock, at 1 GHz. */
static bool read_cycle_counter(ucontext_t *context) {
    greg_t *reg = context->uc_mcontext.gregs;
    const unsigned char *code = (const unsigned char *)reg[REG_RIP];
    bool plain = code[0] == 0x0f && code[1] == 0x31, with_processor = code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9;
    if (!plain && !with_processor)
        return false;
    uint64_t cycles = clock_read() * 1000;
    reg[REG_RAX] = (greg_t)(cycles & UINT32_MAX);
    reg[REG_RDX] = (greg_t)(cycles >> 32);
    if (with_processor)
        reg[REG_RCX] = 0;
    reg[REG_RIP] += plain ? 2 : 3;
    return true;
}

/* A handler that is not that of UCX, which MPICH brings: it reports the crash. */
static bool program_handles_faults(void) {
    const void *handler = (const void *)rank_core.signals.action[SIGSEGV].handler;
    Dl_info module;
    return own_signals_fate(SIGSEGV) == SIGNAL_HANDLED &&
           !(dladdr(handler, &module) && module.dli_fname && strstr(module.dli_fname, "/libucs"));
}

/* A write to a page that the image watches, or an access to one that is not open in this executor yet. */
static bool is_ours(uintptr_t address, const ucontext_t *context) {
    enum { FAULT_WRITES = 2 }; /* in the processor's error code */
    if (control->in_step && page_rights_forbid(address, context->uc_mcontext.gregs[REG_ERR] & FAULT_WRITES)) {
        if (!control->answering && program_handles_faults())
            refuse_call("handles faults at memory that it has forbidden itself to access");
        return false;
    }
    if (!image_fault(&control->image, address) && !open_arena(address))
        return false;
    if (control->in_step)
        page_rights_apply();
    return true;
}

/* MPI itself uses a null pointer that it was given: the mistake is in the call. */
static void end_for_null_argument(const siginfo_t *info, const ucontext_t *context) {
    enum { NULL_PAGE = 4096 };
    const greg_t *reg = context->uc_mcontext.gregs;
    if (info->si_signo == SIGSEGV && info->si_code == SEGV_MAPERR && (uintptr_t)info->si_addr < NULL_PAGE &&
        call_site_is_mpich((uint64_t)reg[REG_RIP]) && caller_is_below((uintptr_t)reg[REG_RSP]))
        rank_violation("invalid-argument", caller_current.function, caller_current.site, "%s was called with a null pointer",
                       function_name(caller_current.function));
}

static void on_signal(int signal, siginfo_t *info, void *context) {
    uintptr_t address = (uintptr_t)info->si_addr;
    if (signal == SIGPROF) {
        shared_traps_tick();
        return;
    }
    if ((signal == SIGSEGV && shared_traps_fault(address, context)) || (signal == SIGTRAP && shared_traps_stepped(context)))
        return;
    if (signal == SIGSEGV && is_ours(address, context))
        return;
    if (signal == SIGSEGV && info->si_code == SI_KERNEL && control->in_step && read_cycle_counter(context))
        return;
    if (!control->in_step)
        RAW1(SYS_exit_group, 3); /* our own mistake, or the program's in our memory: the explorer replaces us */
    if (control->answering && (signal == SIGSEGV || signal == SIGBUS))
        __builtin_longjmp(control->bad_address, 1);
    end_for_null_argument(info, context);
    const ucontext_t *at = context;
    if (!control->stopped) /* else in a system call that we answer: the program stands there */
        control->stopped = at;
    struct wire_end end = {.kind = WIRE_CRASH, .code = signal, .site = (uint64_t)at->uc_mcontext.gregs[REG_RIP] + 1};
    char text[160] = "";
    if (arena_refused())
        snprintf(text, sizeof text, "after an allocation of %zu bytes had failed (with this --memory a rank can have %llu MB)",
                 arena_refused(), (unsigned long long)(arena_most() >> 20));
    step_end(&end, text);
}

void crash_handlers_install(void) {
    stack_t stack = {.ss_sp = control->signal_stack, .ss_size = sizeof control->signal_stack};
    sigaltstack(&stack, NULL);
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGPROF};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}
