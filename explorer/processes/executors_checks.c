#include "explorer/processes/buffer_reads.h"
#include "explorer/processes/executors_parts.h"
#include "models/mpi/protocol.h"

#include <stdlib.h>
#include <string.h>

enum { CHECK_FIRST = 16, CHECK_EVERY = 128, CHECK_BYTES = 1 << 20 };

/* A step must do the same each time. Some are executed twice: the first ones, where most programs read clocks, files and random
 * numbers, then one in CHECK_EVERY. */
uint32_t executors_unchecked(const struct executors *executors) {
    uint64_t given = executors->given;
    return given < CHECK_FIRST ? 0 : (uint32_t)((CHECK_EVERY - given % CHECK_EVERY) % CHECK_EVERY);
}

static bool to_check(const struct executor *executor) {
    const struct mailbox *mailbox = executor->process.mailbox;
    return executor->to_check && mailbox->status == STATUS_BLOCKED && mailbox->report_size <= CHECK_BYTES;
}

/* What a step has come to, for the case that it comes to something else the next time. */
static struct execution execution_of(const struct mailbox *mailbox) {
    size_t size = mailbox->report_size <= CHANNEL_AREA_BYTES ? mailbox->report_size : 0;
    return (struct execution){.back = true,
                              .blocked = mailbox->status == STATUS_BLOCKED,
                              .root = mailbox->root_out,
                              .report = memory_copy(mailbox_report((struct mailbox *)mailbox), size),
                              .size = size};
}

static void note_divergence(struct executors *executors, uint32_t step, struct execution first, struct execution second) {
    first.program = second.program = executors->options.number;
    executors_take_divergence(executors, (struct divergence){step, {first, second}});
}

static bool same_execution(const struct execution *a, const struct execution *b) {
    return a->blocked && b->blocked && a->root == b->root && a->size == b->size && memcmp(a->report, b->report, a->size) == 0;
}

/* Executes the step of `executor` again. False if the search must stop; executor->step is NO_STEP if the step was given up. */
static bool repeat(struct executors *executors, struct executor *executor, struct execution *execution) {
    *execution = (struct execution){0};
    executor_count_from_here(executor);
    while (!executor_tried_enough(executor)) {
        executors->checkpoint.backend->leave(&executors->checkpoint, &executor->process, STATE_NONE, false);
        if (!executor_give(executors, executor))
            return false;
        if (executor->step == NO_STEP)
            return true;
        switch (process_await(&executors->checkpoint, &executor->process, executor->command, executors->options.step_seconds)) {
        case AWAIT_DEAD: executor_count_loss(executors, executor, executor_loss(executor)); continue;
        case AWAIT_STOPPED: return false;
        case AWAIT_LATE:
            process_end(&executor->process);
            executors->replaced++;
            return true;
        case AWAIT_DONE:
            *execution = execution_of(executor->process.mailbox);
            return !executors_ended_for_good(executors, executor->process.mailbox->status);
        }
    }
    return true;
}

/* Which of a rank's threads goes first may depend on what the machine does meanwhile: one that waits for a page to be read in lets
 * others go on. It happens once in some hundred explorations, and either way is one that the program may go. A step that then goes
 * the one way or the other so often in a row is not taken for one that draws lots. */
enum { SCHEDULES = 4 };

static enum checking check_schedule(struct executors *executors, struct executor *executor, const struct execution *first,
                                    const struct execution *second) {
    const struct execution *usual = NULL;
    for (int i = 0; i < SCHEDULES; i++) {
        struct execution again;
        if (!repeat(executors, executor, &again))
            return CHECK_STOPPED;
        if (usual == NULL)
            usual = same_execution(first, &again) ? first : second;
        const bool same = executor->step != NO_STEP && same_execution(usual, &again);
        free(again.report);
        if (!same)
            return CHECK_DIFFERENT;
    }
    return CHECK_SAME;
}

static enum checking check_again(struct executors *executors, struct executor *executor) {
    struct execution first = execution_of(executor->process.mailbox), second;
    uint32_t step = executor->step;
    enum checking found = !repeat(executors, executor, &second) ? CHECK_STOPPED
                          : same_execution(&first, &second)     ? CHECK_SAME
                                                                : CHECK_DIFFERENT;
    if (found == CHECK_DIFFERENT && executors->launch.channel->keeps_threads && executor->step != NO_STEP)
        found = check_schedule(executors, executor, &first, &second);
    if (found == CHECK_DIFFERENT) {
        note_divergence(executors, step, first, second);
        if (executor->step != NO_STEP)
            executor_give_up(executors, executor, WIRE_UNSTABLE);
    } else {
        free(first.report);
        free(second.report);
    }
    return found;
}

