#include "explorer/search/near_miss.h"

#include "models/mpi/enforce/choices.h"

/* What a rank waits for. */
struct wanted {
    unsigned rank;
    uint32_t context;
    int32_t source, tag;
};

/* The messages of one rank after another are looked at. */
struct looking {
    FILE *out;
    const struct search *search;
    const uint32_t *state;
    struct wanted wanted;
    unsigned source;
    bool told;
};

static bool is_open(enum operation_status status) { return status == OPERATION_PENDING || status == OPERATION_BUFFERED; }

static void visit_send(void *context, const struct operation *send, enum operation_status status, bool awaited) {
    struct looking *looking = context;
    const struct wanted *wanted = &looking->wanted;
    (void)awaited;
    if (looking->told || send->kind != WIRE_SEND || send->peer != (int32_t)wanted->rank || !is_open(status) ||
        !choice_is_message(send->function))
        return;
    bool tag = wanted->tag == WIRE_ANY_TAG || wanted->tag == send->tag, communicator = wanted->context == send->context;
    if (tag == communicator)
        return;
    looking->told = true;
    fprintf(looking->out, "; rank %u sends to rank %u ", looking->source, wanted->rank);
    if (tag)
        fputs("on another communicator than that on which it receives", looking->out);
    else
        fprintf(looking->out, "with tag %d, where tag %d is wanted", send->tag, wanted->tag);
}

static void look_for(struct looking *looking, const struct wanted *wanted) {
    const struct search *search = looking->search;
    looking->wanted = *wanted;
    for (looking->source = 0; looking->source < search->program_ranks; looking->source++)
        if (wanted->source == WIRE_ANY_SOURCE || wanted->source == (int32_t)looking->source)
            mpi_model_outstanding(search->model, looking->state[looking->source], visit_send, looking);
}

static void visit_receive(void *context, const struct operation *receive, enum operation_status status, bool awaited) {
    struct looking *looking = context;
    const struct wanted wanted = {looking->wanted.rank, receive->context, receive->peer, receive->tag};
    (void)status;
    if (awaited && receive->kind == WIRE_RECEIVE && choice_is_message(receive->function))
        look_for(looking, &wanted);
}

void near_miss_tell(FILE *out, const struct search *search, const uint32_t *state) {
    struct looking looking = {.out = out, .search = search, .state = state};
    for (unsigned rank = 0; rank < search->program_ranks && !looking.told; rank++) {
        const struct step_result *result = mpi_model_result(search->model, state[rank]);
        if (!result || mpi_model_ended(search->model, state[rank]))
            continue;
        const struct call *call = &result->call;
        looking.wanted.rank = rank;
        if (call_is_probe(call))
            look_for(&looking, &(struct wanted){rank, call->context, call->peer, call->tag});
        else
            mpi_model_outstanding(search->model, state[rank], visit_receive, &looking);
    }
}
