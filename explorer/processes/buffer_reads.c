#include "explorer/processes/buffer_reads.h"

#include "explorer/containers/memory.h"
#include "models/mpi/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A walk over the records of a report, those of where a rank was left out. */
struct walk {
    const char *at, *end;
};

static struct walk walk_of(const struct execution *execution) {
    return (struct walk){execution->report, execution->report + execution->size};
}

/* NULL at the end, and where it is not well formed. */
static const struct wire_record *next(struct walk *walk) {
    for (;;) {
        const struct wire_record *record = (const void *)walk->at;
        size_t left = (size_t)(walk->end - walk->at);
        if (left < sizeof *record || record->size < sizeof *record || record->size > left)
            return NULL;
        walk->at += record->size;
        if (record->kind != WIRE_STACK)
            return record;
    }
}

static bool same_record(const struct wire_record *a, const struct wire_record *b) {
    return a && b && a->size == b->size && memcmp(a, b, a->size) == 0;
}

/* The first records that differ; both NULL if none do. */
struct departure {
    const struct wire_record *usual, *variant;
};

static struct departure departure_of(const struct execution *usual, const struct execution *variant) {
    struct walk walk[2] = {walk_of(usual), walk_of(variant)};
    struct departure at;
    do
        at = (struct departure){next(&walk[0]), next(&walk[1])};
    while (same_record(at.usual, at.variant));
    return at;
}

bool buffer_reads_agree(const struct execution *usual, const struct execution *variant) {
    if (!variant->back || usual->blocked != variant->blocked || usual->root != variant->root)
        return false;
    struct departure at = departure_of(usual, variant);
    return !at.usual && !at.variant;
}

/* --- what to say ----------------------------------------------------------------------------------------------------- */

/* Of an access to a window the rules are those of one-sided communication. */
static const char *class_of(const struct buffer_owner *owner) {
    if (owner->window || owner->in_window)
        return "rma-conflict";
    switch (owner->function) {
    case FUNCTION_MPI_Get:
    case FUNCTION_MPI_Get_c:
    case FUNCTION_MPI_Get_accumulate:
    case FUNCTION_MPI_Get_accumulate_c:
    case FUNCTION_MPI_Fetch_and_op:
    case FUNCTION_MPI_Compare_and_swap: return "rma-conflict";
    default: return "buffer-in-use";
    }
}

static const void *body_of(const struct wire_record *record, uint32_t kind, size_t size) {
    return record && record->kind == kind && record->size >= sizeof *record + size ? record + 1 : NULL;
}

/* How the rank has ended; NULL: it has not, or is not back. */
static const struct wire_end *end_of(const struct execution *execution) {
    struct walk walk = walk_of(execution);
    for (const struct wire_record *record; execution->back && (record = next(&walk));) {
        const struct wire_end *end = body_of(record, WIRE_END, sizeof *end);
        if (end)
            return end;
    }
    return NULL;
}

static const struct wire_end *violation_in(const struct execution *variant, const char *class_name) {
    const struct wire_end *end = end_of(variant);
    return end && end->kind == WIRE_VIOLATION && strncmp(end->class_name, class_name, sizeof end->class_name) == 0 ? end : NULL;
}

static bool wishes(const struct execution *execution) {
    const struct wire_end *end = end_of(execution);
    return end && end->kind == WIRE_AGENTS;
}

/* The call that a record is about, and what the rank does otherwise there. */
struct trace {
    uint16_t function;
    uint64_t site;
    const char *what;
};

static bool trace_of_record(const struct wire_record *record, struct trace *trace) {
    const struct wire_operation *operation = body_of(record, WIRE_OPERATION, sizeof *operation);
    const struct wire_call *call = body_of(record, WIRE_CALL, sizeof *call);
    const struct wire_end *end = body_of(record, WIRE_END, sizeof *end);
    if (operation)
        *trace = (struct trace){operation->function, operation->site, "asks for something else here"};
    else if (call)
        *trace = (struct trace){call->function, call->site, "comes to another call than this"};
    else if (end)
        *trace = (struct trace){end->function, end->site, "ends otherwise"};
    return operation || call || end;
}

/* The call at or behind the first difference; the last one if only memory differs. */
static struct trace trace_of(const struct execution *usual, const struct execution *variant) {
    struct departure at = departure_of(usual, variant);
    struct walk walk = walk_of(usual);
    struct trace trace = {.what = "does something else"};
    bool behind = false;
    for (const struct wire_record *record; (record = next(&walk));) {
        behind |= record == at.usual;
        if (trace_of_record(record, &trace) && behind)
            break;
    }
    const bool output = body_of(at.usual, WIRE_OUTPUT, 0) || (at.variant && body_of(at.variant, WIRE_OUTPUT, 0));
    if (output)
        trace.what = "writes something else before this call";
    if (!at.usual && !at.variant)
        trace.what = "has something else in its memory here";
    return trace;
}

