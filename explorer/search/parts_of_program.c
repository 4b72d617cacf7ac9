#include "explorer/search/parts_of_program.h"

#include "por/poeg.h"

#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct program_parts {
    struct mpi_model *model;
    const struct step_source *steps;
    const struct parts_options *options;
    struct apart *apart;
    uint64_t asked; /* steps */
    const char *wanted;
    char reason[160]; /* of our own for giving up; "": none */
};

static bool give_up(struct program_parts *parts, unsigned rank, const char *what) {
    snprintf(parts->reason, sizeof parts->reason, "rank %u %s", rank, what);
    return false;
}

/* Anything that would be reported is for the state graph to find: it may be no ordering of the program. */
static bool ends_well(const struct program_parts *parts, const struct wire_end *end) {
    return end->kind == WIRE_EXIT && end->code == 0 && end->finalized && !end->leaked_requests &&
           (!end->leaked_handles || parts->options->handles_may_leak);
}

static void visit_freed_receive(void *found, const struct operation *operation, enum operation_status status, bool awaited) {
    (void)awaited;
    *(bool *)found |= operation_is_freed_receive(operation, status);
}

static bool leaves_receive(const struct program_parts *parts, uint32_t component) {
    bool found = false;
    mpi_model_outstanding(parts->model, component, visit_freed_receive, &found);
    return found;
}

/* One step of the rank, whose memory the component is. */
static bool step(struct program_parts *parts, unsigned rank, uint32_t *component, const struct resolution *answer) {
    const struct step_source *steps = parts->steps;
    const struct step_result *result = steps->get(steps->self, mpi_model_local(parts->model, *component), answer);
    parts->asked++;
    if (!result)
        return false;
    if (result->ended && result->end.kind == WIRE_AGENTS) {
        parts->wanted = result->end_text;
        return give_up(parts, rank, PARTS_USE_AGENTS);
    }
    if (result->ended && result->end.kind == WIRE_REFUSED) {
        snprintf(parts->reason, sizeof parts->reason, "%s", result->end_text);
        return false;
    }
    if (result->ended && !ends_well(parts, &result->end))
        return give_up(parts, rank, "may end with an error if all messages come in any order");
    if (!apart_step(parts->apart, rank, component, answer, result))
        return false;
    return !result->ended || !leaves_receive(parts, *component) ||
           give_up(parts, rank, "frees the request of a receive for which no message may come");
}

static bool move(void *self, unsigned rank, uint32_t state, const struct part_move *move, uint32_t *reached,
                 const struct part_gift **gift, size_t *gifts) {
    struct program_parts *parts = self;
    const struct resolution *answer = NULL;
    apart_forget_gifts(parts->apart);
    *reached = state;
    if (move->kind == PART_BEGIN)
        *reached = mpi_model_initial(parts->model, parts->steps->root(parts->steps->self, rank));
    else if (!apart_move(parts->apart, rank, reached, move, &answer))
        return false;
    if (!answer)
        answer = apart_ready(parts->apart, rank, *reached);
    for (unsigned steps = 0; answer; steps++) {
        if (steps == 1 << 16)
            return give_up(parts, rank, "goes on and on");
        if (!step(parts, rank, reached, answer))
            return false;
        answer = apart_ready(parts->apart, rank, *reached);
    }
    *gifts = apart_gifts(parts->apart, gift);
    return true;
}

static void expect(void *self, unsigned rank, uint32_t state, const struct part_move *move) {
    struct program_parts *parts = self;
    const struct step_source *steps = parts->steps;
    const struct resolution *answer;
    if (!apart_move(parts->apart, rank, &state, move, &answer))
        return;
    if (!answer)
        answer = apart_ready(parts->apart, rank, state);
    if (answer)
        steps->want(steps->self, mpi_model_local(parts->model, state), answer, false);
}

static uint64_t outcome_of(const struct program_parts *parts, uint32_t component) {
    const struct step_source *steps = parts->steps;
    uint32_t local = mpi_model_local(parts->model, component);
    const uint64_t outcome[] = {steps->output(steps->self, local), steps->memory ? steps->memory(steps->self, local) : 0};
    return XXH3_64bits(outcome, sizeof outcome);
}

static bool stand(void *self, unsigned rank, uint32_t state, struct part_stand *stand) {
    struct program_parts *parts = self;
    if (!apart_stand(parts->apart, rank, state, stand))
        return false;
    if (stand->ended)
        stand->outcome = outcome_of(parts, state);
    return true;
}

static uint32_t takes(void *self, unsigned rank, uint32_t state, uint32_t content) {
    (void)rank;
    return apart_takes(((struct program_parts *)self)->apart, state, content);
}

static uint32_t unreleased(void *self, unsigned rank, uint32_t state, uint32_t content) {
    (void)rank;
    return apart_unreleased(((struct program_parts *)self)->apart, state, content);
}