/* --- buffers that the program must not read -------------------------------------------------------------------------- */

static enum checking run_variant(struct executors *executors, struct executor *executor, const struct execution *usual,
                                 struct execution *variant) {
    executors->buffer_checks++;
    bool goes_on = repeat(executors, executor, variant);
    if (!goes_on)
        return CHECK_STOPPED;
    return executor->step != NO_STEP && buffer_reads_agree(usual, variant) ? CHECK_SAME : CHECK_DIFFERENT;
}

/* Of what was put last. */
static struct buffer_owner owner_of(const struct mailbox *mailbox) {
    return (struct buffer_owner){.rank = mailbox->put_rank,
                                 .in_window = mailbox->put_in_window != 0,
                                 .function = mailbox->put_function,
                                 .site = mailbox->put_site};
}

/* Which buffer it was: the last of so many first ones that make a difference if they have other bytes, when without it they make none.
 * There may be thousands. */
static enum checking find_owner(struct executors *executors, struct executor *executor, const struct execution *usual,
                                uint32_t buffers, struct execution *variant, struct buffer_owner *owner) {
    enum checking found = CHECK_SAME;
    uint32_t same = 0, different = buffers + 1;
    while (same + 1 < different) {
        struct execution some;
        executor->variant_most = (same + different) / 2;
        found = run_variant(executors, executor, usual, &some);
        if (found != CHECK_DIFFERENT || !some.back) {
            free(some.report);
            if (found != CHECK_SAME)
                break;
            same = executor->variant_most;
            continue;
        }
        different = executor->variant_most;
        *owner = owner_of(executor->process.mailbox);
        free(variant->report);
        *variant = some;
    }
    executor->variant_most = 0;
    return found == CHECK_SAME && different <= buffers ? CHECK_DIFFERENT : found;
}

/* The step of `executor` has this result, which is freed. */
static void finish_checked(struct executors *executors, struct executor *executor, char *report, size_t size) {
    executors_finish_step(
        executors,
        (struct saved_step){.step = executor->step, .image = BLOCK_NONE, .log = BLOCK_NONE, .report = report, .size = size});
    free(report);
    executors->executed++;
    executors->checkpoint.backend->leave(&executors->checkpoint, &executor->process, STATE_NONE, false);
    executor->step = NO_STEP;
}

/* Whose access it is, or whether it is a mistake, agents are to say first. */
static void ask_whose(const struct executors *executors, struct buffer_owner *owner) {
    if (owner->rank == (unsigned)WIRE_RANK_DOUBTED && owner->agents == 0)
        owner->agents = executors_agents(executors) | AGENTS_GENERAL | AGENTS_MEETING;
    if (owner->function != 0 && owner->rank == (unsigned)WIRE_RANK_UNTOLD && owner->agents == 0)
        owner->agents = executors_agents(executors) | AGENTS_NAMING;
}

/* The step is a mistake, unless it does not do the same with the usual bytes either. */
static enum checking judge(struct executors *executors, struct executor *executor, struct execution *usual,
                           struct execution *variant, uint32_t buffers) {
    struct buffer_owner owner = {0};
    if (find_owner(executors, executor, usual, buffers, variant, &owner) == CHECK_STOPPED)
        return CHECK_STOPPED;
    struct execution again;
    executor->variant = 0;
    enum checking stable = run_variant(executors, executor, usual, &again);
    uint32_t step = executor->step;
    if (stable == CHECK_DIFFERENT && step != NO_STEP) {
        note_divergence(executors, step, *usual, again);
        usual->report = NULL;
        executor_give_up(executors, executor, WIRE_UNSTABLE);
        return stable;
    }
    free(again.report);
    if (stable != CHECK_SAME)
        return stable;
    size_t size;
    ask_whose(executors, &owner);
    char *report = buffer_reads_report(usual, variant, &owner, &size);
    finish_checked(executors, executor, report, size);
    return CHECK_DIFFERENT;
}

static void finish_kept(struct executors *executors, struct executor *executor, const struct execution *closed, uint64_t site) {
    size_t size;
    char *report = buffer_reads_wish_to_keep(closed, executors_agents(executors), site, &size);
    finish_checked(executors, executor, report, size);
}

