/* The rank's side of a step: what rank.h promises to the MPI functions. */
#include "models/mpi/preload/rank.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/annotations.h"
#include "models/mpi/preload/buffers/leftovers.h"
#include "models/mpi/preload/buffers/pending_buffers.h"
#include "models/mpi/preload/collectives/operators.h"
#include "models/mpi/preload/memory/placed_blocks.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/windows/window_exposure.h"
#include "models/mpi/preload/windows/window_told.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rank_core rank_core;
struct control *control;

int rank_number(void) { return rank_core.number; }
int rank_count(void) { return rank_core.count; }
bool rank_is_agent(void) { return rank_core.number >= rank_core.count; }
int rank_program(void) { return (int)control->channel->program; }
bool rank_program_is_only(void) { return control->channel->alone; }
int rank_agents(void) { return AGENTS_FOR_WINDOWS(rank_core.agents); }
bool rank_announces(void) { return (rank_core.agents & AGENTS_ANNOUNCING) != 0; }
bool rank_agents_lock_segments(void) { return (rank_core.agents & AGENTS_LOCKING) != 0; }
bool rank_agents_meet(void) { return (rank_core.agents & AGENTS_MEETING) != 0; }
bool rank_agents_name(void) { return (rank_core.agents & AGENTS_NAMING) != 0; }
bool rank_agents_expose(void) { return (rank_core.agents & AGENTS_EXPOSING) != 0; }
int rank_file_agents(void) { return AGENTS_FOR_FILES(rank_core.agents); }
struct rank_hooks rank_hooks;
bool rank_started(void) { return rank_core.started; }

static void *report_room(size_t bytes) {
    uint64_t at = control->report_used, used = at + (bytes + 7) / 8 * 8;
    if (used > CHANNEL_AREA_BYTES) {
        control->report_used = 0; /* what is there may be half a record */
        step_end_refused("one step sends more than 1 GiB of data, which is not supported");
    }
    char *room = mailbox_report(control->mailbox) + at;
    if (used > at)
        memset(mailbox_report(control->mailbox) + used - 8, 0, 8);
    control->report_used = used;
    return room;
}

void *report_add(uint32_t kind, size_t body) {
    uint64_t start = control->report_used;
    struct wire_record *record = report_room(sizeof *record + body);
    *record = (struct wire_record){kind, (uint32_t)(control->report_used - start)};
    control->record_at = start;
    return record + 1;
}

void report_output(int stream, const void *bytes, size_t size) {
    struct wire_output *output = report_add(WIRE_OUTPUT, sizeof *output + size);
    *output = (struct wire_output){(uint32_t)stream, (uint32_t)size};
    memcpy(output + 1, bytes, size);
}

void rank_announce_context(uint64_t context, const int *world_ranks, int members, int first_group) {
    size_t list = (size_t)members * sizeof(int32_t);
    struct wire_context *record = report_add(WIRE_CONTEXT, sizeof *record + list);
    *record = (struct wire_context){context, (uint32_t)members, (uint32_t)first_group};
    memcpy(record + 1, world_ranks, list);
}

void rank_announce_sources(uint64_t context, const int *world_ranks, int sources) {
    size_t list = (size_t)sources * sizeof(int32_t);
    struct wire_sources *record = report_add(WIRE_SOURCES, sizeof *record + list);
    *record = (struct wire_sources){context, rank_core.number, (uint32_t)sources};
    memcpy(record + 1, world_ranks, list);
}

void rank_announce_signature(uint64_t name, const struct wire_run *run, uint32_t runs) {
    size_t list = runs * sizeof *run;
    struct wire_signature *record = report_add(WIRE_SIGNATURE, sizeof *record + list);
    *record = (struct wire_signature){name, runs, 0};
    memcpy(record + 1, run, list);
}

void rank_announce_touches(const struct wire_touches *touches, const struct wire_touch *touch) {
    size_t list = touches->touches * sizeof *touch;
    struct wire_touches *record = report_add(WIRE_TOUCHES, sizeof *record + list);
    *record = *touches;
    if (list > 0)
        memcpy(record + 1, touch, list);
}

/* While hooks run, which look at the memory of windows, pending receives' buffers hold there what they hold. */
static bool hooks_run;
/* One of those run that issues bring, and has not blocked: elsewhere other bytes may be in them. There may be thousands of them, and
 * as many issues. */
static bool buffers_are_covered;

/* Before anybody looks at the program's memory: the other threads go on until they wait. */
static void come_to_rest(void) {
    if (!hooks_run)
        threads_settle();
}

static void hook_before_issue(const struct wire_operation *operation) {
    const struct wire_call here = {.function = operation->function, .site = operation->site};
    bool outermost = !hooks_run;
    come_to_rest();
    if (outermost) {
        exposure_uncover();
        buffers_are_covered = true;
    }
    hooks_run = true;
    rank_hooks.before_issue(operation);
    hooks_run = !outermost;
    if (outermost && buffers_are_covered)
        pending_buffers_go_on_covered(&here);
    else if (outermost)
        pending_buffers_go_on(&here, NULL, NULL);
    if (outermost)
        buffers_are_covered = false;
}

