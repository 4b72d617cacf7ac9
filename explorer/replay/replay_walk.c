#include "explorer/replay/replay_walk.h"

#include "explorer/containers/memory.h"
#include "explorer/replay/gdb.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct touring {
    struct exploration *exploration;
    struct walk walk;
    const struct ordering *ordering; /* what is walked, as decisions */
    const struct ending *ending;     /* and as moves */
    size_t next;                     /* move */
    size_t decisions;                /* taken so far */
    enum walk_end end;
};

/* The next move, as a decision; false: there is none. */
static bool look_ahead(struct touring *touring, struct decision *decision) {
    if (touring->end != WALK_QUIET || touring->next == touring->ending->moves)
        return false;
    const struct transition *move = &touring->ending->move[touring->next], *list;
    size_t choices = walk_offered(&touring->walk, &list), choice = 0;
    while (choice < choices && memcmp(&list[choice], move, sizeof *move) != 0)
        choice++;
    *decision = (struct decision){.transition = *move,
                                  .choice = (uint32_t)choice,
                                  .choices = (uint32_t)choices,
                                  .local = mpi_model_local(touring->walk.model, touring->walk.state[move->owner])};
    mpi_model_tell(touring->walk.model, touring->walk.state, move, &decision->story);
    return true;
}

static void print_next(const struct touring *touring, const struct decision *decision) {
    const struct ordering *ordering = touring->ordering;
    size_t at = touring->decisions;
    printf("%s %3zu. ", at < ordering->decisions && ordering->decision[at].differs ? "*" : " ", at + 1);
    report_decision(stdout, decision, touring->exploration->sites);
    if (decision->choices > 1)
        printf("  [%u of %u]", decision->choice + 1, decision->choices);
    putchar('\n');
}

static void take(struct touring *touring, const struct decision *decision) {
    touring->decisions += walk_is_decision(&decision->transition, decision->choices);
    touring->next++;
    touring->end = walk_take(&touring->walk, &decision->transition);
}

/* Where each rank is. */
static void print_places(const struct touring *touring) {
    const struct walk *walk = &touring->walk;
    for (unsigned rank = 0; rank < walk->ranks; rank++) {
        const struct step_result *result = mpi_model_result(walk->model, walk->state[rank]);
        printf("rank %u ", rank);
        if (!result) {
            puts("has not gone past MPI_Init");
            continue;
        }
        uint16_t function = result->ended ? result->end.function : result->call.function;
        uint32_t site = result->ended ? (uint32_t)result->end.site : result->call.site;
        printf(result->ended ? "has ended" : "is");
        if (!result->ended || function || site) {
            printf(" in ");
            report_place(stdout, function, site, touring->exploration->sites);
        }
        putchar('\n');
    }
}

/* Walks on until `decisions` have been taken; moves that are no decisions are not printed. */
static bool walk_until(struct touring *touring, size_t decisions) {
    struct decision decision;
    while (look_ahead(touring, &decision)) {
        bool counts = walk_is_decision(&decision.transition, decision.choices);
        if (counts && touring->decisions == decisions)
            return true;
        if (counts)
            print_next(touring, &decision);
        take(touring, &decision);
    }
    return touring->decisions == decisions;
}

static int too_few(const struct touring *touring, size_t wanted) {
    char sentence[160];
    snprintf(sentence, sizeof sentence, "the ordering has %zu decisions, so there is no decision %zu", touring->decisions,
             wanted);
    return replay_complain(sentence, VERDICT_CANNOT_RUN);
}

/* --- step by step -------------------------------------------------------------------------------------------------------- */

enum command { NEXT, CONTINUE, QUIT };

/* All that could be taken here; what the ordering takes is marked. */
static void print_choices(struct touring *touring, uint32_t taken) {
    const struct transition *list;
    size_t count = walk_offered(&touring->walk, &list);
    for (size_t i = 0; i < count; i++) {
        struct decision decision = {.transition = list[i], .choices = (uint32_t)count};
        mpi_model_tell(touring->walk.model, touring->walk.state, &list[i], &decision.story);
        printf("    %s [%zu of %zu] ", i == taken ? ">" : " ", i + 1, count);
        report_decision(stdout, &decision, touring->exploration->sites);
        putchar('\n');
    }
}

static enum command ask(struct touring *touring, uint32_t taken) {
    char line[80];
    for (;;) {
        if (isatty(STDIN_FILENO))
            printf("Enter or n: take it; l: what else could be taken; w: where each rank is; c: go on to the end; q: quit > ");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin) || *line == 'q')
            return QUIT;
        if (*line == 'c')
            return CONTINUE;
        if (*line == 'n' || *line == '\n')
            return NEXT;
        if (*line == 'l')
            print_choices(touring, taken);
        else if (*line == 'w')
            print_places(touring);
        else
            puts("n, l, w, c or q?");
    }
}

static int step_by_step(struct touring *touring) {
    struct decision decision;
    bool asking = true;
    while (look_ahead(touring, &decision)) {
        bool counts = walk_is_decision(&decision.transition, decision.choices);
        if (counts)
            print_next(touring, &decision);
        enum command command = counts && asking ? ask(touring, decision.choice) : NEXT;
        if (command == QUIT) {
            print_places(touring);
            return 0;
        }
        asking &= command != CONTINUE;
        take(touring, &decision);
    }
    return -1;
}

/* --- a debugger ---------------------------------------------------------------------------------------------------------- */

/* Before decision N the rank that makes it is in the call that it is about. */
static int debug(struct touring *touring, size_t number) {
    const struct options *options = touring->exploration->options;
    struct decision decision;
    if (!walk_until(touring, number - 1) || !look_ahead(touring, &decision))
        return too_few(touring, number);
    print_next(touring, &decision);
    const char *failure;
    pid_t process = programs_pause(touring->exploration->programs, decision.local);
    if (!process) {
        failure = programs_failure(touring->exploration->programs);
        return replay_complain(failure ? failure : "no process could be brought into the rank's state", VERDICT_CANNOT_RUN);
    }
    printf("rank %u before that decision is process %d\n", decision.transition.owner, (int)process);
    fflush(stdout);
    return gdb_attach(process, options->prefix);
}

/* --- all of them --------------------------------------------------------------------------------------------------------- */

static int tour(struct touring *touring) {
    const struct options *options = touring->exploration->options;
    touring->end = walk_determined(&touring->walk);
    if (options->step)
        return step_by_step(touring);
    if (options->gdb)
        return debug(touring, options->gdb);
    if (!walk_until(touring, options->until))
        return too_few(touring, options->until);
    print_places(touring);
    return 0;
}

int replay_walk(struct exploration *exploration, const struct witness_file *witness) {
    struct ending ending = ending_follow(exploration, &witness->ordering, NULL, NULL);
    if (ending_was_stopped(exploration, &ending)) {
        int code = ending_explain_stop(exploration, ending.end);
        ending_free(&ending);
        return code;
    }
    struct touring touring = {
        .exploration = exploration, .ordering = &witness->ordering, .walk = ending_walk(exploration), .ending = &ending};
    int code = tour(&touring);
    if (touring.end == WALK_STOPPED)
        code = ending_explain_stop(exploration, SEARCH_FAILED);
    walk_free(&touring.walk);
    ending_free(&ending);
    return code;
}
