#include "explorer/search/choices_of_walk.h"

#include "explorer/containers/memory.h"
#include "models/mpi/decided.h"
#include "models/mpi/functions.h"

#include <stdlib.h>
#include <string.h>

/* An operation or a call, and which of the rank's choices it is. */
struct asked {
    size_t choice;    /* index in the rank's choices */
    uint32_t request; /* WIRE_NO_REQUEST: freed, or a call */
    uint32_t site;
    uint8_t kind; /* enum choice_class */
    bool over;    /* matched, withdrawn or answered */
};

static void *take_lists(unsigned ranks, size_t size) { return memory_take_zeroed(ranks * size); }

void choice_collector_begin(struct choice_collector *collector, unsigned ranks, enum buffering buffering) {
    *collector = (struct choice_collector){
        .rank = take_lists(ranks, sizeof *collector->rank),
        .buffered = buffering == BUFFERING_INFINITE,
        .asked = take_lists(ranks, sizeof *collector->asked),
        .asked_count = take_lists(ranks, sizeof *collector->asked_count),
        .asked_room = take_lists(ranks, sizeof *collector->asked_room),
    };
}

void choice_collector_end(struct choice_collector *collector, unsigned ranks) {
    for (unsigned rank = 0; rank < ranks; rank++)
        free(collector->asked[rank]);
    free(collector->asked);
    free(collector->asked_count);
    free(collector->asked_room);
}

void choices_of_ranks_free(struct choices *rank, unsigned ranks) {
    for (unsigned i = 0; rank && i < ranks; i++)
        choices_free(&rank[i]);
    free(rank);
}

/* --- asking -------------------------------------------------------------------------------------------------------------- */

static void ask(struct choice_collector *collector, unsigned rank, const struct choice_made *choice, uint32_t request,
                uint32_t site) {
    size_t *count = &collector->asked_count[rank];
    /* What is over at the end of the list will not be asked for again. */
    while (*count && collector->asked[rank][*count - 1].over)
        --*count;
    collector->asked[rank] =
        memory_room(collector->asked[rank], &collector->asked_room[rank], *count, sizeof **collector->asked);
    collector->asked[rank][(*count)++] =
        (struct asked){.choice = collector->rank[rank].count, .request = request, .site = site, .kind = choice->kind};
    choices_add(&collector->rank[rank], choice);
}

static uint8_t word_of_send(const struct choice_collector *collector, const struct operation *operation) {
    if (operation->mode == WIRE_BUFFERED)
        return WORD_BUFFERED;
    return operation->mode != WIRE_SYNCHRONOUS && collector->buffered ? WORD_BUFFERED : WORD_SYNCHRONOUS;
}

static void ask_operation(struct choice_collector *collector, unsigned rank, const struct operation *operation) {
    struct choice_made choice = {.function = operation->function, .kind = CHOICE_SEND};
    if (operation->kind == WIRE_SEND) {
        choice.word = word_of_send(collector, operation);
        choice_set_numbers(&choice, &operation->peer, 1);
    } else {
        choice.kind = CHOICE_RECEIVE;
        choice.word = operation->peer == WIRE_ANY_SOURCE ? WORD_NONE : WORD_NOTHING;
        choice_set_numbers(&choice, &operation->peer, operation->peer != WIRE_ANY_SOURCE);
    }
    ask(collector, rank, &choice, operation->request, operation->site);
}

static bool is_choice(const struct call *call) { return call->kind >= WIRE_CALL_WAIT_ANY && call->kind <= WIRE_CALL_TEST_SOME; }

static bool is_collective(const struct call *call) {
    return call->kind == WIRE_CALL_COLLECTIVE && call->tag != WIRE_OWN_COLLECTIVE && choice_is_collective(call->function);
}

static void ask_call(struct choice_collector *collector, unsigned rank, const struct call *call) {
    if (!call_is_probe(call) && !is_choice(call) && !is_collective(call))
        return;
    struct choice_made choice = {.kind = call_is_probe(call) ? CHOICE_PROBE
                                         : is_choice(call)   ? CHOICE_COMPLETE
                                                             : CHOICE_COLLECTIVE,
                                 .word = WORD_PENDING,
                                 .function = call->function};
    ask(collector, rank, &choice, WIRE_NO_REQUEST, call->site);
}

