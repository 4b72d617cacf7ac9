/* Transitions told to people: who does what, where, and about whose operation. */
#include "models/mpi/functions.h"
#include "models/mpi/model_parts.h"

#include <stdio.h>

static void tell_call(const struct mpi_model *model, const uint32_t *state, unsigned rank, struct transition_story *story) {
    const struct call *call = component_call(component_at(model, state[rank]));
    if (!call)
        return;
    story->function = call->function;
    story->site = call->site;
}

static void tell_operation(const struct pending *pending, uint16_t *function, uint32_t *site) {
    *function = pending->function;
    *site = pending->site;
}

/* Where the program has it in its list. */
static uint32_t position_of(const struct call *call, uint32_t index) { return call->position ? call->position[index] : index; }

static void tell_choice(const struct mpi_model *model, const uint32_t *state, const struct transition *transition,
                        struct transition_story *story) {
    const struct component *component = component_at(model, state[transition->owner]);
    const struct call *call = component_call(component);
    size_t used = 0;
    uint32_t ordinal = 0, from = 0;
    for (uint32_t i = 0; i < call->requests && used + 24 < sizeof story->detail; i++) {
        uint32_t at = pending_find_from(component, call->request[i], &from);
        if (at == UINT32_MAX || !pending_complete(&component->pending[at]))
            continue;
        bool chosen = transition->a == CHOICE_ALL || (transition->a == CHOICE_ONE && ordinal == transition->b) ||
                      (transition->a == CHOICE_SET && (transition->b >> ordinal & 1)) ||
                      (transition->a == CHOICE_REST && !(component->pending[at].flags & PENDING_PASSED));
        if (chosen)
            used += (size_t)snprintf(story->detail + used, sizeof story->detail - used, "%srequest %u", used ? ", " : "",
                                     position_of(call, i));
        ordinal++;
    }
}

static void tell_pass(const struct component *component, uint32_t passed, struct transition_story *story) {
    const struct call *call = component_call(component);
    uint32_t i = 0;
    while (i < call->requests && pending_find(component, call->request[i]) != passed)
        i++;
    snprintf(story->detail, sizeof story->detail, "request %u", position_of(call, i));
}

static bool chooses_access(const struct component *component) {
    const struct call *call = component_call(component);
    return call && call->kind == WIRE_CALL_WAIT_ANY && call->request[0] >= WIRE_HIDDEN_REQUESTS;
}

/* Of those that overlap. */
static void tell_access(const struct component *component, uint32_t chosen, struct transition_story *story) {
    const uint32_t at = pending_find(component, component_call(component)->request[chosen]);
    const struct pending *pending = &component->pending[at];
    story->verb = "does next the access of";
    story->partner = (uint16_t)(pending->tag - WIRE_ALTERNATIVES);
    tell_operation(pending, &story->partner_function, &story->partner_site);
}

/* An agent decides what a read gets that need not see the last writes: told as what the reader, which waits for it, does. */
static void tell_content(const struct mpi_model *model, const uint32_t *state, const struct transition *transition,
                         struct transition_story *story) {
    const struct component *agent = component_at(model, state[transition->owner]);
    const uint32_t at = pending_find(agent, component_call(agent)->request[0]);
    const unsigned reader = (unsigned)agent->pending[at].tag - WIRE_ALTERNATIVES;
    story->owner = story->partner = (uint16_t)reader;
    tell_call(model, state, reader, story);
    story->verb = "reads the file";
    snprintf(story->detail, sizeof story->detail, "%s",
             transition->b == 0 ? "as it is" : "as it was before it was synchronised");
}

/* An agent takes what a rank asks of a window: told as what that rank does. */
static void tell_agent(const struct mpi_model *model, const uint32_t *state, const struct transition *transition,
                       struct transition_story *story) {
    unsigned owner = transition->owner - (model->ranks - model->agents);
    story->owner = story->partner = transition->partner;
    story->verb = "reaches";
    if (transition->kind != TRANSITION_MATCH) {
        tell_content(model, state, transition, story);
        return;
    }
    const struct pending *request = &component_at(model, state[transition->partner])->pending[transition->b];
    tell_operation(request, &story->function, &story->site);
    if (request->tag & WIRE_TO_WINDOW)
        snprintf(story->detail, sizeof story->detail, "the window of rank %u", owner);
    else
        snprintf(story->detail, sizeof story->detail, "the file");
}

