/* Counting the orderings of the explored graph: the paths from the root to where one may end. That is a state that nothing follows,
 * and one in which nothing happens unless something optional does. */
#include "explorer/containers/search_storage.h"
#include "explorer/search/search_parts.h"

#include <gmp.h>

enum { MOMENT = 1 << 18 }; /* states whose edges are found again in less than a second */

/* A state on the way from the root to the current one, and its successors in the stack of successors. */
struct frame {
    size_t place, first, next, end;
};

enum { ENTERED = 1, ENDS = 2, FAILS = 4 };

/* Depth first; a state's numbers are the sums of its successors', and one more if an ordering may end in it. Numbers are `limbs`
 * long, and all are made longer when one does not fit. */
struct counting {
    struct search *search;
    mp_limb_t *number;  /* by place in the set of states; 0: not known yet */
    mp_limb_t *failing; /* of them; NULL: not counted */
    uint8_t *flags;
    size_t places;
    mp_size_t limbs;
    struct frame *frame;
    size_t *successor; /* places */
    struct successors found;
    size_t frames, successors, frame_room, successor_room;
};

static mp_limb_t *number_at(const struct counting *counting, mp_limb_t *numbers, size_t place) {
    return numbers + place * (size_t)counting->limbs;
}

static bool is_known(const struct counting *counting, size_t place) {
    return !mpn_zero_p(number_at(counting, counting->number, place), counting->limbs);
}

static mp_limb_t *widened(const struct counting *counting, mp_limb_t *numbers) {
    mp_size_t wider = counting->limbs + 1;
    mp_limb_t *copy = storage_new(counting->places * (size_t)wider, sizeof *copy);
    for (size_t place = 0; place < counting->places; place++)
        mpn_copyi(copy + place * (size_t)wider, number_at(counting, numbers, place), counting->limbs);
    free(numbers);
    return copy;
}

static size_t number_bytes(const struct counting *counting, mp_size_t limbs) {
    return (size_t)limbs * sizeof(mp_limb_t) * (counting->failing ? 2 : 1);
}

/* False: there is no memory for longer ones. */
static bool widen(struct counting *counting) {
    if (!search_has_memory_for(counting->search, counting->places * number_bytes(counting, counting->limbs + 1)))
        return false;
    counting->number = widened(counting, counting->number);
    if (counting->failing)
        counting->failing = widened(counting, counting->failing);
    counting->limbs++;
    return true;
}

/* Of the state whose successors the worker has just looked for. */
static uint8_t flags_of(const struct worker *worker, state_name name) {
    const struct search *search = worker->search;
    if (state_kind(name) == STATE_FAULT)
        return ENDS | FAILS;
    if (state_kind(name) != STATE_QUIET)
        return 0;
    if (search_at_end(search, worker->offer, worker->here))
        return ENDS | (search_end_fails(search, worker->here) ? FAILS : 0);
    return offer_has_promised(worker->offer) ? 0 : ENDS | FAILS;
}

static void enter(struct counting *counting, size_t place) {
    struct search *search = counting->search;
    state_name name = state_set_at(search->states, place);
    search_successors(&search->worker[0], name, &counting->found);
    counting->flags[place] = ENTERED | flags_of(&search->worker[0], name);
    size_t first = counting->successors, end = first + counting->found.count;
    counting->successor = storage_grow(counting->successor, &counting->successor_room, end, sizeof *counting->successor);
    for (size_t i = 0; i < counting->found.count; i++)
        counting->successor[first + i] = state_set_place(search->states, counting->found.item[i].name);
    counting->frame = storage_grow(counting->frame, &counting->frame_room, counting->frames + 1, sizeof *counting->frame);
    counting->frame[counting->frames++] = (struct frame){place, first, first, end};
    counting->successors = end;
}

/* Adds up the successors' numbers, all of which are known. False: the sum does not fit. */
static bool add_up(const struct counting *counting, const struct frame *frame, mp_limb_t *numbers, uint8_t flag) {
    mp_limb_t *sum = number_at(counting, numbers, frame->place);
    mpn_zero(sum, counting->limbs);
    sum[0] = (counting->flags[frame->place] & flag) != 0;
    for (size_t i = frame->first; i < frame->end; i++)
        if (mpn_add_n(sum, sum, number_at(counting, numbers, counting->successor[i]), counting->limbs)) {
            mpn_zero(sum, counting->limbs);
            return false;
        }
    return true;
}