static void uncover_to_block(const struct wire_call *call) {
    if (buffers_are_covered)
        pending_buffers_check(call);
    buffers_are_covered = false;
}

/* The last operation, whose record begins at `at` in the report, while it is held back. */
static struct {
    bool any;
    struct wire_operation operation;
    uint64_t at;
} held;

/* The hook may end steps. What is held back, and whatever was reported after it, belongs to the one that follows. */
void rank_let_go(void) {
    if (!held.any)
        return;
    struct wire_operation operation = held.operation;
    uint64_t size = control->report_used - held.at;
    char *records = malloc(size);
    memcpy(records, mailbox_report(control->mailbox) + held.at, size);
    control->report_used = held.at;
    memset(&held, 0, sizeof held);
    hook_before_issue(&operation);
    memcpy(report_room(size), records, size);
    free(records);
}

void rank_issue(const struct wire_operation *operation) {
    if (operation->kind != WIRE_FREE)
        operator_require_none(operation->function, operation->site);
    rank_let_go();
    /* What frees a request is not held back: its number may be another one's right after. */
    bool holds_back = !hooks_run && operation->kind != WIRE_FREE && rank_hooks.holds_back && rank_hooks.holds_back();
    if (rank_hooks.before_issue && !holds_back)
        hook_before_issue(operation);
    if (!hooks_run)
        exposure_issued(operation);
    told_said(operation);
    *(struct wire_operation *)report_add(WIRE_OPERATION, sizeof *operation) = *operation;
    if (holds_back) {
        held.any = true;
        held.operation = *operation;
        held.at = control->record_at;
    }
}

void *rank_add_part(size_t size) {
    uint64_t *part = report_room(sizeof *part + size);
    *part = size;
    /* The operation's record grows as parts are added. */
    struct wire_record *record = (struct wire_record *)(mailbox_report(control->mailbox) + control->record_at);
    record->size = (uint32_t)(mailbox_report(control->mailbox) + control->report_used - (char *)record);
    return part + 1;
}

void rank_change_receives(uint64_t context, uint8_t mode) {
    char *at = mailbox_report(control->mailbox);
    for (const char *end = at + control->report_used; at < end; at += ((const struct wire_record *)at)->size) {
        struct wire_operation *operation = (struct wire_operation *)(at + sizeof(struct wire_record));
        if (((const struct wire_record *)at)->kind == WIRE_OPERATION && operation->kind == WIRE_RECEIVE &&
            operation->context == context)
            operation->mode = mode;
    }
}

static const struct wire_resolution *block(const struct wire_call *call, const uint32_t *request) {
    operator_require_none(call->function, call->site);
    uncover_to_block(call);
    threads_settle();
    annotations_zero_ignored();
    const size_t list = (1 + (size_t)call->placed) * call->requests * sizeof *request;
    struct wire_call *record = report_add(WIRE_CALL, sizeof *record + list);
    *record = *call;
    memcpy(record + 1, request, list);
    step_leave(&rank_core.stack_pointer, control->stack + CONTROL_STACK_BYTES, executor_blocked);
    if (control->pausing)
        executor_pause();
    const struct wire_resolution *answer = (const struct wire_resolution *)mailbox_answer(control->mailbox);
    if (answer->kind == WIRE_NOT_YET)
        clock_polled();
    else
        clock_progressed();
    return answer;
}

const struct wire_resolution *rank_block_first_half(const struct wire_call *call, const uint32_t *request) {
    come_to_rest();
    rank_let_go();
    if (hooks_run)
        return block(call, request);
    pending_buffers_check(call);
    leftovers_forget_results();
    hooks_run = true;
    if (rank_hooks.before_errand)
        rank_hooks.before_errand();
    hooks_run = false;
    return block(call, request);
}

void rank_block_second_half(const struct wire_call *call, const uint32_t *request, const struct wire_resolution *answer) {
    if (!hooks_run)
        pending_buffers_go_on(call, request, answer);
}

const struct wire_resolution *rank_block_unhooked(const struct wire_call *call, const uint32_t *request) {
    const struct wire_resolution *answer = rank_block_first_half(call, request);
    rank_block_second_half(call, request, answer);
    return answer;
}

static size_t answer_bytes(const struct wire_resolution *answer) {
    return (size_t)((const char *)rank_completion(answer, answer->completions) - (const char *)answer);
}

