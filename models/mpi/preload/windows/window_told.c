#include "models/mpi/preload/windows/window_told.h"

#include "ckpt/channel.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_announced.h"
#include "models/mpi/preload/windows/window_sharing.h"

#include <stdlib.h>
#include <string.h>

struct told {
    struct comb comb;
    struct caller caller;
    uint8_t barriers; /* that the process had left in the epoch before */
    bool is_known;    /* ... and has said something to others since */
};

bool told_wanted(void) {
    const struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (window_is_target(window))
            return true;
    }
    return false;
}

static bool is_in(const struct window *window, const struct footprint *piece) {
    for (size_t i = 0; i < window->memory.regions; i++) {
        const struct window_region *region = &window->memory.region[i];
        if (footprint_enters(piece, (uintptr_t)region->bytes, (uintptr_t)region->bytes + region->size))
            return true;
    }
    return false;
}

/* Where that is noted: what is sent again and again counts once, as it was sent last. */
static struct told *room_for(struct window *window, const struct comb *comb) {
    for (size_t i = 0; i < window->told_count; i++) {
        if (memcmp(&window->told[i].comb, comb, sizeof *comb) == 0)
            return &window->told[i];
    }
    window->told = realloc(window->told, (window->told_count + 1) * sizeof *window->told);
    return &window->told[window->told_count++];
}

static void note(struct window *window, const struct caller *caller, const struct footprint *given) {
    for (uint32_t i = 0; i < given->combs; i++) {
        const struct footprint piece = {.first = *footprint_comb(given, i), .combs = 1};
        if (!is_in(window, &piece))
            continue;
        struct told *told = room_for(window, &piece.first);
        memset(told, 0, sizeof *told);
        *told = (struct told){piece.first, *caller, window->barriers, false};
    }
}

void told_note(const struct caller *caller, const struct footprint *given) {
    struct window *window;
    for (size_t i = 0; given->combs > 0 && (window = window_at(i)) != NULL; i++) {
        if (window_is_target(window))
            note(window, caller, given);
    }
}

bool told_gives(const struct wire_operation *operation) {
    if (announced_by(operation))
        return false;
    if (operation->kind != WIRE_COLLECTIVE)
        return operation->kind != WIRE_RECEIVE && operation->peer != rank_number();
    switch (operation->mode) {
    case WIRE_FAN_OUT: return operation->peer == rank_number();
    case WIRE_FAN_IN: return operation->peer != rank_number() && operation->peer != WIRE_NO_PART;
    default: return true;
    }
}

/* Whose message is sent synchronously hears that it is received. */
static bool may_be_heard_of(const struct wire_operation *operation) {
    return operation->kind == WIRE_RECEIVE && operation->request < WIRE_HIDDEN_REQUESTS && operation->peer != rank_number() &&
           !sharing_any();
}

bool told_may_give(const struct wire_operation *operation) { return told_gives(operation) || may_be_heard_of(operation); }

/* A fence tells others that the epoch is over. */
static bool tells_others(const struct window *window, const struct wire_operation *operation) {
    const bool is_fence = operation->kind == WIRE_COLLECTIVE && operation->context == window->communicator->context;
    return told_may_give(operation) && !is_fence;
}

static void make_known(struct window *window) {
    for (size_t i = 0; i < window->told_count; i++)
        window->told[i].is_known = true;
}

void told_said(const struct wire_operation *operation) {
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (window->told_count > 0 && tells_others(window, operation))
            make_known(window);
    }
}

void told_said_before(void) {
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++)
        make_known(window);
}

/* Others have changed a window of this process since told_heard was called last, and had when it was. */
static bool news, had_news;

void told_of_changes(void) { news = true; }

/* What MPI_Win_start waits for. */
static bool says_nothing(const struct window *window, const struct window_target *target) {
    return window->is_starting && target->in_access_group;
}

static void hear(struct window *window) {
    window->heard = window->heard_in_phase = true;
    for (int k = 0; k < window->communicator->size; k++) {
        if (news || !says_nothing(window, &window->target[k]))
            window->target[k].heard = HEARD_SOMETHING;
    }
}

void told_heard(bool answered) {
    struct window *window;
    for (size_t i = 0; (answered || news) && (window = window_at(i)) != NULL; i++)
        hear(window);
    had_news = news;
    news = false;
}

/* The phases before that are not over yet, this one, and the next. The more, the more states there are of a program that goes
 * round for ever; the fewer, the more often an owner asks, which may be before or after what others do. */
enum { PHASES_UNTOLD = 14, PHASES_TOLD_APART = PHASES_UNTOLD + 2 };

/* In which it may have heard something already. */
static void begin_phase(struct window *window, bool heard) {
    window->phase = (window->phase + 1) % PHASES_TOLD_APART;
    window->phases_untold += window->phases_untold < PHASES_UNTOLD;
    window->heard_in_phase = heard;
}

bool told_must_ask(const struct window *window) { return window->phases_untold == PHASES_UNTOLD; }

bool told_is_over(uint8_t phase, uint8_t now) {
    const int later = (now - phase + PHASES_TOLD_APART) % PHASES_TOLD_APART;
    return later > 0 && later <= PHASES_UNTOLD;
}

uint16_t told_phase(uint8_t phase) {
    _Static_assert(PHASES_TOLD_APART == 16, "a bit each");
    return (uint16_t)(1u << phase % PHASES_TOLD_APART);
}

uint16_t told_phases_but_next(uint8_t phase) { return (uint16_t)~told_phase(phase + 1); }

