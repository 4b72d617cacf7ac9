#include "explorer/orderings/recorded_ordering.h"

#include "explorer/containers/memory.h"
#include "explorer/search/choices_of_walk.h"

#include <stdlib.h>
#include <string.h>

static void add(struct ordering *ordering, size_t *room, const struct transition *transition) {
    ordering->decision = memory_room(ordering->decision, room, ordering->decisions, sizeof *ordering->decision);
    ordering->decision[ordering->decisions++] = (struct decision){.transition = *transition};
}

bool recorded_ordering_find(struct exploration *exploration, const struct choices *wanted, struct ordering *ordering,
                            char *sentence, size_t room) {
    struct walk walk = ending_walk(exploration);
    struct choice_guide guide;
    size_t decision_room = 0;
    choice_guide_begin(&guide, walk.ranks, exploration->options->buffering, wanted);
    walk.taking = choice_collector_taking;
    walk.stepped = choice_collector_stepped;
    walk.context = &guide.seen;
    *ordering = (struct ordering){0};
    *sentence = 0;
    enum walk_end end = walk_determined(&walk);
    while (end == WALK_QUIET) {
        const struct transition *list;
        size_t count = walk_offered(&walk, &list);
        size_t picked = choice_guide_pick(&guide, walk.model, walk.state, list, count);
        if (picked == count)
            break;
        if (walk_is_decision(&list[picked], count))
            add(ordering, &decision_room, &list[picked]);
        end = walk_take(&walk, &list[picked]);
    }
    if (guide.sentence[0])
        snprintf(sentence, room, "at decision %zu, %s", ordering->decisions + 1, guide.sentence);
    choice_guide_end(&guide, walk.ranks);
    walk_free(&walk);
    return !*sentence && end != WALK_STOPPED;
}

/* --- as a reference ------------------------------------------------------------------------------------------------------ */

static bool wrong(char *sentence, size_t room, const char *path, const char *why) {
    snprintf(sentence, room, "%.400s cannot be the reference: %s", path, why);
    return false;
}

/* The first word, which is where the program is, may differ. */
static bool same_arguments(char *const *a, char *const *b) {
    size_t i = 1;
    while (a[i] && b[i] && strcmp(a[i], b[i]) == 0)
        i++;
    return !a[i] && !b[i];
}

static bool same_programs(const struct options *options, const struct witness_file *file) {
    if (file->ranks != options->ranks || file->program_count != options->program_count)
        return false;
    for (unsigned i = 0; i < options->program_count; i++)
        if (file->programs[i].ranks != options->programs[i].ranks)
            return false;
    return true;
}

static bool all_arguments_same(const struct options *options, const struct witness_file *file) {
    for (unsigned i = 0; i < options->program_count; i++)
        if (!same_arguments(file->programs[i].words, options->programs[i].words))
            return false;
    return true;
}

static bool fits(const struct options *options, char *const *path, const struct witness_file *file, char *sentence,
                 size_t room) {
    char why[100];
    snprintf(why, sizeof why, "it was recorded with %u rank%s", file->ranks, file->ranks == 1 ? "" : "s");
    if (!file->choices)
        return wrong(sentence, room, options->reference, "it is a witness, not a recording of explore record");
    if (!same_programs(options, file))
        return wrong(sentence, room, options->reference,
                     file->ranks == options->ranks ? "its programs have other numbers of ranks" : why);
    if (!witness_is_of(file, path))
        return wrong(sentence, room, options->reference, "it was recorded with another build of the program");
    if (!all_arguments_same(options, file))
        return wrong(sentence, room, options->reference, "it was recorded with other arguments");
    return true;
}

bool recorded_reference_read(const struct options *options, char *const *path, struct witness_file *file, char *sentence,
                             size_t room) {
    if (!witness_read(options->reference, file, sentence, room))
        return false;
    if (fits(options, path, file, sentence, room))
        return true;
    witness_free(file);
    return false;
}
