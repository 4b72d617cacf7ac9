#include "explorer/replay/replay.h"

#include "explorer/command_line/launch_line.h"
#include "explorer/containers/memory.h"
#include "explorer/exploration/explain.h"
#include "explorer/orderings/ending.h"
#include "explorer/orderings/ordering_text.h"
#include "explorer/orderings/recorded_ordering.h"
#include "explorer/orderings/witness_file.h"
#include "explorer/processes/program_check.h"
#include "explorer/replay/replay_real.h"
#include "explorer/replay/replay_walk.h"

#include <stdlib.h>
#include <string.h>

struct telling {
    struct sites *sites;
    const struct step_table *locals;
    const struct ordering *ordering; /* which says what differs from the reference ordering; NULL: nothing */
    size_t decisions;
    bool steps; /* also tell of what is no decision */
    bool told;  /* it has been told already, step by step */
};

static bool is_difference(const struct ordering *ordering, size_t at) {
    return ordering && at < ordering->decisions && ordering->decision[at].differs;
}

static void tell(void *context, const struct decision *decision) {
    struct telling *telling = context;
    bool counts = decision->choices > 0 && walk_is_decision(&decision->transition, decision->choices);
    if (telling->told || (!counts && !telling->steps))
        return;
    if (!counts)
        printf("       ");
    else
        printf("%s %3zu. ", is_difference(telling->ordering, telling->decisions) ? "*" : " ", telling->decisions + 1);
    telling->decisions += counts;
    report_decision(stdout, decision, telling->sites);
    if (telling->steps)
        printf("  (local state %u)", step_table_story(telling->locals, decision->local).number);
    putchar('\n');
}

/* What a replay came to. */
enum outcome { REPRODUCED, NOT_REPRODUCED, STOPPED };

static enum outcome replay_race(struct exploration *exploration, const struct witness_file *witness, struct telling *telling,
                                enum search_end *end) {
    puts("this ordering:");
    telling->ordering = &witness->ordering;
    struct ending here = ending_follow(exploration, &witness->ordering, tell, telling), there = {0};
    bool stopped = ending_was_stopped(exploration, &here), again = false;
    *end = here.end;
    if (!stopped) {
        ending_print_output(exploration, &here);
        ending_print_message(&here);
        puts("the other ordering:");
        telling->decisions = 0;
        telling->ordering = &witness->other;
        telling->told = false;
        there = ending_follow(exploration, &witness->other, tell, telling);
        stopped = ending_was_stopped(exploration, &there);
        *end = there.end;
    }
    if (!stopped) {
        ending_print_output(exploration, &there);
        ending_print_message(&there);
        again = here.all_ended && there.all_ended && !endings_have_same_outcome(exploration, &here, &there);
    }
    ending_free(&here);
    ending_free(&there);
    return stopped ? STOPPED : again ? REPRODUCED : NOT_REPRODUCED;
}

static enum outcome replay_error(struct exploration *exploration, const struct witness_file *witness, struct telling *telling,
                                 enum search_end *end) {
    telling->ordering = &witness->ordering;
    struct ending ending = ending_follow(exploration, &witness->ordering, tell, telling);
    bool stopped = ending_was_stopped(exploration, &ending);
    *end = ending.end;
    if (!stopped) {
        ending_prefer(exploration, &ending, witness->class_name, witness->message);
        ending_print_output(exploration, &ending);
        ending_print_message(&ending);
    }
    bool again = ending.end == SEARCH_FOUND && strcmp(ending.class_name, witness->class_name) == 0;
    ending_free(&ending);
    return stopped ? STOPPED : again ? REPRODUCED : NOT_REPRODUCED;
}

static int run_witness(struct exploration *exploration, const struct witness_file *witness) {
    char sentence[1024];
    struct telling telling = {.sites = exploration->sites,
                              .locals = programs_table(exploration->programs),
                              .steps = exploration->options->verbose,
                              .told = exploration->options->step};
    enum search_end end;
    enum outcome outcome = (witness->race ? replay_race : replay_error)(exploration, witness, &telling, &end);
    if (outcome == STOPPED)
        return ending_explain_stop(exploration, end);
    if (outcome == REPRODUCED)
        printf("reproduced: %s\n", witness->class_name);
    else
        printf("not reproduced: %s; has its input changed?\n", witness->class_name);
    if (!explain_local_states(stdout, exploration, sentence, sizeof sentence))
        return replay_complain(sentence, VERDICT_CANNOT_RUN);
    return outcome == REPRODUCED ? VERDICT_FOUND : VERDICT_UNDECIDED;
}

/* A recorded ordering is shown as it goes, and where it ends. */
static int run_recorded(struct exploration *exploration, const struct witness_file *witness) {
    struct telling telling = {.sites = exploration->sites,
                              .locals = programs_table(exploration->programs),
                              .steps = exploration->options->verbose,
                              .told = exploration->options->step};
    struct ending ending = ending_follow(exploration, &witness->ordering, tell, &telling);
    int code;
    if (ending_was_stopped(exploration, &ending)) {
        code = ending_explain_stop(exploration, ending.end);
    } else {
        ending_print_output(exploration, &ending);
        ending_print_message(&ending);
        puts(ending.end == SEARCH_FOUND ? "the recorded ordering leads to a finding" : "the recorded ordering ends well");
        code = ending.end == SEARCH_FOUND ? VERDICT_FOUND : VERDICT_RACE_FREE;
    }
    ending_free(&ending);
    return code;
}

