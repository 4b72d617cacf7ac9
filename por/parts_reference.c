/* One run of all ranks. Each rank in turn makes one move, so that the order in which messages are taken is near to what it would be
 * if the ranks ran side by side. Sends are synchronous: nobody gets ahead of what all implementations allow. */
#include "models/growing.h"
#include "por/parts_inside.h"

#include <string.h>

struct run {
    struct parts *parts;
    uint32_t *state; /* of each rank */
    bool *ended;
    uint32_t *moves;   /* of each rank */
    uint32_t *told_in; /* of each rank: the state in which it was told of a message that it has not taken since; or PART_NONE */
    uint32_t *waited;  /* synchronous gifts of which their givers do not know yet that they were taken */
    size_t waiteds, waited_room;
    uint32_t *entry, *content; /* scratch */
    uint32_t clock;
    uint64_t silent; /* moves of all ranks since one gave or took something */
};

/* So many silent moves of each rank, on the average, are taken for endless. */
enum { SILENT_MOST = 1 << 12 };

static struct lane *find_lane(struct lane **lane, size_t *lanes, size_t *room, const struct part_gift *given) {
    for (size_t i = 0; i < *lanes; i++)
        if ((*lane)[i].line == given->line)
            return &(*lane)[i];
    *lane = growing_room(*lane, room, *lanes + 1, sizeof **lane);
    (*lane)[*lanes] = (struct lane){.line = given->line, .meeting = given->to == PART_MEETING};
    return &(*lane)[(*lanes)++];
}

static void lane_add(struct lane *lane, uint32_t gift) {
    lane->gift = growing_room(lane->gift, &lane->room, lane->gifts + 1, sizeof *lane->gift);
    lane->gift[lane->gifts++] = gift;
}

/* The entry that completes a meeting gives it its time. */
static void complete_meeting(struct run *run, const struct gift *entry) {
    struct parts *parts = run->parts;
    size_t entries = parts_entries(parts, entry, run->entry);
    if (entries < parts->model->members(parts->model->self, entry->line))
        return;
    for (size_t i = 0; i < entries; i++)
        parts->gift[run->entry[i]].time = run->clock;
    run->clock++;
}

static bool note_gift(struct run *run, unsigned rank, const struct part_gift *given) {
    struct parts *parts = run->parts;
    struct part *part = &parts->part[rank];
    if (parts->gifts == PARTS_EVENTS_MOST)
        return parts_give_up(parts, "there are more than %d messages", PARTS_EVENTS_MOST);
    struct lane *lane = find_lane(&part->out, &part->outs, &part->out_room, given);
    uint32_t number = (uint32_t)parts->gifts++;
    parts->gift = growing_room(parts->gift, &parts->gift_room, parts->gifts, sizeof *parts->gift);
    parts->gift[number] = (struct gift){.line = given->line,
                                        .index = (uint32_t)lane->gifts,
                                        .from = rank,
                                        .to = given->to,
                                        .content = given->content,
                                        .likeness = given->likeness,
                                        .synchronous = given->synchronous,
                                        .loose = given->loose,
                                        .given_in = run->moves[rank],
                                        .released_in = PART_NONE,
                                        .prior = (uint32_t)part->events,
                                        .time = PART_NONE,
                                        .event = PART_NONE};
    lane_add(lane, number);
    if (given->synchronous) {
        part->synchronous = true;
        run->waited = growing_room(run->waited, &run->waited_room, run->waiteds + 1, sizeof *run->waited);
        run->waited[run->waiteds++] = number;
    }
    if (given->to == PART_MEETING) {
        complete_meeting(run, &parts->gift[number]);
        return true;
    }
    struct part *taker = &parts->part[given->to];
    lane_add(find_lane(&taker->in, &taker->ins, &taker->in_room, given), number);
    return true;
}

/* How many of the gifts that are waited for, up to `end`, are the rank's with this content? */
static uint32_t waited_before(const struct run *run, size_t end, unsigned rank, uint32_t content) {
    uint32_t waited = 0;
    for (size_t i = 0; i < end; i++) {
        const struct gift *gift = &run->parts->gift[run->waited[i]];
        waited += gift->from == rank && gift->content == content && gift->released_in == PART_NONE;
    }
    return waited;
}