static bool leave(struct counting *counting) {
    const struct frame *frame = &counting->frame[--counting->frames];
    while (!add_up(counting, frame, counting->number, ENDS))
        if (!widen(counting))
            return false;
    if (counting->failing)
        add_up(counting, frame, counting->failing, FAILS); /* no more than all of them, so it fits */
    counting->successors = frame->first;
    return true;
}

static size_t bytes_of(const struct counting *counting) {
    return counting->places * (number_bytes(counting, counting->limbs) + sizeof *counting->flags) +
           counting->frame_room * sizeof *counting->frame + counting->successor_room * sizeof *counting->successor;
}

/* Looking for edges stops the search, too: at that state, which then seems to have none, no number is right any more. */
static bool is_interrupted(const struct counting *counting, size_t turn) {
    if (turn % 4096 == 0) {
        counting->search->aside_bytes = bytes_of(counting);
        search_must_stop(counting->search);
    }
    return counting->search->stopped;
}

enum counted { COUNTED, CYCLE, GIVEN_UP };

static enum counted count_from(struct counting *counting, size_t root) {
    enter(counting, root);
    for (size_t turn = 0; counting->frames; turn++) {
        struct frame *frame = &counting->frame[counting->frames - 1];
        if (is_interrupted(counting, turn))
            return GIVEN_UP;
        if (frame->next == frame->end) {
            if (!leave(counting))
                return GIVEN_UP;
            continue;
        }
        size_t successor = counting->successor[frame->next];
        if (is_known(counting, successor))
            frame->next++;
        else if (counting->flags[successor])
            return CYCLE;
        else
            enter(counting, successor);
    }
    return COUNTED;
}

static char *digits_of(const mp_limb_t *number, mp_size_t limbs) {
    while (limbs > 1 && !number[limbs - 1])
        limbs--;
    mp_limb_t *copy = storage_new((size_t)limbs, sizeof *copy); /* mpn_get_str spoils it */
    mpn_copyi(copy, number, limbs);
    char *text = storage_new((size_t)limbs * 20 + 2, 1);
    size_t length = mpn_get_str((unsigned char *)text, 10, copy, limbs), zeros = 0;
    while (zeros + 1 < length && !text[zeros])
        zeros++;
    for (size_t i = zeros; i < length; i++)
        text[i - zeros] = (char)(text[i] + '0');
    text[length - zeros] = 0;
    free(copy);
    return text;
}

static size_t root_place(struct search *search) {
    struct worker *worker = &search->worker[0];
    search_initial(search, worker->here);
    return state_set_place(search->states, state_set_find(search->states, worker->cache, worker->here, STATE_UNFINISHED));
}

static struct ordering_count count_orderings(struct search *search, bool patient) {
    struct ordering_count count = {.is_exact = !search->reduced};
    struct counting counting = {.search = search, .places = state_set_places(search->states), .limbs = 1};
    bool failing = count.is_exact && search->findings > 0;
    size_t each = sizeof *counting.number * (failing ? 2 : 1) + sizeof *counting.flags;
    if ((!patient && state_set_count(search->states) > MOMENT) || !search_has_memory_for(search, counting.places * each))
        return count;
    counting.number = storage_new(counting.places, sizeof *counting.number);
    counting.failing = failing ? storage_new(counting.places, sizeof *counting.failing) : NULL;
    counting.flags = storage_new(counting.places, sizeof *counting.flags);
    size_t root = root_place(search);
    enum counted counted = count_from(&counting, root);
    if (counted == COUNTED) {
        count.all = digits_of(number_at(&counting, counting.number, root), counting.limbs);
        count.failing = failing ? digits_of(number_at(&counting, counting.failing, root), counting.limbs) : NULL;
    } else if (counted == CYCLE) {
        count.all = storage_checked(strdup("infinite"));
    }
    search->aside_bytes = 0;
    free(counting.number);
    free(counting.failing);
    free(counting.flags);
    free(counting.frame);
    free(counting.successor);
    free(counting.found.item);
    return count;
}

struct ordering_count search_count_orderings(struct search *search, bool patient, double seconds) {
    const double allowed = search->options.seconds;
    const enum search_end end = search->end;
    const bool stopped = search->stopped;
    search->options.seconds = seconds > 0 ? search_clock() - search->started + seconds : 0;
    struct ordering_count count = count_orderings(search, patient);
    search->options.seconds = allowed;
    search->end = end;
    search->stopped = stopped;
    return count;
}