static bool unnoticed(void *self, unsigned rank, uint32_t state, uint32_t content) {
    (void)rank;
    return apart_unnoticed(((struct program_parts *)self)->apart, state, content);
}

static uint32_t members(void *self, uint32_t line) { return apart_members(((struct program_parts *)self)->apart, line); }

static bool needs(void *self, uint32_t content, unsigned other) {
    return apart_needs(((struct program_parts *)self)->apart, content, other);
}

static bool fits(void *self, unsigned rank, const uint32_t *content, size_t contents) {
    return apart_fits(((struct program_parts *)self)->apart, rank, content, contents);
}

static bool stop(void *self, uint64_t bytes) {
    const struct parts_options *options = ((struct program_parts *)self)->options;
    return options->stop && options->stop(options->context, bytes);
}

static struct parts_model ranks_of(struct program_parts *parts) {
    return (struct parts_model){.self = parts,
                                .ranks = parts->options->ranks,
                                .move = move,
                                .expect = expect,
                                .stand = stand,
                                .takes = takes,
                                .members = members,
                                .unreleased = unreleased,
                                .unnoticed = unnoticed,
                                .needs = needs,
                                .fits = fits,
                                .stop = stop};
}

static void add_reason(const struct program_parts *parts, char *why, size_t room) {
    if (!why[0])
        snprintf(why, room, "%s", parts->reason[0] ? parts->reason : apart_reason(parts->apart));
}

bool parts_of_program(struct mpi_model *model, const struct step_source *steps, const struct parts_options *options,
                      struct parts_proof *proof) {
    struct program_parts parts = {
        .model = model, .steps = steps, .options = options, .apart = apart_create(model, options->ranks, options->loose)};
    const struct parts_model ranks = ranks_of(&parts);
    bool proved = parts_prove(&ranks, options->most_states, &proof->statistics, proof->why, sizeof proof->why);
    if (!proved)
        add_reason(&parts, proof->why, sizeof proof->why);
    proof->steps = parts.asked;
    proof->wanted = parts.wanted;
    proof->holding = apart_holding(parts.apart, &proof->hold);
    apart_destroy(parts.apart);
    return proved;
}

bool parts_useless_in_program(struct mpi_model *model, const struct step_source *steps, const struct parts_options *options) {
    struct program_parts parts = {
        .model = model, .steps = steps, .options = options, .apart = apart_create(model, options->ranks, options->loose)};
    const struct parts_model ranks = ranks_of(&parts);
    char why[256];
    bool useless = parts_prove_useless(&ranks, options->most_states, why, sizeof why);
    apart_destroy(parts.apart);
    return useless;
}

static bool may_exchange(void *context, uint32_t rank, uint32_t content, uint32_t other) {
    const struct program_parts *parts = context;
    return parts->options->exchangeable(parts->options->context, rank, apart_payload(parts->apart, content),
                                        apart_payload(parts->apart, other));
}

void parts_count_orders(struct mpi_model *model, const struct step_source *steps, const struct parts_options *options,
                        struct counted_orders *counted) {
    struct program_parts parts = {.model = model,
                                  .steps = steps,
                                  .options = options,
                                  .apart = apart_create(model, options->ranks, (struct apart_loose){0})};
    const struct parts_model ranks = ranks_of(&parts);
    const struct poeg_exchange exchange = {may_exchange, &parts};
    counted->known = poeg_counts_find(&ranks, options->most_states, options->exchangeable ? &exchange : NULL, &counted->counts,
                                      counted->why, sizeof counted->why);
    if (!counted->known)
        add_reason(&parts, counted->why, sizeof counted->why);
    apart_destroy(parts.apart);
}

struct run_visit {
    const struct apart *apart;
    void (*visit)(void *context, const struct run_event *event);
    void *context;
};

static void visit_event(void *context, const struct poeg_event *event) {
    const struct run_visit *run = context;
    struct run_event told = {.number = event->number,
                             .rank = event->rank == PART_MEETING ? -1 : (int32_t)event->rank,
                             .from = event->from,
                             .subgroup = event->subgroup,
                             .before = event->before,
                             .befores = event->befores};
    apart_tell(run->apart, event->content, &told.function, &told.site, &told.tag);
    run->visit(run->context, &told);
}

bool parts_of_run(struct mpi_model *model, const struct step_source *steps, const struct parts_options *options,
                  void (*visit)(void *context, const struct run_event *event), void *context, char *why, size_t room) {
    struct program_parts parts = {.model = model,
                                  .steps = steps,
                                  .options = options,
                                  .apart = apart_create(model, options->ranks, (struct apart_loose){0})};
    const struct parts_model ranks = ranks_of(&parts);
    struct run_visit run = {parts.apart, visit, context};
    bool ran = poeg_visit(&ranks, visit_event, &run, why, room);
    if (!ran)
        add_reason(&parts, why, room);
    apart_destroy(parts.apart);
    return ran;
}