/* The newest with that request number; of those that were freed the oldest that is from the same call. */
static struct asked *find(const struct choice_collector *collector, unsigned rank, const struct operation *operation) {
    uint8_t kind = operation->kind == WIRE_SEND ? CHOICE_SEND : CHOICE_RECEIVE;
    bool freed = operation->request == WIRE_NO_REQUEST;
    struct asked *found = NULL, *asked = collector->asked[rank];
    for (size_t i = 0; i < collector->asked_count[rank] && !(freed && found); i++)
        if (!asked[i].over && asked[i].request == operation->request && asked[i].kind == kind &&
            (!freed || asked[i].site == operation->site))
            found = &asked[i];
    return found;
}

static struct asked *find_call(const struct choice_collector *collector, unsigned rank) {
    for (size_t i = collector->asked_count[rank]; i-- > 0;) {
        struct asked *asked = &collector->asked[rank][i];
        if (!asked->over && asked->kind != CHOICE_RECEIVE && asked->kind != CHOICE_SEND)
            return asked;
    }
    return NULL;
}

static void free_request(struct choice_collector *collector, unsigned rank, uint32_t request) {
    for (size_t i = 0; i < collector->asked_count[rank]; i++)
        if (collector->asked[rank][i].request == request)
            collector->asked[rank][i].request = WIRE_NO_REQUEST;
}

/* A request number is used again when the request is gone: older operations with it are over, named receives for instance, of
 * whose matches nobody tells. */
static void end_request(struct choice_collector *collector, unsigned rank, uint32_t request) {
    for (size_t i = 0; request != WIRE_NO_REQUEST && i < collector->asked_count[rank]; i++)
        if (collector->asked[rank][i].request == request)
            collector->asked[rank][i].over = true;
}

/* --- answers ------------------------------------------------------------------------------------------------------------- */

static void set(struct choice_collector *collector, unsigned rank, struct asked *asked, enum choice_word word,
                const int32_t *number, uint32_t numbers) {
    struct choice_made *choice = &collector->rank[rank].choice[asked->choice];
    choice->word = (uint8_t)word;
    choice_set_numbers(choice, number, numbers);
}

static void leave_early(struct choice_collector *collector, unsigned rank) {
    struct asked *asked = find_call(collector, rank);
    if (asked)
        set(collector, rank, asked, WORD_EARLY, NULL, 0);
}

void choice_collector_taking(void *context, const struct walk *walk, const struct transition *transition) {
    struct choice_collector *collector = context;
    unsigned rank = transition->owner;
    uint32_t *room = memory_take((mpi_model_awaited(walk->model, walk->state[rank]) + 1) * sizeof *room);
    struct decided decided = mpi_model_decided(walk->model, walk->state, transition, room);
    free(room);
    if (decided.kind == DECIDED_EARLY && decided.operation.kind != WIRE_COLLECTIVE)
        leave_early(collector, rank);
    if (decided.kind != DECIDED_SOURCE && decided.kind != DECIDED_CANCELLED && decided.kind != DECIDED_BUFFERED)
        return;
    struct asked *asked = find(collector, rank, &decided.operation);
    if (!asked)
        return;
    int32_t peer = decided.kind == DECIDED_SOURCE ? (int32_t)decided.partner : decided.operation.peer;
    bool sends = decided.operation.kind == WIRE_SEND;
    if (decided.kind == DECIDED_SOURCE)
        set(collector, rank, asked, WORD_NOTHING, &peer, 1);
    else if (decided.kind == DECIDED_CANCELLED)
        set(collector, rank, asked, WORD_CANCELLED, &peer, sends);
    else
        set(collector, rank, asked, WORD_BUFFERED, &peer, 1);
    asked->over = decided.kind != DECIDED_BUFFERED;
}

