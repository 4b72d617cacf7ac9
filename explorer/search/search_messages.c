/* The sentence of each finding. Sites are left to the report, which knows their files and lines. */
#include "explorer/containers/search_storage.h"
#include "explorer/search/near_miss.h"
#include "explorer/search/search_parts.h"
#include "models/mpi/functions.h"

enum { NAMED_RANKS = 8 }; /* longer lists are cut */

struct sentence {
    FILE *stream;
    char *text;
    size_t size;
};

static void begin(struct sentence *sentence) {
    sentence->stream = storage_checked(open_memstream(&sentence->text, &sentence->size));
}

static char *finish(struct sentence *sentence) {
    fclose(sentence->stream);
    return storage_checked(sentence->text);
}

/* " in MPI_Recv", or nothing. */
static void write_place(FILE *out, unsigned function) {
    if (function != FUNCTION_none)
        fprintf(out, " in %s", function_name(function));
}

static void write_exit(FILE *out, const struct fault *fault) {
    const struct wire_end *end = &fault->result->end;
    if (end->code != 0)
        fprintf(out, "rank %u ended with exit status %d%s", fault->rank, end->code,
                end->finalized ? "" : ", without MPI_Finalize");
    else
        fprintf(out, "rank %u ended without MPI_Finalize", fault->rank);
}

/* A program that has its fatal error handler called is aborted without a call of MPI_Abort that one could look for. */
static void write_abort(FILE *out, const struct fault *fault) {
    const struct wire_end *end = &fault->result->end;
    if (end->function == FUNCTION_MPI_Abort)
        fprintf(out, "rank %u called MPI_Abort with code %d", fault->rank, end->code);
    else
        fprintf(out, "rank %u is aborted by its fatal error handler, with code %d", fault->rank, end->code);
}

static void write_bad_end(FILE *out, const struct fault *fault) {
    const struct wire_end *end = &fault->result->end;
    const char *text = fault->result->end_text ? fault->result->end_text : "";
    switch (end->kind) {
    case WIRE_EXIT: write_exit(out, fault); return;
    case WIRE_CRASH:
        fprintf(out, "rank %u crashed: %s (signal %d)", fault->rank, strsignal(end->code), end->code);
        if (*text)
            fprintf(out, " %s", text);
        return;
    case WIRE_ABORT: write_abort(out, fault); break;
    case WIRE_RUNAWAY:
        fprintf(
            out,
            "rank %u went on from the call named here and came to no other that may wait within the time limit (--step-time)",
            fault->rank);
        break;
    case WIRE_UNSTABLE:
        fprintf(out, "rank %u did two different things when it went on twice from the same state with the same message",
                fault->rank);
        break;
    case WIRE_LOST: fprintf(out, "the process of rank %u was killed", fault->rank); break;
    default:
        fprintf(out, "rank %u", fault->rank);
        write_place(out, end->function);
        if (!*text)
            text = "an MPI rule is broken";
    }
    if (*text)
        fprintf(out, ": %s", text);
}

char *message_of_fault(const struct fault *fault) {
    struct sentence sentence;
    begin(&sentence);
    if (fault->result)
        write_bad_end(sentence.stream, fault);
    else
        fputs(fault->violation.message, sentence.stream);
    return finish(&sentence);
}

/* Whom a rank waits for. */
struct awaited {
    struct rank_set ranks;
    bool anybody;
    bool one_is_enough; /* of the ranks */
    bool collective;    /* for whoever has not entered a nonblocking one */
    bool generalized;   /* for the rank's own MPI_Grequest_complete: no operation that is known keeps the call waiting */
    unsigned operations;
    unsigned function; /* what started the first of the operations: enum mpi_function */
};

static void await_peer(struct awaited *awaited, int32_t peer) {
    if (peer < 0)
        awaited->anybody = true;
    else
        rank_set_add(&awaited->ranks, (unsigned)peer);
}

static void visit_awaited(void *context, const struct operation *operation, enum operation_status status, bool is_awaited) {
    struct awaited *awaited = context;
    (void)status;
    if (!is_awaited)
        return;
    if (operation->kind == WIRE_SEND || operation->kind == WIRE_RECEIVE)
        await_peer(awaited, operation->peer);
    if (operation->kind == WIRE_COLLECTIVE)
        awaited->collective = true;
    if (awaited->operations++ == 0)
        awaited->function = operation->function;
}

