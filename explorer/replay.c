#include "explorer/replay.h"

#include "explorer/exploration.h"
#include "explorer/memory.h"
#include "explorer/witness_file.h"

#include <stdlib.h>
#include <string.h>

struct telling {
    struct sites *sites;
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
            char *text = executors_output(exploration->executors, ending->local[rank], stream, &size);
            if (size) {
                printf("rank %u wrote to %s:\n", rank, stream == 1 ? "stdout" : "stderr");
                fwrite(text, 1, size, stdout);
                if (text[size - 1] != '\n')
                    putchar('\n');
            }
            free(text);
        }
}

static bool same_outputs(struct exploration *exploration, const struct ending *a, const struct ending *b) {
    const struct step_source *steps = executors_steps(exploration->executors);
    for (unsigned rank = 0; rank < exploration->options->ranks; rank++)
        if (steps->output(steps->self, a->local[rank]) != steps->output(steps->self, b->local[rank]))
            return false;
    return true;
}

static bool replay_race(struct exploration *exploration, const struct witness_file *witness, struct telling *telling) {
    puts("this ordering:");
    struct ending here = follow(exploration, &witness->ordering, telling);
    print_output(exploration, &here);
    puts("the other ordering:");
    telling->decisions = 0;
    struct ending there = follow(exploration, &witness->other, telling);
    print_output(exploration, &there);
    bool well = here.end == SEARCH_COMPLETE && there.end == SEARCH_COMPLETE;
    bool again = well && !same_outputs(exploration, &here, &there);
    if (!well)
        printf("%s\n", here.message ? here.message : there.message ? there.message : "the ordering cannot be followed");
    free(here.local);
    free(there.local);
    free(here.message);
    free(there.message);
    return again;
}

static bool replay_error(struct exploration *exploration, const struct witness_file *witness, struct telling *telling) {
    struct ending ending = follow(exploration, &witness->ordering, telling);
    print_output(exploration, &ending);
    if (ending.message)
        printf("%s%s%s\n", ending.class_name, ending.class_name[0] ? ": " : "", ending.message);
    bool again = ending.end == SEARCH_FOUND && strcmp(ending.class_name, witness->class_name) == 0;
    free(ending.local);
    free(ending.message);
    return again;
}

int replay(struct options *options, const volatile bool *interrupt) {
    char sentence[1024];
    struct witness_file witness;
    if (!witness_read(options->witness, &witness, sentence, sizeof sentence)) {
        fprintf(stderr, "explore: %s\n", sentence);
        return 3;
    }
    if (options->program[0]) { /* another build of the program, the arguments of the witness unless new ones are given */
        free(witness.program[0]);
        witness.program[0] = strdup(options->program[0]);
    }
    struct options run = *options;
    run.ranks = witness.ranks;
    run.buffering = witness.buffering;
    run.program = options->program[0] && options->program[1] ? options->program : witness.program;
    struct exploration exploration;
    int code = 3;
    if (exploration_begin(&exploration, &run, interrupt, sentence, sizeof sentence) &&
        (witness.agents == AGENTS_NONE || exploration_add_agents(&exploration, witness.agents))) {
        struct telling telling = {.sites = exploration.sites, .steps = options->verbose};
        bool again = (witness.race ? replay_race : replay_error)(&exploration, &witness, &telling);
        printf(again ? "reproduced: %s\n" : "not reproduced: %s; has the program changed?\n", witness.class_name);
        code = again ? 1 : 2;
    } else {
        fprintf(stderr, "explore: %s\n", sentence);
    }
    exploration_end(&exploration);
    witness_free(&witness);
    return code;
}
