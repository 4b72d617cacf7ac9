/* Answers to blocking calls. */
#include "models/mpi/model_parts.h"

#include <string.h>

struct resolution *answer_begin(struct mpi_model *model, unsigned rank, enum wire_answer_kind kind) {
    struct resolution *answer = model->answer[rank];
    memset(answer, 0, sizeof *answer);
    answer->kind = (uint8_t)kind;
    return answer;
}

struct completion *answer_add(struct mpi_model *model, unsigned rank) {
    uint32_t count = model->answer[rank]->completions++;
    if (count == model->answer_room[rank]) {
        uint32_t room = count * 2 + 8;
        model->answer[rank] = model_resize(model->answer[rank], sizeof **model->answer + room * sizeof(struct completion));
        model->answer_room[rank] = room;
    }
    struct completion *completion = &model->answer[rank]->completion[count];
    memset(completion, 0, sizeof *completion);
    return completion;
}

const struct resolution *call_not_yet(struct mpi_model *model, unsigned rank) {
    return answer_begin(model, rank, WIRE_NOT_YET);
}

uint32_t call_complete_count(const struct component *component, const struct call *call) {
    uint32_t count = 0, from = 0;
    for (uint32_t i = 0; i < call->requests; i++) {
        uint32_t at = pending_find_from(component, call->request[i], &from);
        count += at != UINT32_MAX && pending_complete(&component->pending[at]);
    }
    return count;
}

bool call_lists(const struct call *call, uint32_t request) {
    for (uint32_t i = 0; call && i < call->requests; i++)
        if (call->request[i] == request)
            return true;
    return false;
}

bool call_claims(const struct call *call) { return call->kind == WIRE_CALL_MPROBE || call->kind == WIRE_CALL_IMPROBE; }

/* The parts of the collective whose completion was just added; adding them may move it. */
static void report_collective(struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t record) {
    uint32_t head = model->answer[rank]->completions - 1;
    uint32_t parts = collective_add_parts(model, state, rank, record);
    model->answer[rank]->completion[head].parts = parts;
}

static void report(struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t index, uint32_t at) {
    const struct pending *pending = &component_at(model, state[rank])->pending[at];
    struct completion *completion = answer_add(model, rank);
    bool received = pending->kind == WIRE_RECEIVE; /* if it was cancelled, from nobody, and nothing */
    completion->index = index;
    completion->source = received ? pending->source : -1;
    completion->tag = received ? pending->source_tag : -1;
    completion->cancelled = (pending->flags & PENDING_CANCELLED) != 0;
    completion->synchronous = pending->synchronous;
    completion->with_data = received;
    completion->payload = received ? pending->payload : NO_PAYLOAD;
    if (pending->kind == WIRE_COLLECTIVE)
        report_collective(model, state, rank, at);
}

const struct resolution *call_completed(struct mpi_model *model, const uint32_t *state, unsigned rank, struct choice choice) {
    const struct component *component = component_at(model, state[rank]);
    const struct call *call = component_call(component);
    answer_begin(model, rank, WIRE_COMPLETED);
    uint32_t ordinal = 0, from = 0;
    for (uint32_t i = 0; i < call->requests; i++) {
        uint32_t at = pending_find_from(component, call->request[i], &from);
        if (at == UINT32_MAX || !pending_complete(&component->pending[at]))
            continue;
        bool chosen = choice.kind == CHOICE_ALL || (choice.kind == CHOICE_ONE && ordinal == choice.which) ||
                      (choice.kind == CHOICE_SET && (choice.which >> ordinal & 1)) ||
                      (choice.kind == CHOICE_REST && !(component->pending[at].flags & PENDING_PASSED));
        if (chosen)
            report(model, state, rank, i, at);
        ordinal++;
    }
    return model->answer[rank];
}

static bool begins_send(const struct step_result *result, uint32_t request) {
    for (uint32_t i = 0; i < result->operations; i++) {
        const struct operation *operation = &result->operation[i];
        if (operation->request == request)
            return operation->kind == WIRE_SEND && operation->mode == WIRE_STANDARD;
    }
    return false;
}

bool mpi_model_expects_answer(const struct step_result *result, struct resolution *answer) {
    const struct call *call = &result->call;
    if (result->ended || call->kind != WIRE_CALL_WAIT_ALL || call->requests > EXPECTED_SENDS)
        return false;
    memset(answer, 0, EXPECTED_ANSWER_BYTES);
    answer->kind = WIRE_COMPLETED;
    for (uint32_t i = 0; i < call->requests; i++) {
        if (!begins_send(result, call->request[i]))
            return false;
        answer->completion[answer->completions++] =
            (struct completion){.index = i, .source = -1, .tag = -1, .payload = NO_PAYLOAD};
    }
    return answer->completions > 0;
}

/* The smallest number that no message of this sender to this rank is claimed by. What other ranks claim does not matter: an
 * answer must not depend on who was first. */
static uint64_t free_claim(const struct component *sender, unsigned rank) {
    uint64_t claim = 0;
    for (uint32_t i = 0; i < sender->count; i++)
        if ((sender->pending[i].flags & PENDING_CLAIMED) && sender->pending[i].peer == (int32_t)rank &&
            sender->pending[i].capacity == claim) {
            claim++;
            i = UINT32_MAX;
        }
    return claim;
}

const struct resolution *call_found(struct mpi_model *model, const uint32_t *state, unsigned rank, unsigned source) {
    const struct component *component = component_at(model, state[rank]);
    const struct call *call = component_call(component);
    const struct component *sender = component_at(model, state[source]);
    struct envelope envelope = probe_envelope(component, call);
    const struct pending *message = &sender->pending[channel_match(model, state, rank, source, &envelope)];
    bool claims = call_claims(call);
    answer_begin(model, rank, WIRE_FOUND);
    struct completion *completion = answer_add(model, rank);
    completion->source = (int32_t)source;
    completion->tag = message->tag;
    completion->payload = message->payload;
    completion->with_data = claims;
    completion->claim = claims ? free_claim(sender, rank) : 0;
    return model->answer[rank];
}