static char *report_of_end(const struct wire_end *end, const char *text, size_t *size) {
    size_t length = strlen(text);
    *size = (sizeof(struct wire_record) + sizeof *end + length + 7) / 8 * 8;
    char *report = memory_take_zeroed(*size);
    *(struct wire_record *)report = (struct wire_record){WIRE_END, (uint32_t)*size};
    struct wire_end *to = (struct wire_end *)(report + sizeof(struct wire_record));
    *to = *end;
    to->text_size = (uint32_t)length;
    memcpy(to + 1, text, length);
    return report;
}

char *buffer_reads_refusal(const char *text, size_t *size) {
    const struct wire_end end = {.kind = WIRE_REFUSED};
    return report_of_end(&end, text, size);
}

char *buffer_reads_wish(int agents, const struct wire_place_of_window *place, size_t *size) {
    char text[160] = "";
    if (place->kind != 0)
        snprintf(text, sizeof text, WIRE_PLACE_FORMAT, place->window, place->segment, place->offset, place->size, place->kind);
    return report_of_end(&(struct wire_end){.kind = WIRE_AGENTS, .code = agents}, text, size);
}

char *buffer_reads_wish_to_keep(const struct execution *closed, int agents, uint64_t site, size_t *size) {
    if (wishes(closed)) {
        *size = closed->size;
        return memory_copy(closed->report, closed->size);
    }
    char text[64];
    snprintf(text, sizeof text, WIRE_KEEPS_FORMAT, site, (int)KEPT_WHILE_PENDING);
    return report_of_end(&(struct wire_end){.kind = WIRE_AGENTS, .code = agents}, text, size);
}

static void say_window(char *text, size_t room, const struct buffer_owner *owner, const char *what) {
    if (owner->shared) {
        snprintf(text, room,
                 "shared memory that another rank stores to is read at the same time: with other bytes there the rank %s",
                 what);
        return;
    }
    char by[64] = "others access";
    if (owner->function)
        snprintf(by, sizeof by, "rank %u accesses by %s", owner->rank, function_name(owner->function));
    snprintf(text, room, "memory of the rank's window that %s is read in the same epoch: with other bytes there the rank %s",
             by, what);
}

/* Does the variant end with what is to be told? Of an access to a window, that its bytes are stored to; other errors there come
 * of what the program has read. */
static bool tells_itself(const struct buffer_owner *owner, const struct wire_end *violation) {
    if (!violation || !owner->window || owner->shared)
        return violation != NULL;
    return violation->place[0].site == owner->site && violation->place[0].function == owner->function;
}

char *buffer_reads_report_of_store(const struct execution *closed, size_t *size) {
    if (!violation_in(closed, "rma-conflict") && !wishes(closed))
        return NULL;
    *size = closed->size;
    return memory_copy(closed->report, closed->size);
}

char *buffer_reads_report(const struct execution *usual, const struct execution *variant, const struct buffer_owner *owner,
                          size_t *size) {
    const char *class_name = class_of(owner);
    if (owner->agents)
        return buffer_reads_wish(owner->agents, &owner->place, size);
    if (tells_itself(owner, violation_in(variant, class_name))) {
        *size = variant->size;
        return memory_copy(variant->report, variant->size);
    }
    struct trace trace = trace_of(usual, variant);
    struct wire_end end = {.kind = WIRE_VIOLATION,
                           .function = trace.function,
                           .site = trace.site,
                           .place = {{.site = owner->site, .rank = (int32_t)owner->rank, .function = owner->function}}};
    strncpy(end.class_name, class_name, sizeof end.class_name - 1);
    char text[256];
    if (owner->window) {
        say_window(text, sizeof text, owner, trace.what);
        return report_of_end(&end, text, size);
    }
    const char *of = owner->function ? function_name(owner->function) : "one of several pending operations";
    char subject[128];
    if (owner->in_window)
        snprintf(subject, sizeof subject, "what %s changes of the rank's window", of);
    else
        snprintf(subject, sizeof subject, "the buffer that %s receives into", of);
    snprintf(text, sizeof text, "%s is read before that is complete: with other bytes there the rank %s", subject, trace.what);
    return report_of_end(&end, text, size);
}
