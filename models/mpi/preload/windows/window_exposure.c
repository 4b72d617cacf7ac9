#include "models/mpi/preload/windows/window_exposure.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/foreign_bytes.h"
#include "models/mpi/preload/process/guarded_stores.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/own_accesses.h"
#include "models/mpi/preload/windows/shared_places.h"
#include "models/mpi/preload/windows/window_announced.h"
#include "models/mpi/preload/windows/window_sharing.h"
#include "models/mpi/preload/windows/window_told.h"

/* Whether the bytes are there. It is no part of the rank's memory, as it differs between variants. */
static bool covered(void) { return control->foreign.exposed; }

/* Is a piece the next in a row of equal ones? It has become part of it. */
static bool goes_on(struct mailbox_piece *row, const struct mailbox_piece *piece) {
    enum { FAR = 4096 };
    uint64_t distance = row->count == 1 ? piece->at - row->at : row->distance;
    if (piece->bytes != row->bytes || distance > FAR || piece->at != row->at + row->count * distance)
        return false;
    row->distance = (uint32_t)distance;
    row->count++;
    return true;
}

/* Pieces from `first` on are of the same access. */
static void note_run(const struct window_memory *memory, const struct access *access, struct access_run run, uint32_t first) {
    struct mailbox_exposure *others = &control->mailbox->others;
    uint64_t length;
    for (const char *at; others->pieces < EXPOSED_PIECES && (at = window_memory_take(memory, &run, &length)) != NULL;) {
        struct mailbox_piece piece = {.at = (uintptr_t)at,
                                      .bytes = length,
                                      .count = 1,
                                      .site = access->site,
                                      .rank = (uint32_t)access->origin,
                                      .function = access->function,
                                      .since = PIECE_HEARD};
        if (others->pieces == first || !others->shared || !goes_on(&others->piece[others->pieces - 1], &piece))
            others->piece[others->pieces++] = piece;
    }
}

static void note(const struct window_memory *memory, const struct access *access) {
    const uint32_t first = control->mailbox->others.pieces;
    for (uint64_t i = 0; i < access->runs; i++)
        note_run(memory, access, access_runs(access)[i], first);
}

/* What a batch changes; `own`: also what this rank itself does. */
static void note_batch(const struct window *window, const struct window_memory *memory, const char *batch, size_t size,
                       bool own) {
    control->mailbox->others.window = window->communicator->context;
    control->mailbox->others.shared = EXPOSURE_OF_EPOCH;
    control->mailbox->others.agents = (uint32_t)announced_agents_wanted(window);
    control->mailbox->others.epoch = window->exposed ? EXPOSURE_POST : EXPOSURE_FENCES;
    control->mailbox->others.begun = window->begun;
    const struct access *end = (const struct access *)(batch + size);
    for (const struct access *access = (const struct access *)batch; access < end; access = access_next(access)) {
        if ((!own && access->origin == rank_number()) || access_only_reads(access))
            continue;
        const uint32_t first = control->mailbox->others.pieces;
        note(memory, access);
        for (uint32_t i = first; i < control->mailbox->others.pieces && window->sharing == NULL; i++)
            control->mailbox->others.piece[i].since = told_since(access->heard);
    }
}

/* How many stores beside what others change are let pass, which take as long as some thousand others each. Most programs do in all
 * epochs what they do in the first ones. */
static void limit_stores(struct window *window) {
    enum { EPOCHS_LONG = 2, STORES_LONG = 256, STORES_SHORT = 16 };
    struct mailbox_exposure *others = &control->mailbox->others;
    const bool is_long = window->epochs < EPOCHS_LONG;
    if (others->pieces == 0)
        return;
    window->epochs += is_long;
    others->beside = is_long ? STORES_LONG : STORES_SHORT;
}

void exposure_note(struct window *window, const char *batch, size_t size) {
    if (control->mailbox == NULL || control->mailbox->others.pieces > 0)
        return;
    note_batch(window, &window->memory, batch, size, false);
    limit_stores(window);
}

static void require_room(const struct window *window) {
    if (control->mailbox->others.pieces == EXPOSED_PIECES)
        rank_refuse(window->opened.function, window->opened.site,
                    "a shared window in which ranks change more than %d pieces of memory at the same time is not supported",
                    EXPOSED_PIECES);
}

void exposure_note_locked(struct window *window, const char *puts, size_t size) {
    struct mailbox_exposure *others = control->mailbox == NULL ? NULL : &control->mailbox->others;
    const bool was_synchronous = window->was_synchronous;
    window->was_synchronous = false;
    if (others == NULL || others->pieces > 0)
        return;
    others->receives = was_synchronous;
    others->window = window->communicator->context;
    others->shared = EXPOSURE_OF_EPOCH;
    others->agents = 0;
    others->epoch = EXPOSURE_LOCKS;
    others->begun = 0;
    others->barrier = told_leaves_barrier(window);
    const struct access *end = (const struct access *)(puts + size);
    for (const struct access *access = (const struct access *)puts; access < end; access = access_next(access)) {
        if (!access_is_atomic(access) && access->heard == window->phase)
            note(&window->memory, access);
    }
    limit_stores(window);
}

