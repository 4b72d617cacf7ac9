#include "explorer/replay.h"

#include "explorer/explain.h"
#include "explorer/launch_line.h"
#include "explorer/memory.h"
#include "explorer/witness_file.h"

#include <stdlib.h>
#include <string.h>

struct telling {
    struct sites *sites;
    const struct step_table *locals;
    size_t decisions;
    bool steps; /* also tell of what is no decision */
};

static void tell(void *context, const struct decision *decision) {
    struct telling *telling = context;
    if (decision->choices == 0 && !telling->steps)
        return;
    if (decision->choices == 0)
        printf("       ");
    else
        printf("  %3zu. ", ++telling->decisions);
    report_decision(stdout, decision, telling->sites);
    if (telling->steps)
        printf("  (local state %u)", step_table_story(telling->locals, decision->local).number);
    putchar('\n');
}

/* How following an ordering ended. */
struct ending {
    enum search_end end;
    char class_name[24]; /* of the finding; "" if it ended well */
    char *message;
    uint32_t *local; /* of each rank at the end */
};

static struct ending follow(struct exploration *exploration, const struct ordering *ordering, struct telling *telling) {
    struct ending ending = {0};
    unsigned ranks = exploration->options->ranks;
    exploration_new_search(exploration);
    ending.end = search_follow(exploration->search, ordering, tell, telling);
    ending.local = memory_copy(search_end_locals(exploration->search), ranks * sizeof *ending.local);
    const struct finding *finding;
    size_t findings = search_findings(exploration->search, &finding);
    if (findings) {
        memcpy(ending.class_name, finding[findings - 1].class_name, sizeof ending.class_name);
        ending.message = strdup(finding[findings - 1].message);
    } else if (search_refusal(exploration->search)) {
        ending.message = strdup(search_refusal(exploration->search));
    }
    return ending;
}

static void print_output(struct exploration *exploration, const struct ending *ending) {
    for (unsigned rank = 0; rank < exploration->options->ranks; rank++)
        for (int stream = 1; stream <= 2; stream++) {
            size_t size;
            char *text = programs_output(exploration->programs, ending->local[rank], stream, &size);
            if (size) {
                printf("rank %u wrote to %s:\n", rank, stream == 1 ? "stdout" : "stderr");
                fwrite(text, 1, size, stdout);
                if (text[size - 1] != '\n')
                    putchar('\n');
            }
            free(text);
        }
}

static bool same_outcomes(struct exploration *exploration, const struct ending *a, const struct ending *b) {
    const struct step_source *steps = programs_steps(exploration->programs);
    for (unsigned rank = 0; rank < exploration->options->ranks; rank++)
        if (steps->output(steps->self, a->local[rank]) != steps->output(steps->self, b->local[rank]) ||
            (steps->memory && steps->memory(steps->self, a->local[rank]) != steps->memory(steps->self, b->local[rank])))
            return false;
    return true;
}

/* What a replay came to. */
enum outcome { REPRODUCED, NOT_REPRODUCED, STOPPED };

/* Did something other than the program end it? */
static bool was_stopped(const struct exploration *exploration, const struct ending *ending) {
    if (ending->end == SEARCH_COMPLETE || ending->end == SEARCH_FOUND)
        return false;
    return ending->end != SEARCH_FAILED || programs_failure(exploration->programs) ||
           programs_store_full(exploration->programs) || *exploration->interrupt;
}

static void print_message(const struct ending *ending) {
    if (ending->message)
        printf("%s%s%s\n", ending->class_name, ending->class_name[0] ? ": " : "", ending->message);
}

static void free_ending(struct ending *ending) {
    free(ending->local);
    free(ending->message);
}

