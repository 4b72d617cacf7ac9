/* Counting the paths of the explored graph from the root to the states that nothing follows. */
#include "explorer/search_parts.h"
#include "explorer/search_storage.h"

#include <gmp.h>
#include <time.h>

enum { MOMENT = 1 << 18 }; /* states whose edges are found again in less than a second */

/* A state on the way from the root to the current one, and its successors in the stack of successors. */
struct frame {
    size_t place, first, next, end;
};

/* Depth first; a state's number is the sum of its successors', or 1. Numbers are `limbs` long, and all are made longer when one
 * does not fit. */
struct counting {
    struct search *search;
    mp_limb_t *number; /* by place in the set of states; 0: not known yet */
    bool *entered;
    size_t places;
    mp_size_t limbs;
    struct frame *frame;
    size_t *successor; /* places */
    struct successors found;
    size_t frames, successors, frame_room, successor_room;
};

static mp_limb_t *number_at(const struct counting *counting, size_t place) {
    return counting->number + place * (size_t)counting->limbs;
}

static bool is_known(const struct counting *counting, size_t place) {
    return !mpn_zero_p(number_at(counting, place), counting->limbs);
}

/* False: there is no memory for longer ones. */
static bool widen(struct counting *counting) {
    mp_size_t wider = counting->limbs + 1;
    if (!search_has_memory_for(counting->search, counting->places * (size_t)wider * sizeof *counting->number))
        return false;
    mp_limb_t *number = storage_new(counting->places * (size_t)wider, sizeof *number);
    for (size_t place = 0; place < counting->places; place++)
        mpn_copyi(number + place * (size_t)wider, number_at(counting, place), counting->limbs);
    free(counting->number);
    counting->number = number;
    counting->limbs = wider;
    return true;
}

static void enter(struct counting *counting, size_t place) {
    struct search *search = counting->search;
    counting->entered[place] = true;
    search_successors(&search->worker[0], state_set_at(search->states, place), &counting->found);
    size_t first = counting->successors, end = first + counting->found.count;
    counting->successor = storage_grow(counting->successor, &counting->successor_room, end, sizeof *counting->successor);
    for (size_t i = 0; i < counting->found.count; i++)
        counting->successor[first + i] = state_set_place(search->states, counting->found.item[i].name);
    counting->frame = storage_grow(counting->frame, &counting->frame_room, counting->frames + 1, sizeof *counting->frame);
    counting->frame[counting->frames++] = (struct frame){place, first, first, end};
    counting->successors = end;
}

/* Adds up the successors' numbers, all of which are known. False: the sum does not fit. */
static bool add_up(struct counting *counting, const struct frame *frame) {
    mp_limb_t *sum = number_at(counting, frame->place);
    mpn_zero(sum, counting->limbs);
    if (frame->first == frame->end)
        sum[0] = 1;
    for (size_t i = frame->first; i < frame->end; i++)
        if (mpn_add_n(sum, sum, number_at(counting, counting->successor[i]), counting->limbs)) {
            mpn_zero(sum, counting->limbs);
            return false;
        }
    return true;
}

static bool leave(struct counting *counting) {
    const struct frame *frame = &counting->frame[--counting->frames];
    while (!add_up(counting, frame))
        if (!widen(counting))
            return false;
    counting->successors = frame->first;
    return true;
}

static size_t bytes_of(const struct counting *counting) {
    return counting->places * ((size_t)counting->limbs * sizeof *counting->number + sizeof *counting->entered) +
           counting->frame_room * sizeof *counting->frame + counting->successor_room * sizeof *counting->successor;
}

static bool is_interrupted(const struct counting *counting) {
    struct search *search = counting->search;
    struct timespec time;
    search->aside_bytes = bytes_of(counting);
    if (!search_has_memory_for(search, 0))
        return true;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    double passed = (double)time.tv_sec + (double)time.tv_nsec * 1e-9 - search->started;
    return (search->interrupt && *search->interrupt) || (search->options.seconds > 0 && passed > search->options.seconds);
}

enum counted { COUNTED, CYCLE, GIVEN_UP };

static enum counted count_from(struct counting *counting, size_t root) {
    enter(counting, root);
    for (size_t turn = 0; counting->frames; turn++) {
        struct frame *frame = &counting->frame[counting->frames - 1];
        if (turn % 4096 == 0 && is_interrupted(counting))
            return GIVEN_UP;
        if (frame->next == frame->end) {
            if (!leave(counting))
                return GIVEN_UP;
            continue;
        }
        size_t successor = counting->successor[frame->next];
        if (is_known(counting, successor))
            frame->next++;
        else if (counting->entered[successor])
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

char *search_count_orderings(struct search *search, bool patient, bool *all) {
    *all = !search->reduced;
    struct counting counting = {.search = search, .places = state_set_places(search->states), .limbs = 1};
    if ((!patient && state_set_count(search->states) > MOMENT) ||
        !search_has_memory_for(search, counting.places * (sizeof *counting.number + sizeof *counting.entered)))
        return NULL;
    counting.number = storage_new(counting.places, sizeof *counting.number);
    counting.entered = storage_new(counting.places, sizeof *counting.entered);
    size_t root = root_place(search);
    enum counted counted = count_from(&counting, root);
    char *digits = counted == COUNTED ? digits_of(number_at(&counting, root), counting.limbs)
                   : counted == CYCLE ? storage_checked(strdup("infinite"))
                                      : NULL;
    search->aside_bytes = 0;
    free(counting.number);
    free(counting.entered);
    free(counting.frame);
    free(counting.successor);
    free(counting.found.item);
    return digits;
}