/* What was recorded becomes decisions first. False: *code, and it was said why. */
static bool find_recorded(struct exploration *exploration, struct witness_file *witness, int *code) {
    char sentence[400], departure[300];
    if (!witness->choices)
        return true;
    bool is_found = recorded_ordering_find(exploration, witness->choices, &witness->ordering, departure, sizeof departure);
    if (mpi_model_surprised(exploration->model)) { /* what was decided on the way was for another program */
        mpi_model_expect_surprises(exploration->model);
        free(witness->ordering.decision);
        is_found = recorded_ordering_find(exploration, witness->choices, &witness->ordering, departure, sizeof departure);
    }
    if (is_found)
        return true;
    snprintf(sentence, sizeof sentence, "the program departs from the recorded ordering: %s", departure);
    *code = *departure ? replay_complain(sentence, VERDICT_CANNOT_RUN) : ending_explain_stop(exploration, SEARCH_FAILED);
    return false;
}

static int run_as_asked(struct exploration *exploration, struct witness_file *witness) {
    const struct options *options = exploration->options;
    int code;
    if (!exploration_add_places(exploration, witness->places))
        return replay_complain("the witness names places of shared windows that there cannot be", VERDICT_CANNOT_RUN);
    if (witness->agents != AGENTS_NONE && !exploration_add_agents(exploration, witness->agents))
        return ending_explain_stop(exploration, SEARCH_FAILED);
    mpi_model_expect(exploration->model, &witness->expected);
    if (!find_recorded(exploration, witness, &code))
        return code;
    if (options->export_to)
        return ordering_export(exploration, witness, options->export_to);
    if (options->under_mpiexec)
        return replay_real(exploration, witness);
    if (options->until || options->gdb || options->step) {
        code = replay_walk(exploration, witness);
        if (code >= 0)
            return code;
    }
    return (witness->choices ? run_recorded : run_witness)(exploration, witness);
}

/* Its numbers of operations and requests mean something in one build only. */
static bool is_same_build(const struct options *run, const struct witness_file *witness, char *sentence, size_t room) {
    char **path = program_check_all(run->programs, run->program_count, sentence, room);
    bool same = path && witness_is_of(witness, path);
    if (path && !same)
        snprintf(sentence, room, "%.400s is not the build of the program that %.400s is of: explore it again", path[0],
                 run->witness);
    program_paths_free(path, run->program_count);
    return same;
}

/* The program may be elsewhere, and be given other arguments than the witness's. */
static bool choose_program(struct options *run, const struct options *given, struct witness_file *witness, char *sentence,
                           size_t room) {
    memcpy(run->programs, witness->programs, sizeof run->programs);
    run->program = witness->program;
    run->program_count = witness->program_count;
    if (!given->program[0])
        return true;
    if (witness->program_count > 1) {
        snprintf(sentence, room, "the witness is of %u programs that run together, which others cannot be given for",
                 witness->program_count);
        return false;
    }
    free(witness->program[0]);
    witness->program[0] = strdup(given->program[0]);
    if (given->program[1])
        run->programs[0].words = run->program = given->program;
    return true;
}

static bool options_of(const struct options *given, struct witness_file *witness, struct options *run, char *sentence,
                       size_t room) {
    *run = *given;
    run->ranks = witness->ranks;
    run->buffering = witness->buffering;
    if (witness->threads && !given->checkpoint_chosen)
        run->checkpoint = &backend_criu;
    run->keep_going = true; /* an ordering may lead to several findings at its end */
    run->race_on_state = strcmp(witness->class_name, "race-state") == 0;
    return choose_program(run, given, witness, sentence, room);
}

/* As mpiexec's command line had it when the witness was found. */
static bool restore_surroundings(struct options *options, const struct witness_file *witness, char *sentence, size_t room) {
    options->directory = witness->directory;
    for (unsigned i = 0; i < witness->variables; i++)
        options->variable[options->variables++] = strdup(witness->variable[i]);
    return launch_line_apply(options, sentence, room);
}

int replay(struct options *options, const volatile bool *interrupt) {
    char sentence[1024];
    struct witness_file witness;
    if (!witness_read(options->witness, &witness, sentence, sizeof sentence))
        return replay_complain(sentence, VERDICT_CANNOT_RUN);
    if (options->quiet && !freopen("/dev/null", "w", stdout))
        return replay_complain("cannot open /dev/null", VERDICT_CANNOT_RUN);
    struct options run;
    if (!restore_surroundings(options, &witness, sentence, sizeof sentence) ||
        !options_of(options, &witness, &run, sentence, sizeof sentence) ||
        !is_same_build(&run, &witness, sentence, sizeof sentence)) {
        witness_free(&witness);
        return replay_complain(sentence, VERDICT_CANNOT_RUN);
    }
    struct exploration exploration;
    int code;
    if (exploration_begin(&exploration, &run, interrupt, sentence, sizeof sentence))
        code = run_as_asked(&exploration, &witness);
    else
        code = replay_complain(sentence, *interrupt ? VERDICT_UNDECIDED : VERDICT_CANNOT_RUN);
    exploration_end(&exploration);
    witness_free(&witness);
    return code;
}