bool told_may_go_on(const struct window *window, uint8_t phase) { return !window->heard_in_phase && phase == window->phase; }

static bool has_all(const struct communicator *communicator, const struct window *window) {
    for (int i = 0; i < window->communicator->size; i++) {
        if (communicator_rank_of(communicator, window->communicator->world[i]) == MPI_UNDEFINED)
            return false;
    }
    return true;
}

static bool have_same_members(const struct window *a, const struct window *b) {
    return a->communicator->size == b->communicator->size && has_all(a->communicator, b);
}

uint8_t told_barriers_before(const struct window *window, const struct window *other, uint8_t phase) {
    const uint8_t followed = (uint8_t)((other->phase - phase + PHASES_TOLD_APART) % PHASES_TOLD_APART);
    const bool is_known = have_same_members(window, other) && !window->out_of_step && window->barriers < PHASES_TOLD_APART;
    return is_known && phase < PHASES_TOLD_APART && followed <= window->barriers ? window->barriers - followed : UINT8_MAX;
}

/* What others have changed the process may have learned after the collective, too. */
static void count_barrier(struct window_target *target) {
    if (!had_news)
        target->heard = HEARD_BARRIER;
    for (size_t i = 0; i < target->issued_count; i++) {
        uint8_t *heard = &target->issued[i].access->heard;
        *heard += target->in_access_group && *heard >= HEARD_BARRIER && *heard < HEARD_MOST;
    }
}

static bool ends_phase(const struct communicator *communicator, const struct window *window) {
    return !communicator_is_inter(communicator) && has_all(communicator, window);
}

/* Of the barrier that the process is in; else NULL. */
static const struct communicator *of_barrier;

void told_enters_barrier(const struct communicator *communicator) { of_barrier = communicator; }

bool told_leaves_barrier(const struct window *window) { return of_barrier != NULL && ends_phase(of_barrier, window); }

void told_barrier(const struct communicator *communicator) {
    struct window *window;
    of_barrier = NULL;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (!ends_phase(communicator, window))
            continue;
        begin_phase(window, had_news);
        window->barriers += (window->exposed || window->epoch == EPOCH_FENCE) && window->barriers < HEARD_MOST;
        for (int k = 0; k < window->communicator->size; k++)
            count_barrier(&window->target[k]);
    }
}

static uint8_t told_in_fences(const struct window *window) {
    if (!window->heard)
        return 0;
    const bool more = sharing_any() || window->heard_in_phase || window->barriers == HEARD_MOST;
    return window->barriers + (more ? HEARD_MORE : 0);
}

uint8_t told_since(uint8_t heard) { return heard & HEARD_MORE ? PIECE_HEARD : heard; }

bool told_more(uint8_t heard) { return heard & HEARD_MORE; }

uint8_t told_barriers(uint8_t heard) { return heard == PIECE_HEARD ? 0 : heard & ~HEARD_MORE; }

/* In memory that they share ranks can say things without any call. */
uint8_t told_of(const struct window *window, int target) {
    switch (window->epoch) {
    case EPOCH_START: return sharing_any() ? (uint8_t)HEARD_SOMETHING : window->target[target].heard;
    case EPOCH_FENCE: return told_in_fences(window);
    default: return window->phase;
    }
}

void told_complete(struct window *window) {
    for (int i = 0; i < window->communicator->size; i++) {
        if (window->target[i].in_access_group)
            window->target[i].heard = HEARD_NOTHING;
    }
}

static uint8_t judge(const struct window *window, uint8_t heard) {
    if (heard == HEARD_SOMETHING)
        return PIECE_HEARD;
    const uint8_t followed = heard - HEARD_BARRIER;
    if (heard == HEARD_NOTHING || window->barriers <= followed)
        return 0;
    return window->barriers == HEARD_MOST ? PIECE_HEARD : window->barriers - followed;
}

void told_judge(const struct window *window, char *batch, size_t size) {
    const struct access *end = (const struct access *)(batch + size);
    for (struct access *access = (struct access *)batch; access < end; access = (struct access *)access_next(access))
        access->heard = judge(window, access->heard);
}

static bool enters(const struct told *told, uintptr_t from, uintptr_t to) {
    const struct footprint piece = {.first = told->comb, .combs = 1};
    return footprint_enters(&piece, from, to);
}

const struct caller *told_find(const struct window *window, uintptr_t from, uintptr_t to, uint8_t heard) {
    for (size_t i = 0; i < window->told_count; i++) {
        const struct told *told = &window->told[i];
        if ((told_since(heard) <= told->barriers || !told->is_known) && enters(told, from, to))
            return &told->caller;
    }
    return NULL;
}

bool told_ever(const struct window *window, uintptr_t from, uintptr_t to) {
    for (size_t i = 0; i < window->told_count; i++) {
        if (enters(&window->told[i], from, to))
            return true;
    }
    return false;
}

void told_begin(struct window *window) {
    told_forget(window);
    if (window->exposed || window->begun > 0)
        return;
    begin_phase(window, false);
    struct window *other;
    for (size_t i = 0; (other = window_at(i)) != NULL; i++)
        other->out_of_step = true;
    window->out_of_step = false;
    window->barriers = 0;
    window->heard = false;
    for (int i = 0; i < window->communicator->size; i++)
        window->target[i].heard = HEARD_NOTHING;
}

void told_forget(struct window *window) {
    free(window->told);
    window->told = NULL;
    window->told_count = 0;
}