static void answer_call(struct choice_collector *collector, unsigned rank, const struct resolution *answer) {
    struct asked *asked = find_call(collector, rank);
    if (!asked)
        return;
    asked->over = true;
    if (asked->kind == CHOICE_COLLECTIVE) {
        bool early = collector->buffered || collector->rank[rank].choice[asked->choice].word == WORD_EARLY;
        set(collector, rank, asked, early ? WORD_EARLY : WORD_SYNCHRONOUS, NULL, 0);
        return;
    }
    if (answer->kind == WIRE_NOT_YET) {
        set(collector, rank, asked, WORD_NONE, NULL, 0);
        return;
    }
    int32_t *number = memory_take((answer->completions + 1) * sizeof *number);
    uint32_t numbers = 0;
    for (uint32_t i = 0; i < answer->completions; i += 1 + answer->completion[i].parts)
        number[numbers++] = asked->kind == CHOICE_PROBE ? answer->completion[i].source : (int32_t)answer->completion[i].index;
    set(collector, rank, asked, WORD_NOTHING, number, numbers);
    free(number);
}

void choice_collector_stepped(void *context, const struct walk *walk, unsigned rank, const struct resolution *answer,
                              const struct step_result *result) {
    struct choice_collector *collector = context;
    (void)walk;
    answer_call(collector, rank, answer);
    for (uint32_t i = 0; i < result->operations; i++) {
        const struct operation *operation = &result->operation[i];
        if (operation->kind == WIRE_FREE)
            free_request(collector, rank, operation->request);
        if (operation->kind != WIRE_SEND && operation->kind != WIRE_RECEIVE && operation->kind != WIRE_COLLECTIVE)
            continue;
        end_request(collector, rank, operation->request);
        if (operation->kind != WIRE_COLLECTIVE && choice_is_message(operation->function))
            ask_operation(collector, rank, operation);
    }
    if (!result->ended)
        ask_call(collector, rank, &result->call);
}

/* --- the way back -------------------------------------------------------------------------------------------------------- */

void choice_guide_begin(struct choice_guide *guide, unsigned ranks, enum buffering buffering, const struct choices *wanted) {
    *guide = (struct choice_guide){.wanted = wanted};
    choice_collector_begin(&guide->seen, ranks, buffering);
}

void choice_guide_end(struct choice_guide *guide, unsigned ranks) {
    choice_collector_end(&guide->seen, ranks);
    choices_of_ranks_free(guide->seen.rank, ranks);
}

/* What the rank chose where it is asked this; NULL: the recording ends before. */
static const struct choice_made *wanted_for(struct choice_guide *guide, unsigned rank, const struct asked *asked) {
    const struct choices *seen = &guide->seen.rank[rank];
    size_t k = 0;
    for (size_t i = 0; i < asked->choice; i++)
        k += seen->choice[i].kind == asked->kind;
    const struct choice_made *wanted = choices_get(&guide->wanted[rank], (enum choice_class)asked->kind, k);
    uint16_t function = seen->choice[asked->choice].function;
    bool never = !wanted || wanted->word == WORD_PENDING || (wanted->word == WORD_NONE && wanted->kind == CHOICE_RECEIVE);
    guide->over |= never;
    if (!never) {
        guide->unmet = wanted;
        guide->unmet_rank = rank;
    }
    if (!wanted || wanted->function == function)
        return wanted;
    snprintf(guide->sentence, sizeof guide->sentence, "rank %u calls %s where the recorded run called %s", rank,
             function_name(function), function_name(wanted->function));
    return NULL;
}

static bool is_number(const struct choice_made *wanted, uint32_t number) {
    return wanted->word == WORD_NOTHING && wanted->numbers == 1 && wanted->number[0] == (int32_t)number;
}

static bool same_positions(const struct choice_made *wanted, const struct decided *decided, uint32_t awaited) {
    if (wanted->word == WORD_ALL)
        return decided->positions == awaited;
    if (wanted->word != WORD_NOTHING || wanted->numbers != decided->positions)
        return false;
    for (uint32_t i = 0; i < wanted->numbers; i++)
        if (wanted->number[i] != (int32_t)decided->position[i])
            return false;
    return true;
}