/* Runs the step with memory closed whose content the rank has forgotten. If it comes to something else than otherwise it needs that
 * content, or it is not known whether it does: the result is then that it is to be kept, which the rank says itself where it can. */
static enum checking check_forgotten(struct executors *executors, struct executor *executor, const struct execution *usual,
                                     uint64_t site) {
    struct execution closed;
    executor->variant = CLOSED_VARIANT;
    enum checking found = run_variant(executors, executor, usual, &closed);
    if (found == CHECK_DIFFERENT && executor->step != NO_STEP)
        finish_kept(executors, executor, &closed, site);
    free(closed.report);
    return found;
}

enum checking executor_check_late(struct executors *executors, struct executor *executor, uint64_t site) {
    struct execution closed;
    executor->may_vary = false;
    executor->variant = CLOSED_VARIANT;
    enum checking found = repeat(executors, executor, &closed) ? CHECK_SAME : CHECK_STOPPED;
    executor->variant = 0;
    if (found == CHECK_SAME && closed.back && executor->step != NO_STEP) {
        finish_kept(executors, executor, &closed, site);
        found = CHECK_DIFFERENT;
    }
    free(closed.report);
    return found;
}

/* Runs the step with those buffers of pending receives closed that were forgotten, as what the program does with other bytes in them
 * says little of what it did with those that were there; and then with other bytes in all of them. */
static enum checking check_reads(struct executors *executors, struct executor *executor) {
    struct execution usual = execution_of(executor->process.mailbox);
    const uint32_t buffers = executor->process.mailbox->puts, forgotten = executor->process.mailbox->forgotten;
    const uint64_t site = executor->process.mailbox->forgotten_site;
    enum checking found = forgotten > 0 ? check_forgotten(executors, executor, &usual, site) : CHECK_SAME;
    for (uint32_t i = 1; i <= BUFFER_VARIANTS && found == CHECK_SAME; i++) {
        struct execution variant;
        executor->variant = i;
        found = run_variant(executors, executor, &usual, &variant);
        if (found == CHECK_DIFFERENT && executor->step != NO_STEP)
            found = judge(executors, executor, &usual, &variant, buffers);
        free(variant.report);
    }
    executor->variant = 0;
    free(usual.report);
    return found;
}

/* --- memory of a window that others access in the same epoch ---------------------------------------------------------- */

static unsigned rank_of_access(const struct mailbox_exposure *others, uint64_t site) {
    uint32_t i = 0;
    while (i + 1 < others->pieces && others->piece[i].site != site)
        i++;
    return others->piece[i].rank;
}

/* What a conflict in a shared window can only be told with; 0: with what there is. */
static int agents_wanted(const struct mailbox_exposure *others, struct wire_place_of_window *place) {
    for (uint32_t i = 0; i < others->pieces; i++) {
        const struct mailbox_piece *piece = &others->piece[i];
        if (piece->watched)
            continue;
        uint64_t first = piece->site / WATCHED_AT_ONCE;
        uint64_t last = (piece->site + (piece->count - 1) * (uint64_t)piece->distance + piece->bytes - 1) / WATCHED_AT_ONCE;
        *place = (struct wire_place_of_window){.window = others->window,
                                               .offset = first * WATCHED_AT_ONCE,
                                               .size = (last - first + 1) * WATCHED_AT_ONCE,
                                               .segment = piece->rank,
                                               .kind = PLACE_WATCHED};
        return (int)others->agents;
    }
    return 0;
}

/* Runs the step of `executor` with other bytes where executor->asked says. CHECK_DIFFERENT: it reads them, and *report says so. */
static enum checking run_exposed(struct executors *executors, struct executor *executor, const struct execution *usual,
                                 char **report, size_t *size) {
    uint32_t buffers = executor->process.mailbox->puts;
    enum checking found = CHECK_SAME;
    for (uint32_t i = 1; i <= BUFFER_VARIANTS && found == CHECK_SAME && executor->step != NO_STEP; i++) {
        struct execution variant, again = {0};
        struct buffer_owner owner = {.window = true};
        executor->variant = i;
        found = run_variant(executors, executor, usual, &variant);
        if (found == CHECK_DIFFERENT && executor->step != NO_STEP && !executor->asked->shared)
            found = find_owner(executors, executor, usual, buffers, &variant, &owner);
        executor->variant = 0;
        owner.window = true;
        owner.shared = executor->asked->shared != EXPOSURE_OF_EPOCH;
        owner.agents = owner.shared                ? agents_wanted(executor->asked, &owner.place)
                       : executor->asked->suspects ? (int)executor->asked->agents
                                                   : 0;
        owner.rank = rank_of_access(executor->asked, owner.site);
        ask_whose(executors, &owner);
        if (found == CHECK_DIFFERENT && executor->step != NO_STEP &&
            run_variant(executors, executor, usual, &again) == CHECK_SAME)
            *report = buffer_reads_report(usual, &variant, &owner, size);
        free(variant.report);
        free(again.report);
    }
    return found;
}

