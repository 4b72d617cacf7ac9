#include "models/mpi/preload/windows/shared_traps.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/buffers/pending_leftovers.h"
#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/guarded_stores.h"
#include "models/mpi/preload/process/instruction.h"
#include "models/mpi/preload/process/page_rights.h"
#include "models/mpi/preload/process/threads.h"
#include "models/mpi/preload/system_calls/system_call_reach.h"
#include "models/mpi/preload/system_calls/system_calls.h"
#include "models/mpi/preload/windows/shared_places.h"
#include "models/mpi/preload/windows/window_passive.h"
#include "models/mpi/preload/windows/window_sharing.h"
#include "models/mpi/preload/windows/window_unseen.h"

#include <cpuid.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>

/* ---- what is closed ---- */

static void clear_spans(void) {
    control->traps.spans = 0;
    control->traps.stores_listed = false;
    control->traps.stores_added = 0;
}

static void add_span(uintptr_t start, uintptr_t end) {
    struct shared_traps *traps = &control->traps;
    if (traps->spans == PLACES_MOST)
        step_end_refused("shared windows in which ranks synchronise in so many places are not supported");
    traps->span[traps->spans].start = start / PAGE_BYTES * PAGE_BYTES;
    traps->span[traps->spans++].end = (end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* Together with the last span, if it begins in that or right behind it. */
static void add_span_behind(uintptr_t start, uintptr_t end) {
    struct shared_traps *traps = &control->traps;
    const uint32_t last = traps->spans - 1;
    const uintptr_t behind = (end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    if (traps->spans == 0 || start < traps->span[last].start || start / PAGE_BYTES * PAGE_BYTES > traps->span[last].end)
        add_span(start, end);
    else if (traps->span[last].end < behind)
        traps->span[last].end = behind;
}

/* Closed to stores only, a page is not written before it faults: what the tracker knows of it stays right. */
static void close_span(uintptr_t start, uintptr_t end) {
    if (control->traps.guard == GUARD_STORES)
        image_restrict(&control->image, start, end, PROT_READ);
    else
        RAW3(SYS_mprotect, start, end - start, PROT_NONE);
}

/* Otherwise all of it may have been written, for all that a tracker knows. */
static void open_span(uintptr_t start, uintptr_t end) {
    if (control->traps.guard == GUARD_STORES) {
        image_unprotect(&control->image, start, end);
        page_rights_apply();
        return;
    }
    RAW3(SYS_mprotect, start, end - start, PROT_READ | PROT_WRITE);
    make_writable(start, end - start);
}

static void close_spans(void) {
    struct shared_traps *traps = &control->traps;
    for (uint32_t i = 0; i < traps->spans; i++)
        close_span(traps->span[i].start, traps->span[i].end);
    traps->closed = traps->spans > 0;
    traps->opened_pages = 0;
}

static bool is_closed(uintptr_t address) {
    const struct shared_traps *traps = &control->traps;
    uint32_t i = 0;
    while (i < traps->spans && (address < traps->span[i].start || address >= traps->span[i].end))
        i++;
    return traps->closed && i < traps->spans;
}

/* For one instruction, which accesses these bytes. There may be hundreds of other pages, which stay closed. */
static void open_pages(uintptr_t from, uintptr_t to) {
    struct shared_traps *traps = &control->traps;
    for (uintptr_t page = from / PAGE_BYTES * PAGE_BYTES; page < to; page += PAGE_BYTES) {
        if (!is_closed(page))
            continue;
        if (traps->opened_pages == OPENED_MOST)
            step_end_refused("an instruction that accesses so many pages is not supported");
        traps->opened_page[traps->opened_pages++] = page;
        open_span(page, page + PAGE_BYTES);
    }
}

static void close_pages(void) {
    struct shared_traps *traps = &control->traps;
    while (traps->opened_pages > 0) {
        const uintptr_t page = traps->opened_page[--traps->opened_pages];
        close_span(page, page + PAGE_BYTES);
    }
}

static void add_spans_of(const struct wire_place_of_window *place) {
    uintptr_t start, end;
    for (uint32_t next = 0; place->kind != PLACE_PLAIN && place_span(place, &next, &start, &end);)
        add_span(start, end);
}

static void tick_now_and_then(void) {
    enum { MICROSECONDS = 50000 }; /* of processor time */
    const struct itimerval timer = {.it_interval = {.tv_usec = MICROSECONDS}, .it_value = {.tv_usec = MICROSECONDS}};
    if (!control->traps.is_ticking)
        RAW3(SYS_setitimer, ITIMER_PROF, &timer, 0);
    control->traps.is_ticking = true;
}

void shared_traps_refuse_threads(void) {
    if (rank_core.places > 0)
        step_end_refused(
            "threads of a rank that synchronises with others by loads from a shared window and stores to it, or may do "
            "so, are not supported");
}

void shared_traps_close(void) {
    struct shared_traps *traps = &control->traps;
    if (threads_others())
        shared_traps_refuse_threads();
    tick_now_and_then();
    traps->program_runs = true;
    traps->runs++;
    if (rank_core.places == 0 || traps->closed)
        return;
    clear_spans();
    traps->repeated = (struct repeated_accesses){0};
    for (uint32_t i = 0; i < rank_core.places; i++)
        add_spans_of(&rank_core.place[i]);
    close_spans();
}

/* Nobody reads that: the step is done again in another way. */
static const char step_in_doubt[] = "a window that was not looked at may be touched";

/* `most`: accesses of the step beside it. */
static void begin_untouched(enum guard guard, uint32_t most) {
    struct shared_traps *traps = &control->traps;
    shared_traps_open();
    clear_spans();
    traps->unseens = 0;
    if (traps->guard != guard)
        traps->probes_left = most;
    traps->guard = guard;
}

void shared_traps_begin_unseen(void) {
    enum { ACCESSES_MOST = 1024 };
    begin_untouched(GUARD_UNSEEN, ACCESSES_MOST);
}

void shared_traps_begin_forgotten(void) {
    enum { ACCESSES_MOST = 512 };
    begin_untouched(GUARD_FORGOTTEN, ACCESSES_MOST);
}

void shared_traps_add_unseen(uintptr_t start, uintptr_t end) {
    struct shared_traps *traps = &control->traps;
    if (traps->unseens == UNSEEN_MOST)
        step_end_refused(step_in_doubt);
    traps->unseen[traps->unseens].start = start;
    traps->unseen[traps->unseens++].end = end;
    add_span_behind(start, end);
}

void shared_traps_close_unseen(void) { close_spans(); }

bool shared_traps_begin_stores(uint32_t beside) {
    struct shared_traps *traps = &control->traps;
    if (traps->guard != GUARD_STORES) {
        traps->probes_left = beside;
        clear_spans();
    }
    traps->guard = GUARD_STORES;
    return !traps->closed && traps->probes_left > 0;
}

void shared_traps_forget_stores(void) { clear_spans(); }

/* What there is no room for stays open. */
void shared_traps_add_stores(uintptr_t start, uintptr_t end) {
    if (control->traps.spans < PLACES_MOST)
        add_span_behind(start, end);
}

void shared_traps_close_stores(void) {
    if (control->traps.guard == GUARD_STORES)
        close_spans();
}

/* The library's own memory may be in the same pages: the handler must not look at any. */
static bool is_unseen(uintptr_t from, uintptr_t to) {
    const struct shared_traps *traps = &control->traps;
    uint32_t i = 0;
    while (i < traps->unseens && (to <= traps->unseen[i].start || from >= traps->unseen[i].end))
        i++;
    return i < traps->unseens;
}

static bool call_reaches_unseen(long number, const long argument[6]) {
    for (int i = 0; i < 6; i++) {
        const uintptr_t from = (uintptr_t)argument[i];
        const uint64_t bytes = system_call_reach(number, argument, i);
        if (is_unseen(from, bytes < UINTPTR_MAX - from ? from + bytes : UINTPTR_MAX))
            return true;
    }
    return false;
}

/* Near the address, it is not known what. */
static _Noreturn void end_in_doubt(uintptr_t address) {
    if (control->traps.guard == GUARD_FORGOTTEN)
        pending_leftovers_end(address);
    unseen_note_touched();
    step_end_refused(step_in_doubt);
}

/* Is it enough for this execution that these bytes, which must not be touched, are? */
static void touch(uintptr_t from, uintptr_t to) {
    if (control->traps.guard == GUARD_FORGOTTEN)
        pending_leftovers_end(from);
    if (!unseen_touch(from, to))
        step_end_refused(step_in_doubt);
}

static bool must_be_untouched(void) { return control->traps.guard == GUARD_UNSEEN || control->traps.guard == GUARD_FORGOTTEN; }

bool shared_traps_open_to_call(long number, const long argument[6]) {
    const struct shared_traps *traps = &control->traps;
    if (!traps->closed || traps->guard == GUARD_PLACES)
        return false;
    if (must_be_untouched() && call_reaches_unseen(number, argument))
        end_in_doubt(traps->unseen[0].start);
    shared_traps_open();
    return true;
}

void shared_traps_close_to_call(void) { close_spans(); }

/* Of a program that has run since the last tick, all shared windows are closed until it has accessed them so often. */
void shared_traps_tick(void) {
    enum { PROBES = 4096 };
    static const struct wire_place_of_window all = {.kind = PLACE_WATCHED};
    struct shared_traps *traps = &control->traps;
    bool is_long =
        traps->program_runs && traps->runs == traps->runs_before && !traps->closed && traps->stepping == 0 && !traps->armed;
    traps->runs_before = traps->runs;
    if (!is_long || !control->in_step || control->answering)
        return;
    clear_spans();
    traps->repeated = (struct repeated_accesses){0};
    traps->is_probing = true;
    traps->probes_left = PROBES;
    add_spans_of(&all);
    close_spans();
}

void shared_traps_open(void) {
    struct shared_traps *traps = &control->traps;
    traps->program_runs = false;
    if (!traps->closed)
        return;
    traps->closed = false;
    traps->opened_pages = 0;
    traps->is_probing = false;
    for (uint32_t i = 0; i < traps->spans; i++)
        open_span(traps->span[i].start, traps->span[i].end);
}

bool shared_traps_are_set(void) { return control != NULL && control->traps.program_runs; }

void shared_traps_end(void) {
    shared_traps_open();
    control->traps.guard = GUARD_PLACES;
    control->traps.armed = false;
    control->traps.stepping = 0;
}

/* ---- from the handler into the library ---- */

enum { RED_ZONE = 128, FLAG_TRAP = 1 << 8, FLAG_RESUME = 1 << 16, EXTENDED_BYTES = 2816 };
enum { STEPPING_PLAIN = 1, STEPPING_WHOLE };
/* x87, sse, avx, and the three parts of avx-512. */
enum { EXTENDED_PARTS = 0xe7, LEGACY_PARTS = 3, LEGACY_BYTES = 512, HEADER_BYTES = 64 };

/* What shared_traps_enter finds on the stack and gives back to the processor. */
struct trapped {
    gregset_t reg;
    uint64_t parts;
    uint64_t is_done;            /* the instruction has run */
    uint64_t address, size, how; /* struct shared_access */
    uint64_t padding[4];
    char extended[EXTENDED_BYTES] __attribute__((aligned(64))); /* as xrstor has it */
};
_Static_assert(offsetof(struct trapped, parts) == 184 && offsetof(struct trapped, extended) == 256 && REG_RSP == 15 &&
                   REG_RIP == 16 && REG_EFL == 17,
               "as shared_traps_enter.S has them");

void shared_traps_enter(void); /* shared_traps_enter.S */
/* On the program's stack. */
void shared_traps_run(const struct trapped *at);

static struct processor_part part_of(int number) {
    struct processor_part *part = &control->traps.part[number];
    uint32_t c, d;
    if (part->bytes == 0)
        __cpuid_count(0xd, number, part->bytes, part->offset, c, d);
    return *part;
}

static bool is_zero(const char *bytes, size_t size) {
    size_t i = 0;
    while (i < size && bytes[i] == 0)
        i++;
    return i == size;
}

/* Copies a part that is in use; zero is what it is initially. */
static void copy_part(struct trapped *at, const char *from, int number) {
    const struct processor_part part = part_of(number);
    uint64_t used;
    memcpy(&used, from + LEGACY_BYTES, sizeof used);
    if (!(used >> number & 1) || part.bytes == 0 || is_zero(from + part.offset, part.bytes))
        return;
    if (part.offset + part.bytes > EXTENDED_BYTES)
        step_end_refused("atomic operations on shared memory are not supported on this processor");
    memcpy(at->extended + part.offset, from + part.offset, part.bytes);
    at->parts |= 1u << number;
}

/* Registers of the floating point stack that are empty hold what was in them before. */
static void zero_empty_registers(char *legacy) {
    enum { TOP_AT = 3, TAGS_AT = 4, REGISTERS_AT = 32, REGISTER_BYTES = 16 };
    const unsigned char top = legacy[TOP_AT] >> 3 & 7, tags = (unsigned char)legacy[TAGS_AT];
    for (size_t i = 0; i < 8; i++) {
        if (!(tags >> ((top + i) & 7) & 1))
            memset(legacy + REGISTERS_AT + i * REGISTER_BYTES, 0, REGISTER_BYTES);
    }
}

/* The same bytes each time: where the last floating point instruction was is left out, and what is not in use. */
static void copy_extended(struct trapped *at, const char *from) {
    enum { USED_BYTES = 416, POINTERS_AT = 6, POINTERS_END = 24, MAGIC_AT = 464 };
    uint32_t magic;
    memcpy(&magic, from + MAGIC_AT, sizeof magic);
    memset(at->extended, 0, sizeof at->extended);
    memcpy(at->extended, from, USED_BYTES);
    memset(at->extended + POINTERS_AT, 0, POINTERS_END - POINTERS_AT);
    zero_empty_registers(at->extended);
    at->parts = LEGACY_PARTS;
    for (int i = 2; i < 8 && magic == FP_XSTATE_MAGIC1; i++) {
        if (EXTENDED_PARTS >> i & 1)
            copy_part(at, from, i);
    }
    memcpy(at->extended + LEGACY_BYTES, &at->parts, sizeof at->parts);
}

/* Has the program go on in the library, and then where it is. */
static void enter(ucontext_t *context, bool is_done, struct shared_access access) {
    greg_t *reg = context->uc_mcontext.gregs;
    shared_traps_open();
    uint64_t *back = (uint64_t *)(reg[REG_RSP] - RED_ZONE) - 1; /* where it returns from */
    struct trapped *at = (struct trapped *)(((uintptr_t)back - sizeof *at) / 64 * 64);
    memset(at, 0, (uintptr_t)back - (uintptr_t)at);
    *back = (uint64_t)reg[REG_RIP];
    memcpy(at->reg, reg, sizeof at->reg);
    at->reg[REG_ERR] = at->reg[REG_TRAPNO] = at->reg[REG_OLDMASK] = at->reg[REG_CR2] =
        0; /* of a trap that the program knows nothing of */
    at->reg[REG_EFL] &= ~(greg_t)(FLAG_TRAP | FLAG_RESUME);
    at->is_done = is_done;
    at->address = access.address;
    at->size = access.size;
    at->how = access.how;
    copy_extended(at, (const char *)context->uc_mcontext.fpregs);
    reg[REG_RSP] = (greg_t)at;
    reg[REG_RIP] = (greg_t)shared_traps_enter;
    reg[REG_EFL] &= ~(greg_t)FLAG_TRAP;
}

static void step_once(ucontext_t *context, uint8_t stepping) {
    const bool is_probing = control->traps.is_probing;
    shared_traps_open();
    control->traps.is_probing = is_probing;
    control->traps.stepping = stepping;
    context->uc_mcontext.gregs[REG_EFL] |= FLAG_TRAP;
}

/* ---- accesses ---- */

static uint64_t hash_of(const greg_t *reg, uintptr_t address) {
    uint64_t hash = 0xcbf29ce484222325u ^ address;
    for (int i = 0; i <= REG_RIP; i++)
        hash = (hash ^ (uint64_t)reg[i]) * 0x100000001b3u;
    return hash;
}

/* Does the program do nothing but these accesses again and again? If it is not so, that shows later (PLACE_PLAIN). */
static bool is_repeated(const greg_t *reg, uintptr_t address) {
    enum { OFTEN = 256 };
    struct repeated_accesses *repeated = &control->traps.repeated;
    const uint64_t now = hash_of(reg, address);
    bool often = false;
    for (uint32_t period = 1; period <= REPEATED_MOST; period++) {
        bool again = repeated->last[(repeated->count - period) % REPEATED_MOST] == now;
        repeated->times[period - 1] = again ? repeated->times[period - 1] + 1 : 0;
        often = often || repeated->times[period - 1] >= OFTEN;
    }
    repeated->last[repeated->count++ % REPEATED_MOST] = now;
    return often;
}

static void run_plain(ucontext_t *context, const struct shared_bytes *bytes, uintptr_t address, bool writes) {
    if (!writes && is_repeated(context->uc_mcontext.gregs, address))
        places_judge_conflict(bytes);
    if (!control->traps.is_probing)
        places_log(bytes, writes);
    step_once(context, STEPPING_PLAIN);
}

/* After one access: go on closed? */
static void close_again(void) {
    struct shared_traps *traps = &control->traps;
    if (traps->guard != GUARD_PLACES)
        close_pages();
    else if (!traps->is_probing || --traps->probes_left > 0)
        close_spans();
    else
        traps->is_probing = false;
    traps->program_runs = traps->guard == GUARD_PLACES;
}

/* Has the instruction run with nothing open but what it accesses. If it accesses more it is back here. */
static void step_beside(ucontext_t *context, uintptr_t address, uint32_t bytes) {
    open_pages(address, address + bytes);
    control->traps.stepping = STEPPING_PLAIN;
    context->uc_mcontext.gregs[REG_EFL] |= FLAG_TRAP;
}

/* What the instruction accesses at the address, and what it pushes, if it does. */
static bool touches_unseen(uintptr_t address, uint32_t bytes, uintptr_t stack_pointer) {
    return is_unseen(address, address + bytes) || is_unseen(stack_pointer - sizeof(uint64_t), stack_pointer);
}

/* `rep stos` would be back here for each element, and every call of MPI begins with one (EXPORT): what it stores to this page is
 * stored at once. False: it is none, or stores to what must not be touched. */
static bool fill_beside_unseen(ucontext_t *context, uintptr_t address) {
    enum { FLAG_BACKWARDS = 1 << 10 };
    greg_t *reg = context->uc_mcontext.gregs;
    const struct repeated_store store = instruction_stores_repeatedly((const uint8_t *)reg[REG_RIP]);
    const uintptr_t left = PAGE_BYTES - address % PAGE_BYTES;
    if (store.bytes == 0 || (reg[REG_EFL] & FLAG_BACKWARDS) || (uintptr_t)reg[REG_RDI] != address || left < store.bytes)
        return false;
    const uint64_t fit = left / store.bytes, times = (uint64_t)reg[REG_RCX] < fit ? (uint64_t)reg[REG_RCX] : fit;
    if (is_unseen(address, address + times * store.bytes))
        return false;
    open_pages(address, address + 1);
    for (uint64_t i = 0; i < times; i++)
        memcpy((char *)address + i * store.bytes, &reg[REG_RAX], store.bytes);
    close_pages();
    reg[REG_RDI] += (greg_t)(times * store.bytes);
    reg[REG_RCX] -= (greg_t)times;
    reg[REG_RIP] += reg[REG_RCX] == 0 ? store.length : 0;
    return true;
}

/* The register of that number in instructions. */
static greg_t *register_of(greg_t *reg, uint32_t number) {
    static const uint8_t at[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                 REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return &reg[at[number]];
}

/* Where it accesses memory, if that is the stack. */
static uintptr_t place_on_stack(const greg_t *reg, const struct simple_access *access) {
    const uintptr_t top = (uintptr_t)reg[REG_RSP];
    return access->kind == SIMPLE_PUSH || access->kind == SIMPLE_CALL ? top - access->bytes : top;
}

static bool is_of_stack(const struct simple_access *access) {
    return access->kind == SIMPLE_PUSH || access->kind == SIMPLE_POP || access->kind == SIMPLE_RETURN ||
           access->kind == SIMPLE_CALL;
}

/* Instead of the program, which goes on behind it. */
static void do_simple(greg_t *reg, const struct simple_access *access, uintptr_t address) {
    greg_t *moved = register_of(reg, access->number), word = 0;
    greg_t next = reg[REG_RIP] + access->length;
    reg[REG_RIP] = next;
    switch (access->kind) {
    case SIMPLE_LOAD:
        memcpy(&word, (const void *)address, access->bytes);
        if (access->bytes < sizeof(uint32_t))
            memcpy(moved, &word, access->bytes);
        else
            *moved = word;
        break;
    case SIMPLE_STORE:
    case SIMPLE_PUSH: memcpy((void *)address, moved, access->bytes); break;
    case SIMPLE_POP: memcpy(moved, (const void *)address, access->bytes); break;
    case SIMPLE_RETURN: memcpy(&reg[REG_RIP], (const void *)address, access->bytes); break;
    case SIMPLE_CALL:
        memcpy((void *)address, &next, access->bytes);
        reg[REG_RIP] += access->distance;
        break;
    case SIMPLE_NONE: break;
    }
    if (is_of_stack(access))
        reg[REG_RSP] += access->kind == SIMPLE_POP || access->kind == SIMPLE_RETURN ? access->bytes : -(greg_t)access->bytes;
}

/* One more access beside what must not be touched. False: there have been too many. Messages are received so often that the time
 * counts which it takes: a trap as much as several faults. */
static bool may_pass(bool by_trap) {
    enum { AS_MANY_FAULTS = 16 };
    struct shared_traps *traps = &control->traps;
    const uint32_t as_many = by_trap && traps->guard == GUARD_FORGOTTEN ? AS_MANY_FAULTS : 1;
    if (traps->probes_left < as_many)
        return false;
    traps->probes_left -= as_many;
    return true;
}

/* An instruction that moves one register, from or to bytes that lie in one page with the fault and may be touched, and what a function
 * pops behind it when it returns. False: it is no such instruction. */
static bool move_beside_unseen(ucontext_t *context, uintptr_t address) {
    greg_t *reg = context->uc_mcontext.gregs;
    const uintptr_t page = address / PAGE_BYTES * PAGE_BYTES;
    struct simple_access access = instruction_simple((const uint8_t *)reg[REG_RIP]);
    if (access.kind == SIMPLE_NONE || address == page || (is_of_stack(&access) && address != place_on_stack(reg, &access)) ||
        !may_pass(false))
        return false;
    bool any = false, goes_on = true;
    open_pages(page, page + 1);
    while (goes_on && address >= page && address + access.bytes <= page + PAGE_BYTES &&
           !is_unseen(address, address + access.bytes)) {
        do_simple(reg, &access, address);
        goes_on = access.kind == SIMPLE_POP;
        access = goes_on ? instruction_simple((const uint8_t *)reg[REG_RIP]) : access;
        goes_on = goes_on && (access.kind == SIMPLE_POP || access.kind == SIMPLE_RETURN);
        address = (uintptr_t)reg[REG_RSP];
        any = true;
    }
    close_pages();
    return any;
}

/* Does a call of MPI begin there which opens what is closed? Then its frame is all that is accessed until it does that, and each
 * such access would fault. The program's stack may be read only where it is known to be none of what must not be touched. */
static bool begins_call(const greg_t *reg) {
    const uintptr_t at = (uintptr_t)reg[REG_RIP], stack = (uintptr_t)reg[REG_RSP];
    uint64_t site;
    if (at < (uintptr_t)entries_begin || at >= (uintptr_t)entries_end || is_unseen(stack - ZEROED_BELOW, stack + sizeof site))
        return false;
    open_pages(stack, stack + sizeof site);
    memcpy(&site, (const void *)stack, sizeof site);
    close_pages();
    return !call_site_is_mpich(site);
}

/* An access in a page that has memory which must not be touched. */
static void pass_beside_unseen(ucontext_t *context, uintptr_t address) {
    const uint8_t *code = (const uint8_t *)context->uc_mcontext.gregs[REG_RIP];
    const bool is_other = !control->answering && control->traps.stepping == 0;
    if (is_other && begins_call(context->uc_mcontext.gregs)) {
        shared_traps_open();
        return;
    }
    if (is_other && (fill_beside_unseen(context, address) || move_beside_unseen(context, address)))
        return;
    const uint32_t bytes = instruction_access(code).bytes;
    const bool is_known = !control->answering && bytes > 0 && !instruction_accesses_several(code) && may_pass(true);
    if (!is_known)
        end_in_doubt(address);
    if (touches_unseen(address, bytes, (uintptr_t)context->uc_mcontext.gregs[REG_RSP]))
        touch(address, address + bytes);
    step_beside(context, address, bytes);
}

/* A store in a page that has memory which is closed to stores. Of some instructions it is not known to which bytes: they pass. */
static void pass_beside_stores(ucontext_t *context, uintptr_t address) {
    const uint8_t *code = (const uint8_t *)context->uc_mcontext.gregs[REG_RIP];
    if (control->traps.probes_left == 0 || --control->traps.probes_left == 0) {
        shared_traps_open();
        return;
    }
    /* What begins in the page before has some of its bytes there. */
    const uint32_t bytes = address % PAGE_BYTES == 0 ? 1 : instruction_stores(code);
    if (bytes > 0)
        guarded_stores_check(address, address + bytes, context);
    step_beside(context, address, bytes > 0 ? bytes : 1);
}

bool shared_traps_fault(uintptr_t address, void *of_signal) {
    enum { WRITES = 2 };
    ucontext_t *context = of_signal;
    const greg_t *reg = context->uc_mcontext.gregs;
    struct shared_bytes bytes;
    if (!control->in_step || !is_closed(address))
        return false;
    if (must_be_untouched()) {
        pass_beside_unseen(context, address);
        return true;
    }
    if (control->traps.guard == GUARD_STORES) {
        pass_beside_stores(context, address);
        return true;
    }
    if (control->answering)
        step_end_refused(
            "a system call on memory of a shared window in which ranks synchronise by loads and stores is not supported");
    if (control->traps.armed) {
        control->traps.armed = false;
        step_once(context, STEPPING_WHOLE);
        return true;
    }
    const struct memory_access access = instruction_access((const uint8_t *)reg[REG_RIP]);
    const bool writes = access.modifies || (reg[REG_ERR] & WRITES);
    const enum shared_how how = !writes ? SHARED_LOADS : access.modifies && !access.atomic ? SHARED_MODIFIES : SHARED_WRITES;
    if (!shared_bytes_at(address, access.bytes, &bytes)) {
        step_once(context, STEPPING_PLAIN); /* between two segments */
        return true;
    }
    if (access.bytes == 0)
        step_end_refused(
            "an instruction that is not known accesses a shared window in which ranks synchronise by loads and stores");
    if (access.atomic && !places_hold(&bytes, PLACES_OF(PLACE_ATOMIC)))
        places_want(&bytes, PLACE_ATOMIC);
    if (places_hold(&bytes, PLACES_SYNCHRONISING))
        enter(context, false, (struct shared_access){address, access.bytes, how});
    else
        run_plain(context, &bytes, address, writes);
    return true;
}

bool shared_traps_stepped(void *of_signal) {
    ucontext_t *context = of_signal;
    const uint8_t stepping = control->traps.stepping;
    if (stepping == 0)
        return false;
    control->traps.stepping = 0;
    context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)FLAG_TRAP;
    if (stepping == STEPPING_PLAIN)
        close_again();
    else
        enter(context, true, control->traps.access);
    return true;
}

void shared_traps_run(const struct trapped *at) {
    const struct caller caller = {FUNCTION_none, (uint64_t)at->reg[REG_RIP] + !at->is_done};
    struct shared_bytes bytes;
    caller_current = caller;
    caller_stack = (uintptr_t)at;
    shared_bytes_at(at->address, at->size, &bytes);
    if (at->is_done) {
        passive_end_access(&caller, &bytes, (enum shared_how)at->how);
        sharing_go_on();
    } else {
        passive_begin_access(&caller, &bytes, (enum shared_how)at->how);
        control->traps.access = (struct shared_access){at->address, at->size, (uint32_t)at->how};
        control->traps.armed = true;
        shared_traps_close();
    }
}