/* Does the call report others, but not this one? */
static bool leaves_out(const struct choice_made *wanted, uint32_t position) {
    if (wanted->word != WORD_NOTHING)
        return false;
    for (uint32_t i = 0; i < wanted->numbers; i++)
        if (wanted->number[i] == (int32_t)position)
            return false;
    return true;
}

enum agreement { DISAGREES, AGREES, INDIFFERENT };

/* Of nonblocking collectives nothing is recorded: they complete early or not as their requests are reported. */
static enum agreement agreement_on_leaving(struct choice_guide *guide, const struct decided *decided) {
    const struct asked *asked = find_call(&guide->seen, decided->owner);
    if (decided->operation.kind == WIRE_COLLECTIVE || !asked || asked->kind != CHOICE_COLLECTIVE)
        return INDIFFERENT;
    const struct choice_made *wanted = wanted_for(guide, decided->owner, asked);
    if (!wanted || wanted->word == WORD_SYNCHRONOUS || wanted->word == WORD_PENDING)
        return DISAGREES;
    return wanted->word == WORD_EARLY ? AGREES : INDIFFERENT;
}

static enum agreement agreement(struct choice_guide *guide, const struct decided *decided, uint32_t awaited) {
    bool of_call = decided->kind == DECIDED_COMPLETION || decided->kind == DECIDED_PASSED || decided->kind == DECIDED_PROBE ||
                   decided->kind == DECIDED_MISS;
    if (decided->kind == DECIDED_BUFFERED && !choice_is_message(decided->operation.function))
        return INDIFFERENT;
    if (decided->kind == DECIDED_EARLY)
        return agreement_on_leaving(guide, decided);
    const struct asked *asked =
        of_call ? find_call(&guide->seen, decided->owner) : find(&guide->seen, decided->owner, &decided->operation);
    const struct choice_made *wanted = asked ? wanted_for(guide, decided->owner, asked) : NULL;
    if (!wanted)
        return DISAGREES;
    switch (decided->kind) {
    case DECIDED_SOURCE:
    case DECIDED_PROBE: return is_number(wanted, decided->partner) ? AGREES : DISAGREES;
    case DECIDED_CANCELLED: return wanted->word == WORD_CANCELLED ? AGREES : DISAGREES;
    case DECIDED_MISS: return wanted->word == WORD_NONE ? AGREES : DISAGREES;
    case DECIDED_PASSED: return leaves_out(wanted, decided->position[0]) ? AGREES : DISAGREES;
    case DECIDED_COMPLETION: return same_positions(wanted, decided, awaited) ? AGREES : DISAGREES;
    default: return wanted->word == WORD_BUFFERED ? AGREES : wanted->word == WORD_NOTHING ? INDIFFERENT : DISAGREES;
    }
}

/* Nothing agrees, though no rank's recording has ended. */
static void say_unmet(struct choice_guide *guide) {
    FILE *out = fmemopen(guide->sentence, sizeof guide->sentence, "w");
    if (!out)
        return;
    fprintf(out, "rank %u cannot do what it did in the recorded run: ", guide->unmet_rank);
    choice_write(out, guide->unmet);
    fclose(out);
}

size_t choice_guide_pick(struct choice_guide *guide, const struct mpi_model *model, const uint32_t *state,
                         const struct transition *list, size_t count) {
    size_t indifferent = count;
    guide->sentence[0] = 0;
    guide->over = false;
    guide->unmet = NULL;
    for (size_t i = 0; i < count; i++) {
        uint32_t awaited = mpi_model_awaited(model, state[list[i].owner]);
        uint32_t *room = memory_take((awaited + 1) * sizeof *room);
        struct decided decided = mpi_model_decided(model, state, &list[i], room);
        enum agreement agrees = agreement(guide, &decided, awaited);
        free(room);
        if (agrees == AGREES)
            return i;
        if (agrees == INDIFFERENT && indifferent == count)
            indifferent = i;
    }
    if (indifferent == count && guide->unmet && !guide->over && !guide->sentence[0])
        say_unmet(guide);
    return indifferent;
}