static enum outcome replay_race(struct exploration *exploration, const struct witness_file *witness,
                                struct telling *telling, enum search_end *end) {
    puts("this ordering:");
    struct ending here = follow(exploration, &witness->ordering, telling), there = {0};
    bool stopped = was_stopped(exploration, &here), again = false;
    *end = here.end;
    if (!stopped) {
        print_output(exploration, &here);
        print_message(&here);
        puts("the other ordering:");
        telling->decisions = 0;
        there = follow(exploration, &witness->other, telling);
        stopped = was_stopped(exploration, &there);
        *end = there.end;
    }
    if (!stopped) {
        print_output(exploration, &there);
        print_message(&there);
        again = here.end == SEARCH_COMPLETE && there.end == SEARCH_COMPLETE && !same_outcomes(exploration, &here, &there);
    }
    free_ending(&here);
    free_ending(&there);
    return stopped ? STOPPED : again ? REPRODUCED : NOT_REPRODUCED;
}

static enum outcome replay_error(struct exploration *exploration, const struct witness_file *witness,
                                 struct telling *telling, enum search_end *end) {
    struct ending ending = follow(exploration, &witness->ordering, telling);
    bool stopped = was_stopped(exploration, &ending);
    *end = ending.end;
    if (!stopped) {
        print_output(exploration, &ending);
        print_message(&ending);
    }
    bool again = ending.end == SEARCH_FOUND && strcmp(ending.class_name, witness->class_name) == 0;
    free_ending(&ending);
    return stopped ? STOPPED : again ? REPRODUCED : NOT_REPRODUCED;
}

static int complain(const char *sentence, int code) {
    fflush(stdout);
    fprintf(stderr, "explore: %s\n", sentence);
    return code;
}

/* Why a replay was stopped, and its exit code. */
static int explain_stop(const struct exploration *exploration, enum search_end end) {
    const char *failure = programs_failure(exploration->programs), *refusal = search_refusal(exploration->search);
    if (end == SEARCH_REFUSED && refusal)
        return complain(refusal, VERDICT_CANNOT_RUN);
    if (*exploration->interrupt)
        return complain("the replay was interrupted", VERDICT_UNDECIDED);
    if (failure)
        return complain(failure, VERDICT_CANNOT_RUN);
    return complain(end == SEARCH_TIME ? "the time budget is used up" : "the memory budget is used up", VERDICT_UNDECIDED);
}

static int run_witness(struct exploration *exploration, const struct witness_file *witness) {
    char sentence[1024];
    struct telling telling = {.sites = exploration->sites,
                              .locals = programs_table(exploration->programs),
                              .steps = exploration->options->verbose};
    enum search_end end;
    enum outcome outcome = (witness->race ? replay_race : replay_error)(exploration, witness, &telling, &end);
    if (outcome == STOPPED)
        return explain_stop(exploration, end);
    if (outcome == REPRODUCED)
        printf("reproduced: %s\n", witness->class_name);
    else
        printf("not reproduced: %s; %s\n", witness->class_name,
               witness_is_of(witness, exploration->path) ? "has its input changed?" : "the program is not the one that the witness is of");
    if (!explain_local_states(stdout, exploration, sentence, sizeof sentence))
        return complain(sentence, VERDICT_CANNOT_RUN);
    return outcome == REPRODUCED ? VERDICT_FOUND : VERDICT_UNDECIDED;
}

/* Another build of the program may be given, and with it other arguments than the witness's. */
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
        return complain(sentence, VERDICT_CANNOT_RUN);
    if (options->quiet && !freopen("/dev/null", "w", stdout))
        return complain("cannot open /dev/null", VERDICT_CANNOT_RUN);
    struct options run;
    if (!restore_surroundings(options, &witness, sentence, sizeof sentence) ||
        !options_of(options, &witness, &run, sentence, sizeof sentence)) {
        witness_free(&witness);
        return complain(sentence, VERDICT_CANNOT_RUN);
    }
    struct exploration exploration;
    int code;
    if (exploration_begin(&exploration, &run, interrupt, sentence, sizeof sentence))
        code = run_witness(&exploration, &witness);
    else
        code = complain(sentence, *interrupt ? VERDICT_UNDECIDED : VERDICT_CANNOT_RUN);
    exploration_end(&exploration);
    witness_free(&witness);
    return code;
}
