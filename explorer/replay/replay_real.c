#include "explorer/replay/replay_real.h"

#include "explorer/containers/memory.h"
#include "explorer/machine/whole_file.h"
#include "explorer/replay/real_run.h"
#include "explorer/search/choices_of_walk.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { HAPPENED = 1, DID_NOT_HAPPEN = 0 };

/* --- what is to be done -------------------------------------------------------------------------------------------------- */

/* An ordering in the ranks' own terms, and what it leads to. */
struct plan {
    struct ending ending;
    struct choices *choices; /* of each rank */
    enum run_end end;
    struct written_files *files; /* of each rank and each agent, which is the home of MPI files, as it leaves them */
    unsigned ranks;              /* agents too */
    bool *fails;                 /* each rank */
    struct where *place;         /* deadlock: the call that each rank is in; function 0: it has ended */
};

static enum run_end end_of(const struct ending *ending, const struct walk *walk) {
    if (!walk->ended_badly && walk_all_ended(walk))
        return RUN_ENDS_WELL;
    return strcmp(ending->class_name, "deadlock") == 0 ? RUN_DEADLOCKS : RUN_FAILS;
}

static struct where *places_of(const struct walk *walk) {
    struct where *place = memory_take_zeroed(walk->ranks * sizeof *place);
    for (unsigned rank = 0; rank < walk->ranks; rank++) {
        const struct step_result *result = mpi_model_result(walk->model, walk->state[rank]);
        if (result && !result->ended)
            place[rank] = (struct where){(uint16_t)rank, result->call.function, result->call.site, false};
    }
    return place;
}

static bool *failures_of(const struct walk *walk) {
    bool *fails = memory_take_zeroed(walk->ranks * sizeof *fails);
    for (unsigned rank = 0; rank < walk->ranks; rank++) {
        const struct step_result *result = mpi_model_result(walk->model, walk->state[rank]);
        fails[rank] = result && step_ended_badly(result);
    }
    return fails;
}

static bool make_plan(struct exploration *exploration, const struct witness_file *witness, const struct ordering *ordering,
                      struct plan *plan) {
    *plan = (struct plan){.ending = ending_follow(exploration, ordering, NULL, NULL)};
    if (ending_was_stopped(exploration, &plan->ending))
        return false;
    if (!witness->choices)
        ending_prefer(exploration, &plan->ending, witness->class_name, witness->message);
    struct choice_collector collector;
    struct walk walk = ending_walk(exploration);
    choice_collector_begin(&collector, walk.ranks, exploration->options->buffering);
    walk.taking = choice_collector_taking;
    walk.stepped = choice_collector_stepped;
    walk.context = &collector;
    enum walk_end end = walk_along(&walk, plan->ending.move, plan->ending.moves, SIZE_MAX);
    plan->end = end_of(&plan->ending, &walk);
    plan->place = places_of(&walk);
    plan->fails = failures_of(&walk);
    plan->ranks = walk.ranks;
    plan->files = memory_take_zeroed(plan->ranks * sizeof *plan->files);
    for (unsigned rank = 0; rank < plan->ranks; rank++)
        plan->files[rank] = programs_files(exploration->programs, plan->ending.local[rank]);
    plan->choices = collector.rank;
    choice_collector_end(&collector, walk.ranks);
    walk_free(&walk);
    return end != WALK_STOPPED;
}

static void free_plan(struct plan *plan) {
    ending_free(&plan->ending);
    choices_of_ranks_free(plan->choices, plan->ranks);
    free(plan->place);
    free(plan->fails);
    for (unsigned rank = 0; rank < plan->ranks; rank++)
        written_files_free(&plan->files[rank]);
    free(plan->files);
}

/* --- what came of it ----------------------------------------------------------------------------------------------------- */