/* What these send to targets is no message of the program's. */
static void tell_epoch(const struct pending *pending, struct transition_story *story) {
    story->verb = "does not wait";
    story->tag = -1;
    story->early = true;
    snprintf(story->detail, sizeof story->detail, "for rank %d", pending->peer);
}

/* Does the rank look for accesses that others have announced, before it says something (window_announced.h)? */
static bool looks_for_accesses(const struct component *owner) {
    const struct call *call = component_call(owner);
    return call->kind == WIRE_CALL_IPROBE && call->function != FUNCTION_MPI_Iprobe;
}

void mpi_model_tell(const struct mpi_model *model, const uint32_t *state, const struct transition *transition,
                    struct transition_story *story) {
    static const char *const verb[] = {
        [TRANSITION_MATCH] = "receives from",         [TRANSITION_CANCELLED] = "cancels",
        [TRANSITION_BUFFER] = "is buffered",          [TRANSITION_EARLY] = "completes early",
        [TRANSITION_LEAVE] = "leaves early",          [TRANSITION_CHOOSE] = "is told of",
        [TRANSITION_PROBED] = "finds a message from", [TRANSITION_MISS] = "is told \"not yet\"",
        [TRANSITION_PASS] = "is not told of",         [TRANSITION_GO] = "goes on",
    };
    const struct component *owner = component_at(model, state[transition->owner]);
    const struct component *partner = component_at(model, state[transition->partner]);
    *story = (struct transition_story){
        .verb = verb[transition->kind], .owner = transition->owner, .partner = transition->partner, .tag = -1};
    story->early = transition->kind == TRANSITION_LEAVE || transition->kind == TRANSITION_EARLY;
    if (transition->owner >= model->ranks - model->agents) {
        tell_agent(model, state, transition, story);
        return;
    }
    tell_call(model, state, transition->owner, story);
    switch (transition->kind) {
    case TRANSITION_MATCH:
        tell_operation(&owner->pending[transition->a], &story->function, &story->site);
        tell_operation(&partner->pending[transition->b], &story->partner_function, &story->partner_site);
        story->tag = partner->pending[transition->b].tag;
        break;
    case TRANSITION_CANCELLED:
    case TRANSITION_EARLY:
    case TRANSITION_BUFFER: {
        const struct pending *pending = &owner->pending[transition->a];
        tell_operation(pending, &story->function, &story->site);
        if (pending->kind != WIRE_COLLECTIVE)
            story->tag = pending->tag;
        if (pending->kind == WIRE_SEND)
            snprintf(story->detail, sizeof story->detail, "to rank %d", pending->peer);
        if (story->function == FUNCTION_MPI_Win_start || story->function == FUNCTION_MPI_Win_complete)
            tell_epoch(pending, story);
        break;
    }
    case TRANSITION_PROBED: {
        struct envelope envelope = probe_envelope(owner, component_call(owner));
        uint32_t send = channel_match(model, state, transition->owner, transition->partner, &envelope);
        if (send == UINT32_MAX)
            break;
        tell_operation(&partner->pending[send], &story->partner_function, &story->partner_site);
        story->tag = partner->pending[send].tag;
        if (looks_for_accesses(owner)) {
            story->verb = "comes after an access to its window by";
            story->tag = -1;
        }
        break;
    }
    case TRANSITION_MISS:
        if (looks_for_accesses(owner))
            story->verb = "need not come after an access to its window";
        break;
    case TRANSITION_PASS: tell_pass(owner, transition->a, story); break;
    case TRANSITION_GO:
        if (!owner->result)
            story->verb = "begins";
        break;
    case TRANSITION_CHOOSE:
        if (chooses_access(owner))
            tell_access(owner, transition->b, story);
        else
            tell_choice(model, state, transition, story);
        break;
    default: break;
    }
}