/* From now on it matters only whether the rank reads what may have been accessed whatever others were told. */
static void keep_early(struct mailbox_exposure *others) { others->only_since = 1; }

static bool all_early(const struct mailbox_exposure *others) {
    uint32_t i = 0;
    while (i < others->pieces && others->piece[i].since == 0)
        i++;
    return i == others->pieces;
}

/* Does it matter what the rank reads? */
static bool asks_of_reads(const struct mailbox_exposure *others) {
    uint32_t i = 0;
    while (i < others->pieces && others->only_since && others->piece[i].since == PIECE_HEARD)
        i++;
    return i < others->pieces;
}

/* Does it matter what it stores, whatever others were told? */
static bool asks_of_stores(const struct mailbox_exposure *others) {
    return others->shared == EXPOSURE_OF_EPOCH && others->epoch != EXPOSURE_LOCKS;
}

/* As repeat, with what is asked about closed to the program's stores. CHECK_DIFFERENT: there is one, and *report says so. */
static enum checking repeat_closed(struct executors *executors, struct executor *executor, struct mailbox_exposure *others,
                                   struct execution *usual, char **report, size_t *size) {
    others->closes = 1;
    const bool goes_on = repeat(executors, executor, usual);
    others->closes = 0;
    if (!goes_on)
        return CHECK_STOPPED;
    *report = buffer_reads_report_of_store(usual, size);
    return *report ? CHECK_DIFFERENT : CHECK_SAME;
}

/* What the rank accesses after it has said something last, whatever others have heard until then. */
static enum checking judge_told(struct executors *executors, struct executor *executor, struct mailbox_exposure *others,
                                char **report, size_t *size) {
    others->after = executor->process.mailbox->asked_told;
    struct execution usual = {0}; /* with the bytes put in there: what calls leave on the stack tells where that was */
    enum checking found = repeat_closed(executors, executor, others, &usual, report, size);
    if (found == CHECK_SAME && executor->step != NO_STEP)
        found = run_exposed(executors, executor, &usual, report, size);
    free(usual.report);
    others->after = 0;
    return found;
}

/* Stores under locks are conflicts as reads are: here those of a step in which the rank says nothing to others. */
static enum checking judge_stores(struct executors *executors, struct executor *executor, struct mailbox_exposure *others,
                                  char **report, size_t *size) {
    struct execution usual = {0};
    enum checking found = repeat_closed(executors, executor, others, &usual, report, size);
    free(usual.report);
    return found;
}

/* The usual run of a step that is asked about. */
static enum checking run_usual(struct executors *executors, struct executor *executor, struct mailbox_exposure *others,
                               struct execution *usual, char **report, size_t *size) {
    if (asks_of_stores(others))
        return repeat_closed(executors, executor, others, usual, report, size);
    return repeat(executors, executor, usual) ? CHECK_SAME : CHECK_STOPPED;
}

/* How far back it is looked: the library may have steps of its own between those of the program. */
enum { STEPS_BACK = 64, WITH_THE_LIBRARYS = 256 };

/* The last steps in which the program ran before the one that `executor` is in the middle of, back to where it said something
 * to others, and, for what others may have accessed early and for stores, to where the epoch began. CHECK_DIFFERENT: it
 * accesses what others do. *told: it said something to others in one of them, or
 * earlier, as far as is known. */