const struct wire_resolution *rank_block(const struct wire_call *call, const uint32_t *request) {
    static void *kept; /* the last answer, if the hook's own answers would have overwritten it */
    free(kept);
    kept = NULL;
    come_to_rest();
    rank_let_go();
    bool outermost = !hooks_run;
    if (outermost) {
        pending_buffers_check(call);
        leftovers_forget(call, request);
    }
    annotations_zero_ignored(); /* the hook sees what will be captured */
    hooks_run = true;
    if (rank_hooks.before_block)
        rank_hooks.before_block();
    control->keeps_blocks |= placed_blocks_wait(call, request);
    const struct wire_resolution *answer = block(call, request);
    placed_blocks_answered(answer);
    if (rank_hooks.learns && rank_hooks.learns(request, answer)) {
        size_t bytes = answer_bytes(answer);
        kept = malloc(bytes);
        memcpy(kept, answer, bytes);
        ((struct wire_resolution *)kept)->looks = 0;
        placed_blocks_forget(kept);
        rank_hooks.after_answer(call);
        answer = kept;
    }
    hooks_run = !outermost;
    if (outermost)
        pending_buffers_go_on(call, request, answer);
    return answer;
}

const struct wire_completion *rank_completion(const struct wire_resolution *resolution, uint32_t i) {
    const struct wire_span *spans = (const struct wire_span *)(resolution + 1);
    const struct wire_completion *completion = (const struct wire_completion *)(spans + resolution->spans);
    for (; i > 0; i--)
        completion = rank_completion_next(completion);
    return completion;
}

const struct wire_completion *rank_completion_next(const struct wire_completion *completion) {
    return (const struct wire_completion *)((const char *)(completion + 1) + (completion->data + 7) / 8 * 8);
}

const struct wire_completion *rank_completion_past(const struct wire_completion *completion) {
    for (uint32_t parts = completion->parts; parts > 0; parts--)
        completion = rank_completion_next(completion);
    return rank_completion_next(completion);
}
const void *rank_completion_data(const struct wire_completion *completion) { return completion + 1; }

void rank_leaks(const struct rank_leaks *leaks) { rank_core.leaks = *leaks; }

void rank_finalized(const struct rank_leaks *leaks) {
    rank_core.finalized = true;
    rank_leaks(leaks);
    threads_settle();
    if (control->channel->keeps_final)
        step_leave(&rank_core.stack_pointer, control->stack + CONTROL_STACK_BYTES, executor_finalized);
}

void rank_abort(uint16_t function, uint64_t site, int code) {
    struct wire_end end = {.kind = WIRE_ABORT, .function = function, .code = code, .site = site};
    step_end(&end, "");
}

static _Noreturn void violate(const char *class_name, struct wire_end *end, const char *format, va_list arguments) {
    end->kind = WIRE_VIOLATION;
    strncpy(end->class_name, class_name, sizeof end->class_name - 1);
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    step_end(end, text);
}

void rank_violation(const char *class_name, uint16_t function, uint64_t site, const char *format, ...) {
    struct wire_end end = {.function = function, .site = site};
    va_list arguments;
    va_start(arguments, format);
    violate(class_name, &end, format, arguments);
}

void rank_ask_whose(const struct wire_place *place) {
    if (place->function != FUNCTION_none && place->rank == WIRE_RANK_UNTOLD)
        rank_want_agents(rank_agents() | AGENTS_NAMING);
}

void rank_violation_at(const char *class_name, uint16_t function, uint64_t site, const struct wire_place place[2],
                       const char *format, ...) {
    struct wire_end end = {.function = function, .site = site, .place = {place[0], place[1]}};
    va_list arguments;
    rank_ask_whose(&place[0]);
    rank_ask_whose(&place[1]);
    va_start(arguments, format);
    violate(class_name, &end, format, arguments);
}

void rank_refuse(uint16_t function, uint64_t site, const char *format, ...) {
    struct wire_end end = {.kind = WIRE_REFUSED, .function = function, .site = site};
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    step_end(&end, text);
}

static _Noreturn void want(int agents) {
    struct wire_end end = {.kind = WIRE_AGENTS, .code = agents};
    step_end(&end, "");
}

static int agents_besides(void) { return AGENTS_BESIDES(rank_core.agents); }

int rank_agents_of_kind(int agents) { return AGENTS(agents | agents_besides(), rank_file_agents()); }
void rank_want_agents(int agents) { want(rank_agents_of_kind(agents)); }
void rank_want_file_agents(int agents) {
    want(AGENTS(rank_agents() | agents_besides(), agents | (rank_file_agents() & FILES_HANDED)));
}

void rank_want_place(const struct wire_place_of_window *place) {
    struct wire_end end = {.kind = WIRE_AGENTS, .code = rank_agents_of_kind(AGENTS_GENERAL)};
    char text[160];
    snprintf(text, sizeof text, WIRE_PLACE_FORMAT, place->window, place->segment, place->offset, place->size, place->kind);
    step_end(&end, text);
}

void rank_want_kept(uint64_t site, enum kept_how how) {
    struct wire_end end = {.kind = WIRE_AGENTS, .code = rank_core.agents};
    char text[64];
    snprintf(text, sizeof text, WIRE_KEEPS_FORMAT, site, (int)how);
    step_end(&end, text);
}

double rank_clock(void) { return (double)clock_read() * 1e-6; }