static struct awaited awaited_by(struct search *search, const uint32_t *state, unsigned rank) {
    const struct call *call = &mpi_model_result(search->model, state[rank])->call;
    struct awaited awaited = {.one_is_enough = call->kind == WIRE_CALL_WAIT_ANY || call->kind == WIRE_CALL_WAIT_SOME};
    switch (call->kind) {
    case WIRE_CALL_PROBE:
    case WIRE_CALL_MPROBE:
    case WIRE_CALL_IPROBE:
    case WIRE_CALL_IMPROBE: await_peer(&awaited, call->peer); break;
    case WIRE_CALL_COLLECTIVE: mpi_model_missing(search->model, state, rank, &awaited.ranks); break;
    default:
        mpi_model_outstanding(search->model, state[rank], visit_awaited, &awaited);
        if (awaited.collective)
            mpi_model_missing(search->model, state, rank, &awaited.ranks);
        awaited.generalized = call->kind != WIRE_CALL_DETACH && awaited.operations == 0;
    }
    return awaited;
}

bool waits_for_own_agent(struct search *search, const uint32_t *state) {
    for (unsigned rank = 0; rank < search->program_ranks && search->options.agents; rank++) {
        const struct step_result *result = mpi_model_result(search->model, state[rank]);
        if (!result || mpi_model_ended(search->model, state[rank]))
            continue;
        struct awaited awaited = awaited_by(search, state, rank);
        if (rank_set_has(&awaited.ranks, search->program_ranks + rank))
            return true;
    }
    return false;
}

static void write_awaited(FILE *out, struct search *search, const uint32_t *state, const struct awaited *awaited) {
    const char *link = awaited->one_is_enough ? "or" : "and";
    unsigned named = 0, more = 0;
    for (unsigned rank = 0; rank < search->ranks; rank++) {
        if (!rank_set_has(&awaited->ranks, rank))
            continue;
        if (named == NAMED_RANKS) {
            more++;
            continue;
        }
        bool agent = rank >= search->program_ranks;
        if (named++)
            fprintf(out, " %s ", link);
        else
            fputs(agent ? " waits for the window of rank " : " waits for rank ", out);
        fprintf(out, "%u", agent ? rank - search->program_ranks : rank);
        if (!agent && mpi_model_ended(search->model, state[rank]))
            fputs(" (which has ended)", out);
    }
    if (more)
        fprintf(out, " %s %u more", link, more);
    if (awaited->anybody)
        fprintf(out, " %s a message from any rank", named ? link : "waits for");
    if (awaited->generalized)
        fputs(" waits for MPI_Grequest_complete, which nobody is left to call", out);
}

/* "rank 0 in MPI_Send waits for rank 1, rank 1 in …": the ranks that have not ended. */
static void write_waiting(FILE *out, struct search *search, const uint32_t *state, bool for_whom) {
    unsigned named = 0, more = 0;
    for (unsigned rank = 0; rank < search->program_ranks; rank++) {
        const struct step_result *result = mpi_model_result(search->model, state[rank]);
        if (!result || mpi_model_ended(search->model, state[rank]))
            continue;
        if (named == NAMED_RANKS) {
            more++;
            continue;
        }
        fprintf(out, "%srank %u", named++ ? ", " : "", rank);
        write_place(out, result->call.function);
        if (!for_whom)
            continue;
        struct awaited awaited = awaited_by(search, state, rank);
        if (awaited.operations > 0 && awaited.function != FUNCTION_none && awaited.function != result->call.function)
            fprintf(out, " (of %s%s)", function_name(awaited.function), awaited.operations > 1 ? " and others" : "");
        write_awaited(out, search, state, &awaited);
    }
    if (more)
        fprintf(out, ", and %u more ranks", more);
}

/* The lowest rank that `rank` waits for and that has not ended; `rank` itself if there is none, or another would do. */
static unsigned waits_for(struct search *search, const uint32_t *state, unsigned rank) {
    struct awaited awaited = awaited_by(search, state, rank);
    bool sure = !awaited.anybody && !awaited.one_is_enough;
    for (unsigned other = 0; sure && other < search->ranks; other++)
        if (other != rank && rank_set_has(&awaited.ranks, other) && !mpi_model_ended(search->model, state[other]))
            return other;
    return rank;
}

