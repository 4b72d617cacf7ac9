#include "models/mpi/preload/process/foreign_bytes.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/process/control.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* In the mapping that control->foreign describes, one for each put: the header, the bytes that were there, those put there, and
 * room to read them into. Mostly what is put last is taken out first, or many are taken out in a row, either way. */
struct put {
    uint32_t number;
    uint32_t over;   /* taken out */
    uint64_t size;   /* of the bytes, padded to 8 */
    uint64_t before; /* where the header before this is; NOWHERE: none */
};
#define NOWHERE UINT64_MAX

static char *bytes_of(struct put *put) { return (char *)(put + 1); }

static void grow(uint64_t bytes) {
    struct foreign_bytes *foreign = &control->foreign;
    if (bytes <= foreign->room)
        return;
    uint64_t room = (bytes * 2 + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    long at = foreign->room == 0 ? RAW6(SYS_mmap, 0, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                 : RAW4(SYS_mremap, foreign->memory, foreign->room, room, MREMAP_MAYMOVE);
    if (at < 0 && at > -4096)
        step_end_refused("there is no memory to keep what pending receives hold");
    foreign->memory = (char *)at;
    foreign->room = room;
}

static uint64_t bytes_for(uint64_t padded) { return sizeof(struct put) + 3 * padded; }

static struct put *add(uint32_t number, size_t size) {
    struct foreign_bytes *foreign = &control->foreign;
    uint64_t padded = (size + 7) / 8 * 8, at = foreign->used;
    foreign->used += bytes_for(padded);
    grow(foreign->used);
    struct put *put = (struct put *)(foreign->memory + at);
    *put = (struct put){.number = number, .size = padded, .before = foreign->last};
    foreign->last = at;
    return put;
}

static struct put *put_at(uint64_t at) { return at == NOWHERE ? NULL : (struct put *)(control->foreign.memory + at); }

static bool is_of(const struct put *put, uint32_t number) { return put->number == number && !put->over; }

static struct put *put_behind(const struct put *put) {
    const uint64_t at = (uint64_t)((const char *)put - control->foreign.memory) + bytes_for(put->size);
    return at < control->foreign.used ? put_at(at) : NULL;
}

/* Beside what was taken out last, if not anywhere. */
static struct put *find(uint32_t number) {
    const struct put *last = put_at(control->foreign.taken_out);
    struct put *beside[] = {last == NULL ? NULL : put_behind(last), last == NULL ? NULL : put_at(last->before)};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        if (beside[i] != NULL && is_of(beside[i], number))
            return beside[i];
    }
    struct put *put = put_at(control->foreign.last);
    while (put != NULL && !is_of(put, number))
        put = put_at(put->before);
    return put;
}

/* The room of what was taken out is used again, from the end on. */
static void forget_over(void) {
    struct foreign_bytes *foreign = &control->foreign;
    for (struct put *put; (put = put_at(foreign->last)) != NULL && put->over;) {
        foreign->used = foreign->last;
        foreign->last = put->before;
    }
    if (foreign->taken_out >= foreign->used)
        foreign->taken_out = NOWHERE;
}

static bool are_zero(const char *bytes, size_t size) {
    size_t i = 0;
    while (i < size && bytes[i] == 0)
        i++;
    return i == size;
}

static void complement(char *foreign, const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        foreign[i] = (char)~bytes[i];
}

static void make_far(char *foreign, const char *bytes, uintptr_t at, size_t size) {
    enum { LARGE = 0x7e, SIGN = 0x80, ODD = 1 };
    for (size_t i = 0; i < size; i++)
        foreign[i] = (char)((bytes[i] & SIGN ? LARGE : LARGE | SIGN) | ((at + i) % 2 == 0 ? ODD : 0));
}

/* `at`: where the first byte is. */
static void make_foreign(char *foreign, const char *bytes, uintptr_t at, size_t size) {
    if (control->foreign.of_unseen)
        complement(foreign, bytes, size);
    else if (control->foreign.variant == 1)
        make_far(foreign, bytes, at, size);
    else
        memset(foreign, are_zero(bytes, size) ? 0x7e : 0, size);
}

bool foreign_bytes_may_be_put(const struct footprint *buffer) {
    bool all = true;
    for (uint32_t i = 0; i < buffer->combs; i++) {
        const struct comb *comb = footprint_comb(buffer, i);
        uintptr_t first = (uintptr_t)comb->at, last = first + (comb->pieces - 1) * (uintptr_t)comb->distance;
        all = all && image_index(&control->image, first) != BLOCK_NONE &&
              image_index(&control->image, last + comb->size - 1) != BLOCK_NONE;
    }
    return all;
}

static void put(uint32_t number, const struct footprint *buffer, const struct caller *maker, int rank) {
    struct foreign_bytes *foreign = &control->foreign;
    if (!foreign_bytes_may_be_put(buffer))
        return;
    const bool of_unseen = number >= FOREIGN_UNSEEN && number < FOREIGN_EXPOSED;
    uint32_t count = of_unseen ? ++foreign->unseen : ++foreign->puts;
    if (foreign->variant == 0 || (!of_unseen && foreign->variant == CLOSED_VARIANT) || of_unseen != foreign->of_unseen ||
        (foreign->most != 0 && count > foreign->most) || (of_unseen && foreign->variant == UNSEEN_TOUCHES))
        return;
    foreign->function = maker->function;
    foreign->site = maker->site;
    foreign->rank = rank;
    foreign->in_window = number >= FOREIGN_IN_WINDOW;
    struct put *put = add(number, footprint_bytes(buffer));
    char *before = bytes_of(put), *instead = before + put->size;
    memset(before, 0, put->size);
    footprint_read(buffer, before);
    make_foreign(instead, before, (uintptr_t)buffer->first.at, footprint_bytes(buffer));
    footprint_write(buffer, instead);
}

static bool take_out(uint32_t number, const struct footprint *buffer) {
    struct put *put = find(number);
    if (put == NULL)
        return true;
    put->over = 1;
    control->foreign.taken_out = (uint64_t)((char *)put - control->foreign.memory);
    char *before = bytes_of(put), *instead = before + put->size, *now = instead + put->size;
    footprint_read(buffer, now);
    footprint_write(buffer, before);
    const bool intact = memcmp(now, instead, footprint_bytes(buffer)) == 0;
    forget_over();
    return intact;
}

void foreign_bytes_return(void) { step_resume(control->foreign.errand.stack_pointer); }

/* Variants differ in nothing else: not in what calls leave below the program's stack, nor in registers. So all of it is done on
 * the control stack, in every variant. */
static void put_aside(void) {
    put(control->foreign.errand.number, control->foreign.errand.buffer, control->foreign.errand.maker,
        control->foreign.errand.rank);
    foreign_bytes_return();
}

static void take_out_aside(void) {
    control->foreign.errand.was_intact = take_out(control->foreign.errand.number, control->foreign.errand.buffer);
    foreign_bytes_return();
}

void foreign_bytes_do_aside(void (*errand)(void)) {
    step_leave(&control->foreign.errand.stack_pointer, control->stack + CONTROL_STACK_BYTES, errand);
}

void foreign_bytes_put(uint32_t number, const struct footprint *buffer, const struct caller *maker, int rank) {
    control->foreign.errand.number = number;
    control->foreign.errand.buffer = buffer;
    control->foreign.errand.maker = maker;
    control->foreign.errand.rank = rank;
    foreign_bytes_do_aside(put_aside);
}

bool foreign_bytes_take_out(uint32_t number, const struct footprint *buffer) {
    if (buffer->combs == 0)
        return true;
    control->foreign.errand.number = number;
    control->foreign.errand.buffer = buffer;
    foreign_bytes_do_aside(take_out_aside);
    return control->foreign.errand.was_intact;
}

void foreign_bytes_withdraw(uint32_t number, const struct footprint *buffer) { (void)foreign_bytes_take_out(number, buffer); }

void foreign_bytes_begin(uint32_t variant, uint32_t most, bool of_unseen) {
    struct foreign_bytes *foreign = &control->foreign;
    enum { KEPT_BYTES = 1 << 20 };
    if (foreign->room > KEPT_BYTES) {
        RAW2(SYS_munmap, foreign->memory, foreign->room);
        foreign->room = 0;
    }
    foreign->variant = variant;
    foreign->most = most;
    foreign->of_unseen = of_unseen;
    foreign->puts = 0;
    foreign->unseen = 0;
    foreign->unseen_touched = foreign->perhaps_touched = 0;
    foreign->put_off = 0;
    foreign->touched = (struct spans){0};
    foreign->touches = 0;
    foreign->touched_elsewhere = false;
    foreign->forgotten = control->mailbox->forgotten = 0;
    foreign->forgotten_site = 0;
    control->traps.guard = GUARD_PLACES;
    foreign->used = 0;
    foreign->last = foreign->taken_out = NOWHERE;
    foreign->function = 0;
    foreign->site = 0;
    foreign->rank = 0;
    foreign->exposed = false;
    control->mailbox->asked_state = ASKED_NOWHERE;
    control->mailbox->asked_began = 0;
    control->mailbox->asked_issues = 0;
    control->mailbox->asked_told = 0;
    control->mailbox->shares = 0;
    control->mailbox->others.pieces = 0;
}