static enum checking check_exposed_step(struct executors *executors, struct executor *executor, struct mailbox_exposure *others,
                                        bool *told, char **report, size_t *size) {
    enum checking found = CHECK_SAME;
    bool over = false;
    int back = 0;
    for (int i = 0; i < WITH_THE_LIBRARYS && back < STEPS_BACK && !over && found == CHECK_SAME && executor->step != NO_STEP;
         i++) {
        struct execution usual = {0};
        executor->step = step_table_origin(executors->table, step_table_step_local(executors->table, executor->step));
        if (executor->step == NAME_UNKNOWN)
            return CHECK_SAME;
        found = run_usual(executors, executor, others, &usual, report, size);
        if (found == CHECK_STOPPED)
            return found;
        const struct mailbox *mailbox = executor->process.mailbox;
        const uint32_t state = usual.back ? mailbox->asked_state : (uint32_t)ASKED_NOWHERE;
        over = !usual.back || mailbox->asked_began;
        back += state != ASKED_NOWHERE;
        if (found == CHECK_SAME && state == ASKED_PUT && others->epoch == EXPOSURE_LOCKS && !others->shared)
            found = judge_stores(executors, executor, others, report, size);
        if (found == CHECK_SAME && state == ASKED_TOLD && !others->only_since && !all_early(others)) {
            found = judge_told(executors, executor, others, report, size);
            keep_early(others);
            if (found == CHECK_SAME && asks_of_reads(others) &&
                executor->step != NO_STEP) { /* as it is when only these are asked about */
                free(usual.report);
                if (!repeat(executors, executor, &usual))
                    return CHECK_STOPPED;
            }
        }
        if (found == CHECK_SAME && state != ASKED_NOWHERE && asks_of_reads(others) && executor->step != NO_STEP)
            found = run_exposed(executors, executor, &usual, report, size);
        *told |= state == ASKED_TOLD;
        if (state == ASKED_TOLD || (state == ASKED_PUT && others->shared))
            keep_early(others);
        others->earlier |= state != ASKED_NOWHERE;
        over = over || (!asks_of_reads(others) && !asks_of_stores(others));
        free(usual.report);
    }
    *told |= !over;
    return found;
}

/* From now on it matters only whether the rank reads what was accessed by who may have heard what it said. */
static void keep_suspects(struct mailbox_exposure *others) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < others->pieces; i++) {
        if (others->piece[i].since == PIECE_HEARD)
            others->piece[kept++] = others->piece[i];
    }
    others->pieces = kept;
    others->suspects = 1;
    others->only_since = others->earlier = 0;
}

/* The steps of the epoch, one of which says something to others. CHECK_DIFFERENT: the rank reads what only ranks that announce
 * accesses can judge. */
static enum checking check_suspects(struct executors *executors, struct executor *executor, struct mailbox_exposure *others,
                                    char **report, size_t *size) {
    enum checking found = CHECK_SAME;
    bool over = false;
    int back = 0;
    keep_suspects(others);
    for (int i = 0; i < WITH_THE_LIBRARYS && back < STEPS_BACK && !over && found == CHECK_SAME && others->pieces > 0; i++) {
        struct execution usual = {0};
        executor->step = step_table_origin(executors->table, step_table_step_local(executors->table, executor->step));
        if (executor->step == NAME_UNKNOWN)
            return CHECK_SAME;
        if (!repeat(executors, executor, &usual))
            return CHECK_STOPPED;
        const struct mailbox *mailbox = executor->process.mailbox;
        const bool runs = usual.back && mailbox->asked_state != ASKED_NOWHERE;
        over = !usual.back || mailbox->asked_began;
        back += runs;
        if (runs)
            found = run_exposed(executors, executor, &usual, report, size);
        over = over || executor->step == NO_STEP;
        free(usual.report);
    }
    if (found != CHECK_SAME || over || others->pieces == 0)
        return found;
    static const struct wire_place_of_window nowhere;
    *report = buffer_reads_wish((int)others->agents, &nowhere, size); /* it goes too far back to be known */
    return CHECK_DIFFERENT;
}

static bool is_suspect(const struct mailbox_exposure *others) {
    return others->agents != 0 && others->shared == EXPOSURE_OF_EPOCH && others->epoch != EXPOSURE_LOCKS;
}

/* A step that ends an epoch, in which others accessed this rank's memory. CHECK_DIFFERENT: it has a result, as that was read. */
static enum checking check_exposure(struct executors *executors, struct executor *executor) {
    struct mailbox_exposure *others = memory_copy(&executor->process.mailbox->others, sizeof *others);
    const uint32_t step = executor->step;
    char *report = NULL;
    size_t size;
    executor->asked = others;
    bool told = false;
    enum checking found = check_exposed_step(executors, executor, others, &told, &report, &size);
    if (found == CHECK_SAME && told && is_suspect(others) && executor->step != NO_STEP) {
        executor->step = step;
        found = check_suspects(executors, executor, others, &report, &size);
    }
    executor->asked = NULL;
    free(others);
    executor->step = step;
    if (report) {
        finish_checked(executors, executor, report, size);
        return CHECK_DIFFERENT;
    }
    if (found == CHECK_STOPPED)
        return found;
    struct execution again;
    found = repeat(executors, executor, &again) ? CHECK_SAME : CHECK_STOPPED;
    free(again.report);
    return found == CHECK_SAME && executor->step == NO_STEP ? CHECK_DIFFERENT : found;
}

