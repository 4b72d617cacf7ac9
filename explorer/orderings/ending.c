#include "explorer/orderings/ending.h"

#include "explorer/containers/memory.h"

#include <stdlib.h>
#include <string.h>

struct following {
    struct ending *ending;
    size_t room;
    void (*tell)(void *context, const struct decision *decision);
    void *context;
};

static void note(void *context, const struct decision *decision) {
    struct following *following = context;
    struct ending *ending = following->ending;
    if (decision->choices > 0) {
        ending->move = memory_room(ending->move, &following->room, ending->moves, sizeof *ending->move);
        ending->move[ending->moves++] = decision->transition;
    }
    if (following->tell)
        following->tell(following->context, decision);
}

static void set_finding(struct ending *ending, const struct finding *finding) {
    free(ending->message);
    memcpy(ending->class_name, finding->class_name, sizeof ending->class_name);
    ending->message = strdup(finding->message);
}

struct ending ending_follow(struct exploration *exploration, const struct ordering *ordering,
                            void (*tell)(void *context, const struct decision *decision), void *context) {
    struct ending ending = {0};
    struct following following = {.ending = &ending, .tell = tell, .context = context};
    unsigned ranks = exploration->options->ranks + exploration->agents;
    exploration_new_search(exploration);
    ending.end = search_follow(exploration->search, ordering, note, &following);
    ending.local = memory_copy(search_end_locals(exploration->search), ranks * sizeof *ending.local);
    ending.all_ended = search_came_to_end(exploration->search);
    const struct finding *finding;
    if (search_findings(exploration->search, &finding)) {
        set_finding(&ending, finding);
    } else if (search_refusal(exploration->search)) {
        ending.message = strdup(search_refusal(exploration->search));
    }
    return ending;
}

void ending_prefer(const struct exploration *exploration, struct ending *ending, const char *class_name, const char *message) {
    const struct finding *finding, *best = NULL;
    size_t findings = search_findings(exploration->search, &finding);
    for (size_t i = 0; i < findings; i++) {
        if (strcmp(finding[i].class_name, class_name) != 0)
            continue;
        bool same = strcmp(finding[i].message, message) == 0;
        if (!best || same)
            best = &finding[i];
        if (same)
            break;
    }
    if (best)
        set_finding(ending, best);
}

void ending_free(struct ending *ending) {
    free(ending->local);
    free(ending->message);
    free(ending->move);
    *ending = (struct ending){0};
}

bool ending_was_stopped(const struct exploration *exploration, const struct ending *ending) {
    bool by_program =
        ending->end == SEARCH_COMPLETE || ending->end == SEARCH_FOUND ||
        ending->end == SEARCH_AGENTS; /* it uses windows or files in another way than when the witness was found */
    if (by_program)
        return false;
    return ending->end != SEARCH_FAILED || programs_failure(exploration->programs) ||
           programs_store_full(exploration->programs) || *exploration->interrupt;
}

int replay_complain(const char *sentence, int code) {
    fflush(stdout);
    fprintf(stderr, "explore: %s\n", sentence);
    return code;
}

int ending_explain_stop(const struct exploration *exploration, enum search_end end) {
    const char *failure = programs_failure(exploration->programs);
    const char *refusal = exploration->search ? search_refusal(exploration->search) : NULL;
    if (end == SEARCH_REFUSED && refusal)
        return replay_complain(refusal, VERDICT_CANNOT_RUN);
    if (*exploration->interrupt)
        return replay_complain("the replay was interrupted", VERDICT_UNDECIDED);
    if (failure)
        return replay_complain(failure, VERDICT_CANNOT_RUN);
    return replay_complain(end == SEARCH_TIME ? "the time budget is used up" : "the memory budget is used up",
                           VERDICT_UNDECIDED);
}

void ending_print_message(const struct ending *ending) {
    if (ending->message)
        printf("%s%s%s\n", ending->class_name, ending->class_name[0] ? ": " : "", ending->message);
}

void ending_print_text(unsigned rank, int stream, const char *text, size_t size) {
    if (!size)
        return;
    printf("rank %u wrote to %s:\n", rank, stream == 1 ? "stdout" : "stderr");
    fwrite(text, 1, size, stdout);
    if (text[size - 1] != '\n')
        putchar('\n');
}

void ending_print_output(struct exploration *exploration, const struct ending *ending) {
    for (unsigned rank = 0; rank < exploration->options->ranks; rank++)
        for (int stream = 1; stream <= 2; stream++) {
            size_t size;
            char *text = programs_output(exploration->programs, ending->local[rank], stream, &size);
            ending_print_text(rank, stream, text, size);
            free(text);
        }
}

bool endings_have_same_outcome(struct exploration *exploration, const struct ending *a, const struct ending *b) {
    const struct step_source *steps = programs_steps(exploration->programs);
    for (unsigned rank = 0; rank < exploration->options->ranks + exploration->agents; rank++)
        if (steps->output(steps->self, a->local[rank]) != steps->output(steps->self, b->local[rank]) ||
            (steps->memory && steps->memory(steps->self, a->local[rank]) != steps->memory(steps->self, b->local[rank])))
            return false;
    return true;
}

struct walk ending_walk(struct exploration *exploration) {
    struct walk walk = {.ranks = exploration->options->ranks + exploration->agents,
                        .model = exploration->model,
                        .steps = programs_steps(exploration->programs)};
    walk_begin(&walk);
    return walk;
}