/* After a move of the rank. Gifts of one content are taken in their order: those that are still waited for are the last ones. */
static void note_released(struct run *run, unsigned rank) {
    const struct parts_model *model = run->parts->model;
    size_t kept = 0;
    for (size_t i = run->waiteds; i-- > 0;) {
        struct gift *gift = &run->parts->gift[run->waited[i]];
        if (gift->from != rank)
            continue;
        uint32_t after = waited_before(run, run->waiteds, rank, gift->content) - waited_before(run, i, rank, gift->content);
        if (after > model->unreleased(model->self, rank, run->state[rank], gift->content))
            gift->released_in = run->moves[rank];
    }
    for (size_t i = 0; i < run->waiteds; i++)
        if (run->parts->gift[run->waited[i]].released_in == PART_NONE)
            run->waited[kept++] = run->waited[i];
    run->waiteds = kept;
}

static bool make_move(struct run *run, unsigned rank, const struct part_move *move) {
    const struct parts_model *model = run->parts->model;
    const struct part_gift *gift;
    size_t gifts;
    if (!model->move(model->self, rank, run->state[rank], move, &run->state[rank], &gift, &gifts))
        return false;
    for (size_t i = 0; i < gifts; i++)
        if (!note_gift(run, rank, &gift[i]))
            return false;
    note_released(run, rank);
    run->moves[rank]++;
    run->silent = gifts ? 0 : run->silent + 1;
    return run->silent <= (uint64_t)SILENT_MOST * model->ranks ||
           parts_give_up(run->parts, "rank %u goes on and on without a message", rank);
}

static void note_event(struct run *run, unsigned rank, uint32_t number) {
    struct part *part = &run->parts->part[rank];
    part->event = growing_room(part->event, &part->event_room, part->events + 1, sizeof *part->event);
    run->parts->gift[number].event = (uint32_t)part->events;
    run->parts->gift[number].taken_in = run->moves[rank];
    run->parts->gift[number].taken_from = run->told_in[rank] == PART_NONE ? run->state[rank] : run->told_in[rank];
    run->told_in[rank] = PART_NONE;
    run->silent = 0;
    part->event[part->events++] = number;
    run->parts->order[run->parts->ordered++] = number;
}

/* ---- what a rank may do ---- */

static void pass_over(const struct run *run, struct lane *lane) {
    while (lane->over < lane->gifts && run->parts->gift[lane->gift[lane->over]].time != PART_NONE)
        lane->over++;
}

/* The first message of the lane that the rank would take, earlier ones of the lane taken first. */
static uint32_t first_of_lane(const struct run *run, unsigned rank, struct lane *lane) {
    const struct parts_model *model = run->parts->model;
    pass_over(run, lane);
    for (size_t i = lane->over; i < lane->gifts; i++) {
        const struct gift *gift = &run->parts->gift[lane->gift[i]];
        if (gift->time == PART_NONE && model->takes(model->self, rank, run->state[rank], gift->content) != PART_NONE)
            return lane->gift[i];
    }
    return PART_NONE;
}

/* The one sent first. */
static uint32_t message_for(const struct run *run, unsigned rank) {
    const struct part *part = &run->parts->part[rank];
    uint32_t first = PART_NONE;
    for (size_t i = 0; i < part->ins; i++) {
        uint32_t gift = first_of_lane(run, rank, &part->in[i]);
        if (gift < first)
            first = gift;
    }
    return first;
}

/* Have all messages been taken that the rank waits for? */
static bool are_taken(const struct run *run, unsigned rank, const struct part_stand *stand) {
    for (size_t i = 0; i < stand->owns; i++) {
        struct lane *lane = part_out(&run->parts->part[rank], stand->own[i].line);
        if (!lane)
            continue;
        pass_over(run, lane);
        for (size_t k = lane->over; k < lane->gifts; k++) {
            const struct gift *gift = &run->parts->gift[lane->gift[k]];
            if (gift->time == PART_NONE && gift_is_own(gift, &stand->own[i]))
                return false;
        }
    }
    return true;
}