/* --- windows that the rank did not look at ---------------------------------------------------------------------------------- */

static enum checking run_for_unseen(struct executors *executors, struct executor *executor, uint32_t variant,
                                    const struct execution *usual) {
    struct execution execution;
    executor->of_unseen = true;
    executor->variant = variant;
    enum checking found = run_variant(executors, executor, usual, &execution);
    if (found == CHECK_SAME && executor->process.mailbox->unseen_touched)
        found = CHECK_DIFFERENT;
    free(execution.report);
    executor->variant = 0;
    executor->of_unseen = false;
    return found;
}

/* Does the program do anything with them? CHECK_DIFFERENT: it does, or the step was given up. *look: when it has to look. In the
 * usual execution not all that it touches is seen, so what is seen there first need not be the first. */
static enum checking check_unseen(struct executors *executors, struct executor *executor, struct wire_look *look) {
    const struct mailbox *mailbox = executor->process.mailbox;
    *look = (struct wire_look){.looks = 1};
    if (mailbox->unseen_touched)
        return CHECK_DIFFERENT;
    struct execution usual = execution_of(mailbox);
    const enum checking found = run_for_unseen(executors, executor, UNSEEN_VARIANTS, &usual); /* there is no other */
    if (found == CHECK_DIFFERENT && executor->process.mailbox->unseen_touched)
        look->looks = executor->process.mailbox->unseen_touched;
    free(usual.report);
    return found;
}

/* Where, if that is not all over them. If it is not seen it is all. */
static enum checking find_touched(struct executors *executors, struct executor *executor, struct wire_look *look) {
    const struct execution nothing = {0};
    if (executor->step == NO_STEP || executor->process.mailbox->touched == UINT32_MAX)
        return CHECK_DIFFERENT;
    const enum checking found = run_for_unseen(executors, executor, UNSEEN_TOUCHES, &nothing);
    const struct mailbox *mailbox = executor->process.mailbox;
    if (found != CHECK_DIFFERENT || executor->step == NO_STEP || !mailbox->unseen_touched || mailbox->touched > WIRE_SPANS_MOST)
        return found;
    look->spans = mailbox->touched;
    for (uint32_t i = 0; i < look->spans; i++)
        look->span[i] = (struct wire_span){mailbox->touched_from[i], mailbox->touched_to[i]};
    return found;
}

/* If so, the step is done again, and it looks. */
static enum checking make_look(struct executors *executors, struct executor *executor, const struct wire_look *look) {
    struct execution again;
    if (executor->step == NO_STEP)
        return CHECK_DIFFERENT;
    step_table_make_look(executors->table, executor->step, look);
    if (!repeat(executors, executor, &again))
        return CHECK_STOPPED;
    free(again.report);
    return executor->step == NO_STEP ? CHECK_DIFFERENT : CHECK_SAME;
}

/* --- all of them ------------------------------------------------------------------------------------------------------ */

static bool well_ended(const struct mailbox *mailbox) {
    return mailbox->status == STATUS_BLOCKED || mailbox->status == STATUS_ENDED;
}

enum checking executor_check(struct executors *executors, struct executor *executor) {
    const struct mailbox *mailbox = executor->process.mailbox;
    enum checking found = CHECK_SAME;
    struct wire_look look;
    if ((mailbox->unseen > 0 || mailbox->unseen_touched) && mailbox->agreed == 0 && well_ended(mailbox))
        found = check_unseen(executors, executor, &look);
    if (found == CHECK_DIFFERENT)
        found = find_touched(executors, executor, &look);
    if (found == CHECK_DIFFERENT)
        found = make_look(executors, executor, &look);
    if (found == CHECK_SAME && to_check(executor))
        found = check_again(executors, executor);
    if (found == CHECK_SAME && (mailbox->puts > 0 || mailbox->forgotten > 0) && mailbox->agreed == 0 && well_ended(mailbox))
        found = check_reads(executors, executor);
    if (found == CHECK_SAME && mailbox->others.pieces > 0 && well_ended(mailbox))
        found = check_exposure(executors, executor);
    return found;
}
