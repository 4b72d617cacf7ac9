#include "models/mpi/preload/process/guarded_stores.h"

#include "models/mpi/preload/buffers/pending_buffers.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/foreign_bytes.h"
#include "models/mpi/preload/process/threads.h"
#include "models/mpi/preload/windows/own_accesses.h"
#include "models/mpi/preload/windows/shared_traps.h"
#include "models/mpi/preload/windows/window_exposure.h"
#include "models/mpi/preload/windows/window_sharing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A step is run again for what is asked about, and only that is looked for then. */
static bool is_asked(void) { return control->mailbox->asked.pieces > 0; }

/* The same in all executions of a step, which must differ in nothing that can be seen. */
static bool is_any(void) {
    const bool forbids = is_asked() ? exposure_forbids() : own_accesses_forbid() || pending_buffers_forbid();
    return forbids && !sharing_any() && !threads_others();
}

/* Is this the execution in which it is closed? */
static bool closes(void) { return control->foreign.variant == 0 && (!is_asked() || control->mailbox->asked.closes); }

void guarded_stores_note_more(uint32_t number) {
    struct shared_traps *traps = &control->traps;
    if (traps->stores_added == STORES_ADDED_MOST)
        traps->stores_listed = false;
    else
        traps->stores_of[traps->stores_added++] = number;
}

void guarded_stores_note_less(void) { control->traps.stores_listed = false; }

static void list_all(void) {
    shared_traps_forget_stores();
    if (is_asked()) {
        exposure_guard();
    } else {
        own_accesses_guard();
        pending_buffers_guard();
    }
}

static void list_more(void) {
    for (uint32_t i = 0; i < control->traps.stores_added && !is_asked(); i++) {
        const uint32_t number = control->traps.stores_of[i];
        if (number >= FOREIGN_IN_WINDOW)
            own_accesses_guard_one(number);
        else
            pending_buffers_guard_one(number);
    }
}

/* There may be thousands of them, mostly the same as when the program went on last. What is asked about is the same in all of a
 * step. */
static void list(void) {
    struct shared_traps *traps = &control->traps;
    if (traps->stores_listed)
        list_more();
    else
        list_all();
    traps->stores_listed = true;
    traps->stores_added = 0;
}

static void close_aside(void) {
    enum { STORES_BESIDE = 32 };
    if (closes() && shared_traps_begin_stores(is_asked() ? control->mailbox->asked.beside : STORES_BESIDE)) {
        list();
        shared_traps_close_stores();
    }
    foreign_bytes_return();
}

static void open_aside(void) {
    if (closes())
        shared_traps_open();
    foreign_bytes_return();
}

void guarded_stores_close(void) {
    if (control->mailbox != NULL && is_any())
        foreign_bytes_do_aside(close_aside);
}

void guarded_stores_open(void) {
    if (control->mailbox != NULL && is_any())
        foreign_bytes_do_aside(open_aside);
}

void guarded_stores_add(const struct footprint *footprint) {
    for (uint32_t i = 0; i < footprint->combs; i++) {
        const struct footprint comb = {.first = *footprint_comb(footprint, i), .combs = 1};
        const struct bounds bounds = footprint_bounds(&comb);
        if (bounds.from < control->image.stack_high && bounds.to > control->image.stack_low)
            continue;
        if (foreign_bytes_may_be_put(&comb))
            shared_traps_add_stores(bounds.from, bounds.to);
    }
}

void guarded_stores_check(uintptr_t from, uintptr_t to, const void *context) {
    if (is_asked()) {
        exposure_check_store(from, to, context);
    } else {
        own_accesses_check_store(from, to, context);
        pending_buffers_check_store(from, to, context);
    }
}

void guarded_stores_end(const char *class_name, const struct wire_place *place, const void *context, const char *format, ...) {
    struct wire_end end = {.kind = WIRE_VIOLATION, .place = {*place}};
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    strncpy(end.class_name, class_name, sizeof end.class_name - 1);
    control->foreign.puts = 0; /* there is no other execution to compare with */
    rank_ask_whose(place);
    report_stack(context);
    step_end(&end, text);
}