/* The first entry into the lane that its giver has not left. */
static uint32_t first_entered(const struct run *run, const struct lane *lane) {
    size_t left = lane->gifts;
    while (left > 0 && run->parts->gift[lane->gift[left - 1]].event == PART_NONE)
        left--;
    return left < lane->gifts ? lane->gift[left] : PART_NONE;
}

/* Of the meetings that the rank has entered and not left the one that all had entered first. */
static uint32_t complete_entry(const struct run *run, unsigned rank) {
    const struct part *part = &run->parts->part[rank];
    uint32_t first = PART_NONE, time = PART_NONE;
    for (size_t i = 0; i < part->outs; i++) {
        uint32_t entry = part->out[i].meeting ? first_entered(run, &part->out[i]) : PART_NONE;
        if (entry == PART_NONE || run->parts->gift[entry].time >= time)
            continue;
        time = run->parts->gift[entry].time;
        first = entry;
    }
    return first;
}

static bool leave(struct run *run, unsigned rank, uint32_t number) {
    size_t entries = parts_entries(run->parts, &run->parts->gift[number], run->entry);
    parts_contents(run->parts, run->entry, entries, run->content);
    note_event(run, rank, number);
    return make_move(run, rank, &(struct part_move){PART_LEAVE, 0, run->content, entries});
}

static bool take(struct run *run, unsigned rank, uint32_t number) {
    struct gift *gift = &run->parts->gift[number];
    uint32_t content = gift->content;
    const struct parts_model *model = run->parts->model;
    if (model->takes(model->self, rank, run->state[rank], content) != PART_SEES) {
        gift->time = run->clock++;
        note_event(run, rank, number);
    } else if (run->told_in[rank] == PART_NONE) {
        run->told_in[rank] = run->state[rank];
    }
    return make_move(run, rank, &(struct part_move){PART_TAKE, 0, &content, 1});
}

/* One move, if the rank can make one. False: gives up. */
static bool go_on(struct run *run, unsigned rank, bool *moved) {
    const struct parts_model *model = run->parts->model;
    struct part_stand stand;
    *moved = false;
    if (!model->stand(model->self, rank, run->state[rank], &stand))
        return false;
    run->ended[rank] = stand.ended;
    if (stand.ended) {
        run->parts->part[rank].outcome = stand.outcome;
        return true;
    }
    *moved = true;
    if (stand.choices)
        return make_move(run, rank, &(struct part_move){.kind = PART_CHOOSE});
    uint32_t message = message_for(run, rank), entry = complete_entry(run, rank);
    if (entry != PART_NONE) /* before it takes anything, as that may have been given behind the meeting */
        return leave(run, rank, entry);
    if (message != PART_NONE)
        return take(run, rank, message);
    if (stand.releases && are_taken(run, rank, &stand))
        return make_move(run, rank, &(struct part_move){.kind = PART_RELEASE});
    if (stand.polls)
        return make_move(run, rank, &(struct part_move){.kind = PART_MISS});
    *moved = false;
    return true;
}

/* ---- all of it ---- */

static bool all_ended(const struct run *run) {
    for (unsigned rank = 0; rank < run->parts->model->ranks; rank++)
        if (!run->ended[rank])
            return false;
    return true;
}

static bool run_all(struct run *run) {
    const struct parts_model *model = run->parts->model;
    for (unsigned rank = 0; rank < model->ranks; rank++) {
        run->told_in[rank] = PART_NONE;
        if (!make_move(run, rank, &(struct part_move){.kind = PART_BEGIN}))
            return false;
    }
    for (bool any = true; any;) {
        any = false;
        for (unsigned rank = 0; rank < model->ranks; rank++) {
            bool moved;
            if (run->ended[rank])
                continue;
            if (!go_on(run, rank, &moved))
                return false;
            any |= moved;
        }
        if (model->stop(model->self, parts_bytes(run->parts)))
            return false;
    }
    return all_ended(run) || parts_give_up(run->parts, "a run with synchronous sends does not end");
}

