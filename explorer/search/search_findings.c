/* What the search met, as findings. A finding is distinct by its class and the calls concerned (function and site, whichever
 * ranks made them); the first of each kind is kept, whose ordering is the nearest to the reference. */
#include "explorer/containers/search_storage.h"
#include "explorer/search/witness.h"
#include "models/mpi/functions.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct places {
    struct where *where;
    size_t count, room;
};

static void add_place(struct places *places, unsigned rank, unsigned function, uint32_t site) {
    places->where = storage_grow(places->where, &places->room, places->count + 1, sizeof *places->where);
    places->where[places->count++] = (struct where){(uint16_t)rank, (uint16_t)function, site, false};
}

/* As add_place, once only; false if it was there. */
static bool add_new_place(struct places *places, unsigned rank, unsigned function, uint32_t site) {
    for (size_t i = 0; i < places->count; i++) {
        const struct where *where = &places->where[i];
        if (where->rank == rank && where->function == function && where->site == site)
            return false;
    }
    add_place(places, rank, function, site);
    return true;
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t key_of(const char *class_name, const struct places *places) {
    uint64_t *call = storage_new(places->count, sizeof *call);
    for (size_t i = 0; i < places->count; i++)
        call[i] = (uint64_t)places->where[i].function << 32 | places->where[i].site;
    qsort(call, places->count, sizeof *call, compare_numbers);
    size_t distinct = 0;
    for (size_t i = 0; i < places->count; i++)
        if (!i || call[i] != call[i - 1])
            call[distinct++] = call[i];
    uint64_t seed = XXH3_64bits(class_name, strlen(class_name));
    uint64_t key = XXH3_64bits_withSeed(call, distinct * sizeof *call, seed);
    free(call);
    return key;
}

static bool has_key(const struct search *search, uint64_t key) {
    for (size_t i = 0; i < search->findings; i++)
        if (search->finding[i].key == key)
            return true;
    return false;
}

static bool is_known(const struct search *search, uint64_t key) {
    return (!search->following || search->options.compare) && has_key(search, key);
}

static struct ordering witness_to(struct search *search, uint32_t trail) {
    return trail == TRAIL_NONE ? ordering_copy(&search->followed) : ordering_to(search, trail);
}

static struct ordering first_ordering(struct search *search) {
    return search->following ? ordering_copy(&search->first_followed) : ordering_to(search, search->outcome[0].trail);
}

static void add_optional(struct places *places, const struct transition_story *story) {
    if (add_new_place(places, story->owner, story->function, story->site))
        places->where[places->count - 1].early = story->early;
}

/* The optional transitions that an ordering took: what must be buffered, or left early, for it to happen. */
static struct places buffered_in(const struct ordering *ordering) {
    struct places places = {0};
    for (size_t i = 0; i < ordering->decisions; i++) {
        const struct decision *decision = &ordering->decision[i];
        if (decision->transition.optional)
            add_optional(&places, &decision->story);
    }
    return places;
}

/* The optional transitions on offer: what must not happen. */
static struct places optional_offered(const struct search *search, const uint32_t *state) {
    struct places places = {0};
    for (size_t i = 0; i < search->offer->count; i++) {
        const struct transition *transition = &search->offer->transition[i];
        if (!transition->optional)
            continue;
        struct transition_story story = {0};
        mpi_model_tell(search->model, state, transition, &story);
        add_optional(&places, &story);
    }
    return places;
}

void report_glimpse(struct search *search) {
    search->suspicious = true;
    search->glimpsed |= search->symmetry_use != SYMMETRY_USED; /* what an image shows need not happen */
    search_stop(search, SEARCH_FOUND, NULL);
}

bool search_has_glimpsed(const struct search *search) { return search->glimpsed && !search->findings; }

static void reach_goal(struct search *search, uint32_t trail) {
    search->goal_reached = true;
    free(search->goal_ordering.decision);
    search->goal_ordering = witness_to(search, trail);
    search_stop(search, SEARCH_FOUND, NULL);
}

static bool ends_search(const struct search_options *options, const char *class_name) {
    return !options->keep_going || (options->is_enough && options->is_enough(options->enough_context, class_name));
}

static char *copy_text(const char *text) {
    return text ? memcpy(storage_new(strlen(text) + 1, 1), text, strlen(text) + 1) : NULL;
}

static struct finding *room_for_finding(struct search *search) {
    const size_t at = search->findings++;
    search->finding = storage_grow(search->finding, &search->finding_room, at + 1, sizeof *search->finding);
    return &search->finding[at];
}

/* Starts a finding that takes over `places`; NULL (and `places` freed) if it is known already. The caller adds a message. */
static struct finding *begin_finding(struct search *search, const char *class_name, struct places *places, uint32_t trail) {
    if (search->blind) {
        report_glimpse(search);
        free(places->where);
        return NULL;
    }
    uint64_t key = key_of(class_name, places);
    const struct search_goal *goal = search->options.goal;
    if (goal && goal->finding == key)
        reach_goal(search, trail);
    if (goal || is_known(search, key)) {
        free(places->where);
        return NULL;
    }
    struct finding *finding = room_for_finding(search);
    *finding = (struct finding){.where = places->where,
                                .wheres = places->count,
                                .key = key,
                                .witness = witness_to(search, trail),
                                .agents = search->options.agents_kind,
                                .places = copy_text(search->options.places),
                                .expected = *mpi_model_expectations(search->model)};
    snprintf(finding->class_name, sizeof finding->class_name, "%s", class_name);
    struct places buffered = buffered_in(&finding->witness);
    finding->buffered = buffered.where;
    finding->buffereds = buffered.count;
    if (ends_search(&search->options, class_name))
        search_stop(search, SEARCH_FOUND, NULL);
    return finding;
}

static const char *class_of_end(const struct wire_end *end) {
    switch (end->kind) {
    case WIRE_EXIT: return "exit-status";
    case WIRE_ABORT: return "abort";
    case WIRE_VIOLATION: return end->class_name;
    case WIRE_RUNAWAY: return "runaway";
    case WIRE_UNSTABLE: return "nondeterministic-rank";
    default: /* WIRE_CRASH, WIRE_LOST */ return "crash";
    }
}

/* It does not count for whether the finding is a new one: in other orderings the rank may enter later. */
static void add_entered(struct finding *finding, const struct where *entered) {
    struct places places = {finding->where, finding->wheres, finding->wheres};
    add_new_place(&places, entered->rank, entered->function, entered->site);
    finding->where = places.where;
    finding->wheres = places.count;
}

static void report_fault(struct search *search, const struct fault *fault, uint32_t trail) {
    struct places places = {0};
    char class_name[sizeof fault->result->end.class_name + 1] = {0};
    if (fault->result) {
        const struct wire_end *end = &fault->result->end;
        strncpy(class_name, class_of_end(end), sizeof class_name - 1);
        add_place(&places, fault->rank, end->function, (uint32_t)end->site);
        for (size_t i = 0; i < sizeof end->place / sizeof *end->place; i++)
            if (end->place[i].function && end->place[i].site)
                add_new_place(&places, (unsigned)end->place[i].rank, end->place[i].function, (uint32_t)end->place[i].site);
    } else {
        const struct violation *violation = &fault->violation;
        strncpy(class_name, violation->class_name, sizeof class_name - 1);
        add_place(&places, violation->rank, violation->function, violation->site);
        add_new_place(&places, violation->partner, violation->partner_function, violation->partner_site);
    }
    struct finding *finding = begin_finding(search, class_name, &places, trail);
    if (!finding)
        return;
    finding->message = message_of_fault(fault);
    finding->step = fault->result;
    if (fault->entered.function)
        add_entered(finding, &fault->entered);
}

void report_faults(struct worker *worker, uint32_t trail) {
    struct search *search = worker->search;
    for (size_t i = 0; i < worker->faults && !search->stopped; i++) {
        const struct fault *fault = &worker->fault[i];
        if (!fault->result && !strcmp(fault->violation.class_name, "refused"))
            search_stop(search, SEARCH_REFUSED, fault->violation.message);
        else
            report_fault(search, fault, trail);
    }
}

/* The calls of all ranks that have not ended. */
static struct places waiting_places(const struct search *search, const uint32_t *state) {
    struct places places = {0};
    for (unsigned rank = 0; rank < search->program_ranks; rank++) {
        const struct step_result *result = mpi_model_result(search->model, state[rank]);
        if (result && !mpi_model_ended(search->model, state[rank]))
            add_place(&places, rank, result->call.function, result->call.site);
    }
    return places;
}

static void add_synchronous(struct search *search, struct finding *finding, const uint32_t *state) {
    struct places synchronous = optional_offered(search, state);
    finding->synchronous = synchronous.where;
    finding->synchronouses = synchronous.count;
}

/* Agents that know of one holder of a lock make owners wait who need not: what they are stuck in may be no error. */
static bool better_agents_may_help(struct search *search, const uint32_t *state) {
    int kind = search->options.agents_kind;
    if (AGENTS_FOR_WINDOWS(kind) != AGENTS_EXCLUSIVE || !waits_for_own_agent(search, state))
        return false;
    search->agents_wanted = AGENTS(AGENTS_GENERAL, AGENTS_FOR_FILES(kind)) | AGENTS_BESIDES(kind);
    search_stop(search, SEARCH_AGENTS, NULL);
    return true;
}

void report_deadlock(struct search *search, const uint32_t *state, uint32_t trail) {
    if (better_agents_may_help(search, state))
        return;
    struct places places = waiting_places(search, state);
    struct finding *finding = begin_finding(search, "deadlock", &places, trail);
    if (!finding)
        return;
    finding->message = message_of_deadlock(search, state);
    add_synchronous(search, finding, state);
}

void report_livelock(struct search *search, const uint32_t *state, uint32_t trail) {
    if (better_agents_may_help(search, state))
        return;
    struct places places = waiting_places(search, state);
    struct finding *finding = begin_finding(search, "livelock", &places, trail);
    if (!finding)
        return;
    finding->message = message_of_livelock(search, state);
    finding->witness.endless = true;
    add_synchronous(search, finding, state);
}

static struct finding *begin_leak(struct search *search, const char *class_name, unsigned rank, uint16_t function,
                                  uint64_t site, uint32_t trail) {
    struct places places = {0};
    add_place(&places, rank, function, (uint32_t)site);
    return begin_finding(search, class_name, &places, trail);
}

static void report_leaks(struct search *search, const uint32_t *state, uint32_t trail) {
    for (unsigned rank = 0; rank < search->program_ranks && !search->stopped; rank++) {
        const struct wire_end *end = &mpi_model_result(search->model, state[rank])->end;
        struct finding *finding = NULL;
        if (end->leaked_requests)
            finding = begin_leak(search, "request-leak", rank, end->leak_function, end->leak_site, trail);
        if (finding)
            finding->message = message_of_leak(rank, end->leaked_requests);
        if (!end->leaked_handles || search->stopped)
            continue;
        finding = begin_leak(search, "handle-leak", rank, end->handle_function, end->handle_site, trail);
        if (finding)
            finding->message = message_of_handle_leak(rank, end->leaked_handles, end->handle_kind);
    }
}

/* Operations that are not over though all ranks have ended. */
struct unmatched {
    struct places places;
    struct operation first;
    unsigned rank;
};

static void add_unmatched(struct unmatched *unmatched, const struct operation *operation) {
    if (!unmatched->places.count)
        unmatched->first = *operation;
    add_place(&unmatched->places, unmatched->rank, operation->function, operation->site);
}

static bool is_of_epoch(const struct operation *operation) {
    return operation->function == FUNCTION_MPI_Win_start || operation->function == FUNCTION_MPI_Win_complete ||
           operation->function == FUNCTION_MPI_Win_post;
}

static void visit_unreceived(void *context, const struct operation *operation, enum operation_status status, bool awaited) {
    (void)awaited;
    if (operation->kind == WIRE_SEND && status != OPERATION_COMPLETE && !is_of_epoch(operation))
        add_unmatched(context, operation);
}

/* What who accesses a window and who exposes it tell each other. */
static void visit_half_epoch(void *context, const struct operation *operation, enum operation_status status, bool awaited) {
    (void)awaited;
    if (operation->kind == WIRE_SEND && status != OPERATION_COMPLETE && is_of_epoch(operation))
        add_unmatched(context, operation);
}

/* Receives whose requests were freed, and not those that epochs are made of; others are told with their ranks' ends. */
static void visit_unsent(void *context, const struct operation *operation, enum operation_status status, bool awaited) {
    (void)awaited;
    if (operation_is_freed_receive(operation, status) && !is_of_epoch(operation))
        add_unmatched(context, operation);
}

struct unmatched_kind {
    const char *class_name;
    void (*visit)(void *context, const struct operation *operation, enum operation_status status, bool awaited);
    char *(*message)(const struct where *where, size_t wheres, const struct operation *first);
};

static const struct unmatched_kind unmatched_kind[] = {
    {"unreceived-message", visit_unreceived, message_of_unreceived},
    {"rma-epoch", visit_half_epoch, message_of_half_epoch},
    {"request-leak", visit_unsent, message_of_freed_receive},
};
enum { UNMATCHED_KINDS = sizeof unmatched_kind / sizeof *unmatched_kind };

static struct unmatched unmatched_in(const struct search *search, const uint32_t *state, const struct unmatched_kind *kind) {
    struct unmatched unmatched = {0};
    for (unmatched.rank = 0; unmatched.rank < search->program_ranks; unmatched.rank++)
        mpi_model_outstanding(search->model, state[unmatched.rank], kind->visit, &unmatched);
    return unmatched;
}

static bool has_unmatched(const struct search *search, const uint32_t *state) {
    bool any = false;
    for (int i = 0; i < UNMATCHED_KINDS && !any; i++) {
        struct unmatched unmatched = unmatched_in(search, state, &unmatched_kind[i]);
        any = unmatched.places.count > 0;
        free(unmatched.places.where);
    }
    return any;
}

static void report_unmatched(struct search *search, const uint32_t *state, uint32_t trail) {
    for (int i = 0; i < UNMATCHED_KINDS && !search->stopped; i++) {
        const struct unmatched_kind *kind = &unmatched_kind[i];
        struct unmatched unmatched = unmatched_in(search, state, kind);
        struct finding *finding =
            unmatched.places.count ? begin_finding(search, kind->class_name, &unmatched.places, trail) : NULL;
        if (finding)
            finding->message = kind->message(finding->where, finding->wheres, &unmatched.first);
    }
}

/* What counts of how a rank ended. */
struct rank_outcome {
    uint64_t output;
    uint64_t memory; /* 0 if it does not count */
    int32_t code;
    uint32_t kind;
};

static struct rank_outcome outcome_of_local(const struct search *search, uint32_t local, const struct wire_end *end) {
    const struct step_source *steps = search->steps;
    return (struct rank_outcome){steps->output(steps->self, local), steps->memory ? steps->memory(steps->self, local) : 0,
                                 end->code, end->kind};
}

static struct rank_outcome outcome_of_rank(const struct search *search, const uint32_t *state, unsigned rank) {
    return outcome_of_local(search, mpi_model_local(search->model, state[rank]),
                            &mpi_model_result(search->model, state[rank])->end);
}

/* Of an agent only what has become of MPI files counts. */
static struct rank_outcome outcome_of_agent(const struct search *search, const uint32_t *state, unsigned rank) {
    const struct step_source *steps = search->steps;
    return (struct rank_outcome){.output = steps->output(steps->self, mpi_model_local(search->model, state[rank]))};
}

static struct rank_outcome outcome_of(const struct search *search, const uint32_t *state, unsigned rank) {
    return rank < search->program_ranks ? outcome_of_rank(search, state, rank) : outcome_of_agent(search, state, rank);
}

static uint64_t outcome_hash(const struct search *search, const uint32_t *state) {
    uint64_t hash = 0;
    for (unsigned rank = 0; rank < search->ranks; rank++) {
        struct rank_outcome outcome = outcome_of(search, state, rank);
        hash = XXH3_64bits_withSeed(&outcome, sizeof outcome, hash);
    }
    return hash;
}

/* The first rank that ended in another way; if all that differs is memory, the first whose memory does. */
static unsigned first_difference(const struct search *search, const uint32_t *state, const uint32_t *other, bool *only_memory) {
    unsigned first = search->ranks;
    for (unsigned rank = 0; rank < search->ranks; rank++) {
        struct rank_outcome a = outcome_of(search, state, rank), b = outcome_of(search, other, rank);
        *only_memory = a.output == b.output && a.code == b.code && a.kind == b.kind;
        if (!*only_memory)
            return rank;
        if (a.memory != b.memory && first == search->ranks)
            first = rank;
    }
    return first; /* there is one: their hashes differ */
}

/* The decision at which an ordering leaves another one. */
static struct places departure(const struct ordering *ordering, const struct ordering *other) {
    struct places places = {0};
    size_t i = 0;
    while (i < ordering->decisions && i < other->decisions &&
           transition_equal(&ordering->decision[i].transition, &other->decision[i].transition))
        i++;
    if (i == ordering->decisions)
        return places;
    const struct transition_story *story = &ordering->decision[i].story;
    add_place(&places, story->owner, story->function, story->site);
    if (story->partner != story->owner)
        add_place(&places, story->partner, story->partner_function, story->partner_site);
    return places;
}

static void report_race(struct search *search, const uint32_t *state, uint32_t trail) {
    struct ordering other = first_ordering(search), witness = witness_to(search, trail);
    struct places places = departure(&witness, &other);
    free(witness.decision);
    bool only_memory;
    const uint32_t *other_state = search->first_end;
    unsigned rank = first_difference(search, state, other_state, &only_memory);
    struct finding *finding = begin_finding(search, only_memory ? "race-state" : "race-output", &places, trail);
    if (!finding) {
        free(other.decision);
        return;
    }
    finding->race = true;
    finding->other = other;
    finding->outcome = search->outcome[search->outcomes - 1].hash;
    finding->other_outcome = search->outcome[0].hash;
    finding->difference.rank = (uint16_t)rank;
    finding->difference.local = mpi_model_local(search->model, state[rank]);
    finding->difference.other_local = mpi_model_local(search->model, other_state[rank]);
    finding->message = only_memory ? message_of_state_race(search, finding) : message_of_race(rank);
}

static void note_outcome(struct search *search, const uint32_t *state, uint32_t trail) {
    uint64_t hash = outcome_hash(search, state);
    const struct search_goal *goal = search->options.goal;
    if (goal && !goal->finding && (hash == goal->outcome) != goal->other)
        reach_goal(search, trail);
    if (goal)
        return;
    for (size_t i = 0; i < search->outcomes; i++)
        if (search->outcome[i].hash == hash)
            return;
    search->outcome = storage_grow(search->outcome, &search->outcome_room, search->outcomes + 1, sizeof *search->outcome);
    search->outcome[search->outcomes++] = (struct outcome){hash, trail};
    if (search->outcomes == 1) {
        memcpy(search->first_end, state, search->ranks * sizeof *state);
        search->first_followed = ordering_copy(&search->followed);
    } else if (search->blind) {
        report_glimpse(search);
    } else {
        report_race(search, state, trail);
    }
}

static void tell_terminal(struct search *search, const uint32_t *state) {
    for (unsigned rank = 0; rank < search->program_ranks; rank++)
        search->end_locals[rank] = mpi_model_local(search->model, state[rank]);
    search->options.terminal(search->options.terminal_context, search->end_locals);
}

void report_end(struct search *search, const uint32_t *state, uint32_t trail) {
    if (search->options.terminal && !search->following && search->symmetry_use != SYMMETRY_USED)
        tell_terminal(search, state);
    report_unmatched(search, state, trail);
    if (!search->stopped)
        report_leaks(search, state, trail);
    if (!search->stopped && (!search->following || search->options.compare || search->options.goal))
        note_outcome(search, state, trail);
}

bool search_ended_alike(const struct search *search, unsigned rank, uint32_t local, const struct step_result *result) {
    const struct rank_outcome first = outcome_of_rank(search, search->first_end, rank),
                              other = outcome_of_local(search, local, &result->end);
    return memcmp(&first, &other, sizeof first) == 0;
}

bool search_end_fails(const struct search *search, const uint32_t *state) {
    bool leaks = has_unmatched(search, state);
    for (unsigned rank = 0; rank < search->program_ranks; rank++) {
        const struct wire_end *end = &mpi_model_result(search->model, state[rank])->end;
        leaks |= end->leaked_requests || end->leaked_handles;
    }
    return leaks || !search->outcomes || outcome_hash(search, state) != search->outcome[0].hash;
}

bool search_first_end(const struct search *search, uint32_t *local) {
    if (!search->outcomes)
        return false;
    const uint32_t *state = search->first_end;
    for (unsigned rank = 0; rank < search->ranks; rank++)
        local[rank] = mpi_model_local(search->model, state[rank]);
    return true;
}

size_t ordering_differences(const struct ordering *ordering) {
    size_t differences = 0;
    for (size_t i = 0; i < ordering->decisions; i++)
        differences += ordering->decision[i].differs;
    return differences;
}

bool search_goal_ordering(const struct search *search, struct ordering *ordering) {
    if (search->goal_reached)
        *ordering = ordering_copy(&search->goal_ordering);
    return search->goal_reached;
}

bool search_has_reduced(const struct search *search) { return search->reduced; }

void search_swap_finding(struct search *search, size_t number, struct search *from, size_t from_number) {
    struct finding finding = search->finding[number];
    search->finding[number] = from->finding[from_number];
    from->finding[from_number] = finding;
}

void search_set_minimal(struct search *search, size_t number, bool minimal) { search->finding[number].minimal = minimal; }

void search_set_message(struct search *search, size_t finding, char *message) {
    free(search->finding[finding].message);
    search->finding[finding].message = message;
}

static void free_finding(struct finding *finding) {
    free(finding->message);
    free(finding->where);
    free(finding->buffered);
    free(finding->synchronous);
    free(finding->witness.decision);
    free(finding->other.decision);
    free(finding->places);
}

void search_adopt_findings(struct search *search, struct search *other) {
    size_t kept = 0;
    for (size_t i = 0; i < other->findings; i++) {
        if (has_key(search, other->finding[i].key)) {
            other->finding[kept++] = other->finding[i];
            continue;
        }
        struct finding *finding = room_for_finding(search);
        *finding = other->finding[i];
        finding->adopted = true;
    }
    other->findings = kept;
}

void findings_clear(struct search *search) {
    for (size_t i = 0; i < search->findings; i++)
        free_finding(&search->finding[i]);
    free(search->finding);
    free(search->goal_ordering.decision);
    free(search->outcome);
    free(search->first_followed.decision);
    free(search->outcome_list);
    search->finding = NULL;
    search->goal_reached = false;
    search->goal_ordering = (struct ordering){0};
    search->outcome = NULL;
    search->first_followed = (struct ordering){0};
    search->outcome_list = NULL;
    search->findings = search->finding_room = search->outcomes = search->outcome_room = 0;
}