static void print_status(unsigned rank, int status) {
    if (WIFSIGNALED(status))
        printf("rank %u was ended by signal %d (%s)\n", rank, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        printf("rank %u ended with exit status %d\n", rank, WEXITSTATUS(status));
}

static void print_run(const struct real_run *run) {
    for (unsigned rank = 0; rank < run->options.ranks; rank++) {
        for (int stream = 1; stream <= 2 && run->options.keeps_output; stream++) {
            size_t size;
            char *text = real_run_output(run, rank, stream, &size);
            ending_print_text(rank, stream, text, size);
            free(text);
        }
        if (atomic_load(&run->state->rank[rank].ended))
            print_status(rank, run->state->rank[rank].status);
    }
    fflush(stdout);
}

static void print_blocked(const struct real_run *run, const struct plan *plan, struct sites *sites) {
    for (unsigned rank = 0; rank < run->options.ranks; rank++) {
        const struct rank_state *state = &run->state->rank[rank];
        if (atomic_load(&state->ended))
            continue;
        printf("  rank %u (process %d) in ", rank, state->pid);
        bool foreseen = plan->place[rank].function == state->function;
        report_place(stdout, state->function, foreseen ? plan->place[rank].site : 0, sites);
        puts(atomic_load(&state->phase) == PHASE_HELD ? ", held there as the ordering is over" : "");
    }
}

/* Is every rank in the call in which the explorer left it, with all its choices made? */
static bool is_foreseen_deadlock(const struct real_run *run, const struct plan *plan) {
    for (unsigned rank = 0; rank < run->options.ranks; rank++) {
        const struct rank_state *state = &run->state->rank[rank];
        uint16_t function = plan->place[rank].function;
        bool in_call = !atomic_load(&state->ended) && atomic_load(&state->phase) == PHASE_IN_CALL;
        if (function && (!in_call || state->function != function || atomic_load(&state->left)))
            return false;
    }
    return plan->end == RUN_DEADLOCKS;
}

static bool any_failed(const struct real_run *run) {
    for (unsigned rank = 0; rank < run->options.ranks; rank++)
        if (real_run_failed(run, rank))
            return true;
    return false;
}

/* An abort ends the watchers with their ranks: only mpiexec tells of it. */
static bool was_aborted(const struct real_run *run) {
    bool all_ended = true;
    for (unsigned rank = 0; rank < run->options.ranks; rank++)
        all_ended &= atomic_load(&run->state->rank[rank].ended) != 0;
    return !all_ended && !run->mpiexec && run->mpiexec_status != 0;
}

/* A crash must be a signal; everything else that ends a rank has an exit status. */
static bool failed_as_foreseen(const struct real_run *run, const char *class_name) {
    bool crash = strcmp(class_name, "crash") == 0;
    for (unsigned rank = 0; rank < run->options.ranks; rank++)
        if (real_run_failed(run, rank) &&
            (!crash || WIFSIGNALED(run->state->rank[rank].status) || WEXITSTATUS(run->state->rank[rank].status) > 128))
            return true;
    return !crash && was_aborted(run);
}

static bool nobody_came_to_init(const struct real_run *run) {
    for (unsigned rank = 0; rank < run->options.ranks; rank++)
        if (atomic_load(&run->state->rank[rank].phase) != PHASE_ABSENT)
            return false;
    return true;
}

static int cannot(const struct real_run *run) {
    char sentence[600], *said = real_run_complaint(run);
    snprintf(sentence, sizeof sentence, "the program did not come to MPI_Init under mpiexec%s%.400s", *said ? ": " : "", said);
    free(said);
    return replay_complain(sentence, VERDICT_CANNOT_RUN);
}

/* MPI ends who calls it before MPI_Init. */
static bool called_too_early(const struct real_run *run, const struct plan *plan) {
    return strcmp(plan->ending.class_name, "call-outside-init") == 0 && any_failed(run);
}

static int departed(const struct real_run *run) {
    char sentence[400];
    unsigned rank;
    const struct rank_state *state = real_run_departed(run, &rank);
    snprintf(sentence, sizeof sentence, "the run under mpiexec departs from the witness: rank %u %s", rank, state->text);
    return replay_complain(sentence, VERDICT_CANNOT_RUN);
}

/* The deadlock is not there: MPI lets a rank go on where it need not. */
static bool passes_deadlock(const struct real_run *run, const struct plan *plan) {
    unsigned rank;
    const struct rank_state *state = real_run_departed(run, &rank);
    if (plan->end != RUN_DEADLOCKS || !state || atomic_load(&state->left))
        return false;
    printf("rank %u %s\n", rank, state->text);
    return true;
}

static void hold(struct real_run *run) {
    puts("holding the ranks for a debugger (gdb -p PROCESS); Ctrl-C ends them");
    fflush(stdout);
    while (real_run_watch(run) == REAL_BLOCKED)
        ;
}

/* How the run ended, against what was foreseen: 0, 1, or another exit code and a sentence. */
static int judge(struct real_run *run, const struct plan *plan, enum real_end end, struct sites *sites) {
    unsigned rank;
    const char *class_name = plan->ending.class_name;
    if (end == REAL_INTERRUPTED)
        return replay_complain("the replay was interrupted", VERDICT_UNDECIDED);
    if (end != REAL_BLOCKED && nobody_came_to_init(run) && !called_too_early(run, plan))
        return cannot(run);
    if (end == REAL_DEPARTED && passes_deadlock(run, plan))
        return DID_NOT_HAPPEN;
    if (end == REAL_DEPARTED || (real_run_departed(run, &rank) && !any_failed(run)))
        return departed(run);
    print_run(run);
    if (end == REAL_TIME)
        return replay_complain("the time budget is used up", VERDICT_UNDECIDED);
    if (end == REAL_BLOCKED) {
        bool foreseen = is_foreseen_deadlock(run, plan);
        puts(foreseen ? "all ranks are blocked:" : "all ranks are blocked, not as in the witness:");
        print_blocked(run, plan, sites);
        return foreseen ? HAPPENED : DID_NOT_HAPPEN;
    }
    if (end == REAL_RUNS_ON)
        return strcmp(class_name, "runaway") == 0 ? HAPPENED : DID_NOT_HAPPEN;
    return plan->end == RUN_FAILS && failed_as_foreseen(run, class_name) ? HAPPENED : DID_NOT_HAPPEN;
}

/* --- running ------------------------------------------------------------------------------------------------------------- */

static struct real_run_options run_options(const struct exploration *exploration, const struct plan *plan) {
    const struct options *options = exploration->options;
    return (struct real_run_options){
        .ranks = options->ranks,
        .path = exploration->path,
        .programs = options->programs,
        .program_count = options->program_count,
        .prefix = options->prefix,
        .wanted = plan->choices,
        .goes_on = plan->fails,
        .end = plan->end,
        .keeps_output = !options->prefix,
        .input = options->input    ? options->input
                 : options->prefix ? "-"
                                   : NULL,
        .seconds = options->seconds,
        .runaway_seconds = strcmp(plan->ending.class_name, "runaway") == 0 ? options->step_seconds : 0,
        .interrupt = exploration->interrupt,
    };
}

/* Leaves the run to be looked at; to be stopped. */
static int run_plan(struct exploration *exploration, const struct plan *plan, struct real_run *run) {
    char sentence[1024];
    struct real_run_options options = run_options(exploration, plan);
    fflush(stdout);
    if (!real_run_start(run, &options, sentence, sizeof sentence))
        return replay_complain(sentence, VERDICT_CANNOT_RUN);
    enum real_end end = real_run_watch(run);
    int code = judge(run, plan, end, exploration->sites);
    if (end == REAL_BLOCKED && exploration->options->hold)
        hold(run);
    return code;
}

/* Output and end of each rank. */
static bool same_runs(const struct real_run *a, const struct real_run *b) {
    bool same = true;
    for (unsigned rank = 0; same && rank < a->options.ranks; rank++) {
        same = a->state->rank[rank].status == b->state->rank[rank].status;
        for (int stream = 1; same && stream <= 2; stream++) {
            size_t a_size, b_size;
            char *here = real_run_output(a, rank, stream, &a_size), *there = real_run_output(b, rank, stream, &b_size);
            same = a_size == b_size && memcmp(here, there, a_size) == 0;
            free(here);
            free(there);
        }
    }
    return same;
}

static bool file_is_as_foreseen(const struct written_file *file) {
    struct stat there;
    if (stat(file->path, &there) != 0)
        return file->state == WIRE_FILE_REMOVED;
    if (file->state != WIRE_FILE_CONTENT)
        return file->state == WIRE_FILE_DIRECTORY && S_ISDIR(there.st_mode);
    size_t size;
    char *content = whole_file_content(file->path, &size);
    bool same = size == file->size && (size == 0 || memcmp(content, file->bytes, size) == 0);
    free(content);
    return same;
}

static bool same_file(const struct written_file *a, const struct written_file *b) {
    return strcmp(a->path, b->path) == 0 && a->state == b->state && a->size == b->size &&
           (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static bool is_among(const struct written_files *files, const struct written_file *file) {
    for (size_t i = 0; i < files->count; i++)
        if (same_file(&files->file[i], file))
            return true;
    return false;
}

/* Of those that the other plan leaves otherwise: what is alike in both may depend on what was there before, a log that grows
 * say. */
static bool files_are_as_foreseen(const struct plan *plan, const struct plan *other) {
    for (unsigned rank = 0; rank < plan->ranks; rank++)
        for (size_t i = 0; i < plan->files[rank].count; i++) {
            const struct written_file *file = &plan->files[rank].file[i];
            if (!is_among(&other->files[rank], file) && !file_is_as_foreseen(file))
                return false;
        }
    return true;
}

static bool same_files(const struct written_files *a, const struct written_files *b) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = same_file(&a->file[i], &b->file[i]);
    return same;
}

static bool plans_leave_other_files(const struct plan plan[2]) {
    for (unsigned rank = 0; rank < plan->ranks; rank++)
        if (!same_files(&plan[0].files[rank], &plan[1].files[rank]))
            return true;
    return false;
}

static int run_pair(struct exploration *exploration, const struct plan plan[2]) {
    struct real_run run[2] = {0};
    puts("this ordering, under mpiexec:");
    int code = run_plan(exploration, &plan[0], &run[0]);
    bool files = plans_leave_other_files(plan) && files_are_as_foreseen(&plan[0], &plan[1]);
    if (code == DID_NOT_HAPPEN) {
        puts("the other ordering, under mpiexec:");
        code = run_plan(exploration, &plan[1], &run[1]);
    }
    if (code == DID_NOT_HAPPEN && exploration->options->prefix)
        puts("what the two runs wrote is not compared, as it went to the terminal");
    else if (code == DID_NOT_HAPPEN)
        code = !same_runs(&run[0], &run[1]) || (files && files_are_as_foreseen(&plan[1], &plan[0])) ? HAPPENED : DID_NOT_HAPPEN;
    real_run_stop(&run[0]);
    real_run_stop(&run[1]);
    return code;
}

static int run_single(struct exploration *exploration, const struct plan *plan) {
    struct real_run run = {0};
    int code = run_plan(exploration, plan, &run);
    real_run_stop(&run);
    return code;
}

/* Mistakes that MPI may let pass. */
static bool is_silent(const char *class_name) {
    static const char *const classes[] = {"unreceived-message", "type-mismatch", "collective-mismatch", "invalid-argument",
                                          "buffer-in-use",      "request-leak",  "handle-leak",         "call-outside-init",
                                          "rma-conflict",       "rma-epoch",     "exit-status",         NULL};
    for (int i = 0; classes[i]; i++)
        if (strcmp(class_name, classes[i]) == 0)
            return true;
    return false;
}

/* What no run can show. */
static const char *unfit(const struct witness_file *witness) {
    static const char *const classes[] = {"livelock", "race-state", "nondeterministic-rank", NULL};
    for (int i = 0; classes[i]; i++)
        if (strcmp(witness->class_name, classes[i]) == 0)
            return classes[i];
    return NULL;
}

int replay_real(struct exploration *exploration, const struct witness_file *witness) {
    char sentence[256];
    struct plan plan[2] = {0};
    if (unfit(witness)) {
        snprintf(sentence, sizeof sentence,
                 "whether a %s happens cannot be seen from outside a run under mpiexec; replay it without --mpiexec",
                 unfit(witness));
        return replay_complain(sentence, VERDICT_CANNOT_RUN);
    }
    int code;
    if (!make_plan(exploration, witness, &witness->ordering, &plan[0]) ||
        (witness->race && !make_plan(exploration, witness, &witness->other, &plan[1])))
        code = ending_explain_stop(exploration, plan[1].ending.moves ? plan[1].ending.end : plan[0].ending.end);
    else if (!witness->race && !witness->choices && strcmp(plan[0].ending.class_name, witness->class_name) != 0)
        code = replay_complain("the witness does not lead to its finding any more; has the program's input changed?",
                               VERDICT_CANNOT_RUN);
    else
        code = witness->race ? run_pair(exploration, plan) : run_single(exploration, &plan[0]);
    const char *class_name = witness->choices ? plan[0].ending.class_name : witness->class_name;
    if (code == DID_NOT_HAPPEN && !*class_name)
        puts("the recorded ordering ended well under mpiexec");
    else if (code == HAPPENED)
        printf("happened under mpiexec: %s\n", class_name);
    else if (code == DID_NOT_HAPPEN)
        printf("did not happen under mpiexec: %s%s\n", class_name,
               is_silent(class_name) ? "; MPI need not notice it, and this one did not" : "");
    if (code != HAPPENED && *class_name && !is_silent(class_name) && AGENTS_ARE_NEEDED(witness->agents))
        puts("the order in which windows and files are accessed is left to MPI; the finding may need another one");
    for (int i = 0; i < 2; i++)
        free_plan(&plan[i]);
    return code;
}