void exposure_note_member(const struct window *window, int member, const char *batch, size_t size) {
    if (control->mailbox == NULL)
        return;
    note_batch(window, &window->sharing->memory[member], batch, size, member != window->communicator->rank);
    require_room(window);
}

/* Where that is, and whether it is watched, so that there is no doubt about what is found, goes with each piece. */
static void place_pieces(const struct window *window, const struct access *changes, uint32_t first) {
    struct mailbox_exposure *others = &control->mailbox->others;
    const char *segment = window->sharing->memory[changes->op].region[0].bytes;
    for (uint32_t i = first; i < others->pieces; i++) {
        struct mailbox_piece *piece = &others->piece[i];
        piece->rank = (uint32_t)changes->op;
        piece->site = piece->at - (uintptr_t)segment;
        const struct shared_bytes bytes = {(struct window *)window, changes->op, piece->site,
                                           (piece->count - 1) * (uint64_t)piece->distance + piece->bytes};
        piece->watched = places_hold(&bytes, PLACES_OF(PLACE_WATCHED));
    }
}

void exposure_note_shared(const struct window *window, const struct access *changes, bool exact) {
    if (control->mailbox == NULL)
        return;
    control->mailbox->others.window = window->communicator->context;
    control->mailbox->others.shared = EXPOSURE_SHARED;
    control->mailbox->others.agents = (uint32_t)rank_agents_of_kind(AGENTS_GENERAL);
    control->mailbox->others.is_exact = exact;
    uint32_t first = control->mailbox->others.pieces;
    note(&window->sharing->memory[changes->op], changes);
    place_pieces(window, changes, first);
    require_room(window);
}

static void check_no_put(const struct caller *caller, const struct access *access) {
    const struct wire_place place[2] = {{.site = access->site, .rank = access->origin, .function = access->function}};
    if (!access_only_reads(access))
        rank_violation_at("rma-epoch", caller->function, caller->site, place,
                          "rank %d changes the window of rank %d in an epoch that began with MPI_MODE_NOPUT", access->origin,
                          rank_number());
}

static void check_no_store(const struct caller *caller, const struct window *window) {
    struct access *stores = access_of_stores(&window->memory, &window->shadow, rank_number(), caller->function, caller->site);
    if (stores != NULL)
        rank_violation(
            "rma-epoch", caller->function, caller->site,
            "MPI_Win_fence was called with MPI_MODE_NOSTORE, though byte %lld of the rank's window has been stored to",
            (long long)access_runs(stores)[0].offset);
}

void exposure_check_asserts(const struct caller *caller, const struct window *window, int ending, const char *batch,
                            size_t size) {
    if ((ending & MPI_MODE_NOSTORE) && window->epoch == EPOCH_FENCE && !window_is_within(window, window->communicator->rank))
        check_no_store(caller, window);
    const struct access *end = (const struct access *)(batch + size);
    for (const struct access *access = (const struct access *)batch; access < end; access = access_next(access)) {
        if (window->asserted & MPI_MODE_NOPUT)
            check_no_put(caller, access);
    }
}

static const struct window *asked_window(void) {
    const struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (window->communicator->context == control->mailbox->asked.window)
            return window;
    }
    return NULL;
}

static struct footprint footprint_of(const struct mailbox_piece *piece) {
    return (struct footprint){.first = {(intptr_t)piece->at, piece->bytes, piece->distance, piece->count}, .combs = 1};
}

/* These go on with an epoch as they see it. */
static bool ends_epochs(uint16_t function) {
    return function == FUNCTION_MPI_Win_fence || function == FUNCTION_MPI_Win_wait || function == FUNCTION_MPI_Win_test ||
           function == FUNCTION_MPI_Win_free;
}

static bool is_asked(bool shared) {
    return control->mailbox != NULL && control->mailbox->asked.pieces > 0 && !covered() &&
           (control->mailbox->asked.shared != EXPOSURE_OF_EPOCH) == shared;
}

/* `window`: of an epoch that is asked about. */
static bool is_asked_now(const struct mailbox_piece *piece, const struct window *window) {
    return !control->mailbox->asked.only_since || piece->since <= window->barriers;
}

static void cover(const struct window *window) {
    control->foreign.exposed = true;
    if (control->mailbox->asked_state == ASKED_NOWHERE)
        control->mailbox->asked_state = ASKED_PUT;
    for (uint32_t i = 0; i < control->mailbox->asked.pieces; i++) {
        const struct mailbox_piece *piece = &control->mailbox->asked.piece[i];
        const struct footprint footprint = footprint_of(piece);
        if (is_asked_now(piece, window))
            foreign_bytes_put(FOREIGN_EXPOSED + i, &footprint, &(struct caller){piece->function, piece->site},
                              (int)piece->rank);
    }
}