/* Three ranks or more that wait for each other in turn are not seen at a glance. */
static void write_circle(FILE *out, struct search *search, const uint32_t *state) {
    unsigned at = 0;
    while (at < search->ranks && mpi_model_ended(search->model, state[at]))
        at++;
    for (unsigned step = 0; step < search->ranks && at < search->ranks; step++) /* into the circle, if there is one */
        at = waits_for(search, state, at);
    unsigned length = 1, next;
    for (next = at; at < search->ranks && (next = waits_for(search, state, next)) != at && length <= search->ranks;)
        length++;
    if (length < 3 || length > NAMED_RANKS)
        return;
    fprintf(out, "; the circle is %u", at);
    for (next = waits_for(search, state, at); next != at; next = waits_for(search, state, next))
        fprintf(out, " -> %u", next);
    fprintf(out, " -> %u", at);
}

char *message_of_deadlock(struct search *search, const uint32_t *state) {
    struct sentence sentence;
    begin(&sentence);
    write_waiting(sentence.stream, search, state, true);
    write_circle(sentence.stream, search, state);
    near_miss_tell(sentence.stream, search, state);
    return finish(&sentence);
}

char *message_of_livelock(struct search *search, const uint32_t *state) {
    struct sentence sentence;
    begin(&sentence);
    fputs("no ordering ends from here: ", sentence.stream);
    write_waiting(sentence.stream, search, state, false);
    return finish(&sentence);
}

char *message_of_leak(unsigned rank, uint32_t leaked) {
    struct sentence sentence;
    begin(&sentence);
    fprintf(sentence.stream, "rank %u has %u request%s neither completed nor freed at MPI_Finalize", rank, leaked,
            leaked == 1 ? "" : "s");
    return finish(&sentence);
}

char *message_of_handle_leak(unsigned rank, uint32_t leaked, const char *kind) {
    struct sentence sentence;
    begin(&sentence);
    fprintf(sentence.stream, "rank %u has %s that is not freed at MPI_Finalize", rank, kind);
    if (leaked > 1)
        fprintf(sentence.stream, ", and %u more object%s", leaked - 1, leaked == 2 ? "" : "s");
    return finish(&sentence);
}

char *message_of_unreceived(const struct where *where, size_t wheres, const struct operation *first) {
    struct sentence sentence;
    begin(&sentence);
    fprintf(sentence.stream, "the message of rank %u to rank %d with tag %d", where->rank, first->peer, first->tag);
    if (first->function != FUNCTION_none)
        fprintf(sentence.stream, " (%s)", function_name(first->function));
    fputs(" is never received", sentence.stream);
    if (wheres > 1)
        fprintf(sentence.stream, ", and %zu more", wheres - 1);
    return finish(&sentence);
}

char *message_of_half_epoch(const struct where *where, size_t wheres, const struct operation *first) {
    (void)wheres;
    struct sentence sentence;
    begin(&sentence);
    if (first->function == FUNCTION_MPI_Win_post)
        fprintf(sentence.stream, "rank %u has exposed its window to rank %d, which has not called MPI_Win_start for it",
                where->rank, first->peer);
    else
        fprintf(sentence.stream,
                "rank %u has had an epoch of access to the window of rank %d, which has not called MPI_Win_post for it",
                where->rank, first->peer);
    return finish(&sentence);
}

char *message_of_freed_receive(const struct where *where, size_t wheres, const struct operation *first) {
    (void)first;
    struct sentence sentence;
    begin(&sentence);
    fprintf(sentence.stream, "rank %u has freed the request of a receive, and no message has come for it at the end",
            where->rank);
    if (wheres > 1)
        fprintf(sentence.stream, ", and of %zu more", wheres - 1);
    return finish(&sentence);
}

char *message_of_race(unsigned rank) {
    struct sentence sentence;
    begin(&sentence);
    fprintf(sentence.stream, "the output of rank %u depends on the order of messages", rank);
    return finish(&sentence);
}

char *message_of_state_race(const struct search *search, const struct finding *finding) {
    const struct step_source *steps = search->steps;
    char *variables = steps->memory_difference(steps->self, finding->difference.local, finding->difference.other_local);
    struct sentence sentence;
    begin(&sentence);
    fprintf(sentence.stream, "the memory of rank %u at MPI_Finalize depends on the order of messages: %s",
            finding->difference.rank, variables);
    free(variables);
    return finish(&sentence);
}