static bool check_all_taken(struct parts *parts) {
    for (size_t i = 0; i < parts->gifts; i++)
        if (parts->gift[i].event == PART_NONE)
            return parts_give_up(parts, "rank %u does not take all messages", gift_taker(&parts->gift[i]));
    return true;
}

/* Nothing keeps what a rank gives from being under way all at once. */
static bool check_fits(const struct parts *parts, uint32_t *content) {
    const struct parts_model *model = parts->model;
    for (unsigned rank = 0; rank < model->ranks; rank++) {
        size_t contents = 0;
        for (size_t i = 0; i < parts->gifts; i++)
            if (parts->gift[i].from == rank)
                content[contents++] = parts->gift[i].content;
        if (!model->fits(model->self, rank, content, contents))
            return false;
    }
    return true;
}

static int compare_times(const void *a, const void *b, void *context) {
    const struct gift *gift = ((const struct parts *)context)->gift, *x = &gift[*(const uint32_t *)a],
                      *y = &gift[*(const uint32_t *)b];
    return (x->time > y->time) - (x->time < y->time);
}

/* The gifts of each rank, numbered in the order of their times. */
static void number_gifts(struct parts *parts) {
    for (unsigned rank = 0; rank < parts->model->ranks; rank++) {
        struct part *part = &parts->part[rank];
        part->given = growing_new((parts->gifts + 1) * sizeof *part->given);
        for (size_t i = 0; i < parts->gifts; i++)
            if (parts->gift[i].from == rank)
                part->given[part->gives++] = (uint32_t)i;
        qsort_r(part->given, part->gives, sizeof *part->given, compare_times, parts);
        for (size_t i = 0; i < part->gives; i++)
            parts->gift[part->given[i]].number = (uint32_t)i;
        part->given_words = (part->gives + 63) / 64;
    }
}

/* In the run all before it in its line is earlier. */
static void find_earlier(const struct parts *parts, const struct lane *lane) {
    for (size_t i = 0; i < lane->gifts; i++) {
        struct gift *gift = &parts->gift[lane->gift[i]];
        gift->earlier = growing_new((parts->part[gift->from].given_words + 1) * sizeof *gift->earlier);
        for (size_t k = 0; k < i; k++)
            set_add(gift->earlier, parts->gift[lane->gift[k]].number);
    }
}

/* Sets of events can be made now that all are known. */
static void make_sets(struct parts *parts) {
    number_gifts(parts);
    for (unsigned rank = 0; rank < parts->model->ranks; rank++) {
        struct part *part = &parts->part[rank];
        part->words = (part->events + 63) / 64;
        part->base = parts->words;
        parts->words += part->words;
        for (size_t i = 0; i < part->outs; i++)
            find_earlier(parts, &part->out[i]);
    }
    for (size_t i = 0; i < parts->gifts; i++) {
        if (parts->gift[i].to == PART_MEETING)
            parts->statistics.meetings++;
        else
            parts->statistics.messages++;
    }
}

bool parts_reference(struct parts *parts) {
    unsigned ranks = parts->model->ranks;
    struct run run = {.parts = parts,
                      .state = growing_new(ranks * sizeof *run.state),
                      .ended = growing_new(ranks * sizeof *run.ended),
                      .moves = growing_new(ranks * sizeof *run.moves),
                      .told_in = growing_new(ranks * sizeof *run.told_in),
                      .entry = growing_new(ranks * sizeof *run.entry),
                      .content = growing_new(ranks * sizeof *run.content)};
    parts->order = growing_new(PARTS_EVENTS_MOST * sizeof *parts->order);
    bool done = run_all(&run) && check_all_taken(parts);
    uint32_t *content = growing_new((parts->gifts + 1) * sizeof *content);
    done = done && check_fits(parts, content);
    free(content);
    if (done)
        make_sets(parts);
    free(run.state);
    free(run.ended);
    free(run.moves);
    free(run.told_in);
    free(run.waited);
    free(run.entry);
    free(run.content);
    return done;
}
