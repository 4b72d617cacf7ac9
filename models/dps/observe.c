#include "models/dps/observe.h"

#include "models/dps/members.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { PAGE = 4096, SIGNAL_STACK = 1 << 16, TRAP_FLAG = 1 << 8, FAULT_BY_WRITE = 2 };

/* Memory of one member. */
struct range {
    uintptr_t from, to;
    unsigned member;
};

/* What the handlers use is on pages of its own, as they must not fault. */
static struct {
    _Alignas(PAGE) struct range *range;
    size_t ranges, range_room;
    uintptr_t *page;
    size_t pages, page_room;
    uint8_t *seen; /* of each member */
    size_t members;
    enum observed *told; /* where that goes in the end */
    bool stepping;
    void *stack;
    stack_t earlier_stack;
    struct sigaction earlier_fault, earlier_trap;
} watch;
_Static_assert(sizeof watch % PAGE == 0, "nothing else is on its last page");

static void *map(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* `items` with room for one more of `bytes` each, or NULL. */
static void *map_room(void *items, size_t count, size_t *room, size_t bytes) {
    if (count < *room)
        return items;
    size_t wanted = *room ? *room * 2 : PAGE / bytes;
    void *more = map(wanted * bytes);
    if (!more)
        return NULL;
    if (items) {
        memcpy(more, items, count * bytes);
        munmap(items, *room * bytes);
    }
    *room = wanted;
    return more;
}

/* ---- what is to be observed ---- */

static bool add_page(uintptr_t page) {
    for (size_t i = 0; i < watch.pages; i++)
        if (watch.page[i] == page)
            return true;
    uintptr_t *room = map_room(watch.page, watch.pages, &watch.page_room, sizeof *room);
    if (!room)
        return false;
    watch.page = room;
    watch.page[watch.pages++] = page;
    return true;
}

static bool add_range(const void *at, size_t size, unsigned member) {
    uintptr_t from = (uintptr_t)at;
    if (size == 0)
        return true;
    struct range *room = map_room(watch.range, watch.ranges, &watch.range_room, sizeof *room);
    if (!room)
        return false;
    watch.range = room;
    watch.range[watch.ranges++] = (struct range){from, from + size, member};
    for (uintptr_t page = from / PAGE * PAGE; page < from + size; page += PAGE)
        if (!add_page(page))
            return false;
    return true;
}

static bool add_object(const struct dps_type *type, const void *object, const unsigned *member);

/* The member itself, and what it points to. */
static bool add_member(const struct dps_member *member, const void *object, unsigned number) {
    const unsigned char *place = (const unsigned char *)object;
    struct elements elements = member_elements(member, object);
    size_t bytes = elements.count * elements.size;
    bool added = add_range(place + member->offset, member_varies(member) ? sizeof(void *) : bytes, number);
    if (member->shape == DPS_POINTED)
        added = added && add_range(place + member->count_offset, sizeof(uint32_t), number);
    if (member_varies(member))
        added = added && add_range(elements.at, bytes, number);
    for (size_t i = 0; member->element == DPS_OBJECT && i < elements.count; i++)
        added = added && add_object(member->type, elements.at + i * elements.size, &number);
    return added;
}

/* `member`: the one that all of it belongs to; NULL: each of its own. */
static bool add_object(const struct dps_type *type, const void *object, const unsigned *member) {
    for (unsigned i = 0; i < type->members; i++)
        if (!add_member(&type->member[i], object, member ? *member : i))
            return false;
    return true;
}

/* ---- noting accesses ---- */

static void protect_all(int protection) {
    for (size_t i = 0; i < watch.pages; i++)
        mprotect((void *)watch.page[i], PAGE, protection);
}

/* Of an opcode behind 0x0f. */
static unsigned width_of_second(unsigned char code, bool scalar) {
    static const unsigned char one_byte[] = {0xb6, 0xbe}, two_bytes[] = {0xb7, 0xbf}, /* widening moves */
        one_number[] = {0x10, 0x11, 0x2a, 0x2c, 0x2d, 0x51, 0x58, 0x59, 0x5a, 0x5c, 0x5d, 0x5e, 0x5f};
    if (memchr(one_byte, code, sizeof one_byte))
        return 1;
    if (memchr(two_bytes, code, sizeof two_bytes))
        return 2;
    return scalar && memchr(one_number, code, sizeof one_number) ? 8 : 16;
}

/* How many bytes the instruction may concern: if in doubt more. */
static unsigned width_of(const unsigned char *code) {
    enum { LEGACY_PREFIXES = 11, VEX2 = 0xc5, VEX3 = 0xc4, EVEX = 0x62, TWO_BYTES = 0x0f, FLOATING = 0xd8 };
    static const unsigned char legacy[LEGACY_PREFIXES] = {0x66, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0x67, 0xf0};
    bool scalar = false;
    for (; memchr(legacy, *code, LEGACY_PREFIXES); code++)
        scalar |= *code == 0xf2 || *code == 0xf3;
    bool quad = (*code & 0xf8) == 0x48;
    if ((*code & 0xf0) == 0x40)
        code++;
    if (*code == VEX2 || *code == VEX3)
        return 32;
    if (*code == EVEX)
        return 64;
    if (*code == TWO_BYTES)
        return width_of_second(code[1], scalar);
    if ((*code & 0xf8) == FLOATING)
        return 10;
    return *code % 2 == 0 ? 1 : quad ? 8 : 4; /* even ones are about bytes */
}

static void note(uintptr_t address, unsigned width, bool writes) {
    uint8_t seen = writes ? OBSERVED_WRITTEN : OBSERVED_READ;
    for (size_t i = 0; i < watch.ranges; i++) {
        const struct range *range = &watch.range[i];
        if (address < range->to && range->from < address + width && watch.seen[range->member] < seen)
            watch.seen[range->member] = seen;
    }
}

static bool is_watched(uintptr_t page) {
    for (size_t i = 0; i < watch.pages; i++)
        if (watch.page[i] == page)
            return true;
    return false;
}

static void on_fault(int number, siginfo_t *information, void *context) {
    (void)number;
    uintptr_t address = (uintptr_t)information->si_addr, page = address / PAGE * PAGE;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    if (!is_watched(page)) {
        sigaction(SIGSEGV, &watch.earlier_fault, NULL); /* an error of the program, which shows again */
        return;
    }
    note(address, width_of((const unsigned char *)registers[REG_RIP]), registers[REG_ERR] & FAULT_BY_WRITE);
    mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
    watch.stepping = true;
    registers[REG_EFL] |= TRAP_FLAG;
}

static void on_trap(int number, siginfo_t *information, void *context) {
    (void)number, (void)information;
    if (!watch.stepping) {
        sigaction(SIGTRAP, &watch.earlier_trap, NULL);
        raise(SIGTRAP);
        return;
    }
    watch.stepping = false;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    protect_all(PROT_NONE);
}

/* ---- from here to there ---- */

static bool prepare(const struct dps_type *type, const void *object, enum observed *seen) {
    watch.ranges = watch.pages = 0;
    watch.stepping = false;
    watch.members = type->members;
    watch.told = seen;
    watch.stack = map(SIGNAL_STACK);
    watch.seen = map(watch.members);
    return watch.stack && watch.seen && add_object(type, object, NULL);
}

static void release(void) {
    if (watch.stack)
        munmap(watch.stack, SIGNAL_STACK);
    if (watch.seen)
        munmap(watch.seen, watch.members);
    watch.stack = watch.seen = NULL;
}

bool observe_begin(const struct dps_type *type, void *object, enum observed *seen) {
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK},
                     trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (!prepare(type, object, seen)) {
        release();
        return false;
    }
    const stack_t stack = {.ss_sp = watch.stack, .ss_size = SIGNAL_STACK};
    sigaltstack(&stack, &watch.earlier_stack);
    sigaction(SIGSEGV, &fault, &watch.earlier_fault);
    sigaction(SIGTRAP, &trap, &watch.earlier_trap);
    protect_all(PROT_NONE);
    return true;
}

void observe_end(void) {
    protect_all(PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &watch.earlier_fault, NULL);
    sigaction(SIGTRAP, &watch.earlier_trap, NULL);
    sigaltstack(&watch.earlier_stack, NULL);
    for (size_t i = 0; i < watch.members; i++)
        if (watch.told[i] < watch.seen[i])
            watch.told[i] = watch.seen[i];
    release();
}