/* Is it in the epoch that is asked about, or in another of its kind? */
static bool is_in_epoch(const struct window *window) {
    const uint32_t asked = control->mailbox->asked.epoch;
    if (asked == EXPOSURE_LOCKS)
        return true;
    if (asked == EXPOSURE_POST || window->exposed)
        return asked == EXPOSURE_POST && window->exposed;
    return window->epoch == EPOCH_FENCE && window->begun == control->mailbox->asked.begun;
}

void exposure_begun(const struct window *window) {
    if (is_asked(false) && asked_window() == window && is_in_epoch(window))
        control->mailbox->asked_began = 1;
}

void exposure_cover(uint16_t function) {
    if (!is_asked(false) || ends_epochs(function) || (control->mailbox->asked.only_since && function != FUNCTION_none))
        return;
    const struct window *window = asked_window();
    if (window != NULL && is_in_epoch(window) && control->mailbox->asked_issues >= control->mailbox->asked.after)
        cover(window);
}

void exposure_cover_told(void) {
    if (is_asked(false) && (control->mailbox->asked.after > 0 || control->mailbox->asked.only_since))
        exposure_cover(FUNCTION_none);
}

void exposure_cover_shared(void) {
    control->mailbox->shares = 1;
    const struct window *window = is_asked(true) ? asked_window() : NULL;
    if (window != NULL)
        cover(window);
}

bool exposure_forbids(void) { return covered() && control->mailbox->asked.shared == EXPOSURE_OF_EPOCH; }

void exposure_guard(void) {
    const struct mailbox_exposure *asked = &control->mailbox->asked;
    for (uint32_t i = 0; i < asked->pieces; i++) {
        const struct footprint footprint = footprint_of(&asked->piece[i]);
        guarded_stores_add(&footprint);
    }
}

void exposure_check_store(uintptr_t from, uintptr_t to, const void *context) {
    const struct mailbox_exposure *asked = &control->mailbox->asked;
    for (uint32_t i = 0; i < asked->pieces; i++) {
        const struct mailbox_piece *piece = &asked->piece[i];
        const struct wire_place place = {.site = piece->site, .rank = (int)piece->rank, .function = piece->function};
        const struct footprint footprint = footprint_of(piece);
        if (footprint_enters(&footprint, from, to))
            guarded_stores_end("rma-conflict", &place, context,
                               "memory of the rank's window that rank %u accesses by %s is stored to in the same epoch",
                               piece->rank, function_name(piece->function));
    }
}

/* Under locks the agent tells (own_accesses.h). In an epoch of fences or of post a store that leaves memory as it is shows here
 * only. */
static void end_for_store(const struct mailbox_piece *piece) {
    const struct wire_place place[2] = {{.site = piece->site, .rank = (int)piece->rank, .function = piece->function}};
    if (control->mailbox->asked.shared)
        rank_violation("rma-conflict", caller_current.function, caller_current.site,
                       "shared memory that another rank stores to is stored to at the same time");
    if (control->mailbox->asked.epoch != EXPOSURE_LOCKS)
        rank_violation_at("rma-conflict", caller_current.function, caller_current.site, place,
                          "memory of the rank's window that rank %u accesses by %s is stored to in the same epoch", piece->rank,
                          function_name(piece->function));
}

void exposure_uncover(void) {
    own_accesses_lift();
    if (control->mailbox == NULL || !covered())
        return;
    control->foreign.exposed = false;
    const struct mailbox_piece *stored = NULL;
    /* Pieces may overlap: the one put in last is taken out first. */
    for (uint32_t i = control->mailbox->asked.pieces; i-- > 0;) {
        const struct footprint footprint = footprint_of(&control->mailbox->asked.piece[i]);
        if (!foreign_bytes_take_out(FOREIGN_EXPOSED + i, &footprint))
            stored = &control->mailbox->asked.piece[i];
    }
    if (stored != NULL)
        end_for_store(stored);
}

/* What ends the last step before says nothing to those who made the accesses: it ends the epoch, or the phase. */
static bool says_nothing(const struct wire_operation *operation) {
    const struct mailbox_exposure *asked = &control->mailbox->asked;
    if (asked->earlier)
        return control->mailbox->asked_state == ASKED_NOWHERE;
    return !covered() || (asked->barrier && operation->kind == WIRE_COLLECTIVE && operation->request == WIRE_NO_REQUEST);
}

void exposure_issued(const struct wire_operation *operation) {
    struct mailbox *mailbox = control->mailbox;
    if (mailbox == NULL || mailbox->asked.pieces == 0 || mailbox->asked.shared)
        return;
    const bool receives = mailbox->asked.epoch != EXPOSURE_LOCKS || mailbox->asked.receives;
    const bool gives = receives ? told_may_give(operation) : told_gives(operation);
    if (operation->kind == WIRE_RECEIVE && !gives)
        return;
    mailbox->asked_issues++;
    if (says_nothing(operation) || !gives)
        return;
    mailbox->asked_state = ASKED_TOLD;
    mailbox->asked_told = mailbox->asked_issues;
}
