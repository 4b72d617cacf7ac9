#include "explorer/exploration/explain.h"

#include "explorer/exploration/outcomes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 40 }; /* differences, unless --verbose */

/* --- the table ------------------------------------------------------------------------------------------------------- */

static void count_page(void *context, uint32_t index, uint32_t page) {
    (void)index, (void)page;
    ++*(size_t *)context;
}

/* Pages that differ from the rank's memory at MPI_Init. */
static size_t pages_written(struct exploration *exploration, uint32_t local, uint32_t rank) {
    const struct step_source *steps = programs_steps(exploration->programs);
    const struct step_table *table = programs_table(exploration->programs);
    struct captured_memory memory = programs_memory(exploration->programs, local);
    size_t pages = 0;
    page_tree_difference(memory.nodes, step_table_image_root(table, steps->root(steps->self, rank)),
                         step_table_image_root(table, local), count_page, &pages);
    return pages;
}

/* "rank 1", or what an agent is called. */
struct rank_name {
    char text[40];
};

static struct rank_name rank_name_of(const struct exploration *exploration, uint32_t rank) {
    unsigned ranks = exploration->options->ranks;
    struct rank_name name;
    if (rank < ranks)
        snprintf(name.text, sizeof name.text, "rank %u", rank);
    else
        snprintf(name.text, sizeof name.text, "the windows of rank %u", rank - ranks);
    return name;
}

static void print_where(FILE *out, const struct exploration *exploration, const struct local_story *story) {
    if (story->rank >= exploration->options->ranks) {
        fputs("(what its windows hold)", out);
        return;
    }
    if (story->ended)
        fputs("ended after ", out);
    report_place(out, story->function, story->site, exploration->sites);
}

static void list_states(FILE *out, struct exploration *exploration) {
    const struct step_table *table = programs_table(exploration->programs);
    uint32_t count = step_table_met(table);
    fprintf(out, "\n%u local states:\n  number  rank  pages  blocked in\n", count);
    for (uint32_t number = 1; number <= count; number++) {
        uint32_t local = step_table_numbered(table, number);
        struct local_story story = step_table_story(table, local);
        fprintf(out, "  %6u  %4u  %5zu  ", number, story.rank % exploration->options->ranks,
                pages_written(exploration, local, story.rank));
        print_where(out, exploration, &story);
        fputc('\n', out);
    }
}

/* --- two states ------------------------------------------------------------------------------------------------------ */

static void print_blocked(FILE *out, const struct local_story story[2], struct sites *sites) {
    if (!story[0].function && !story[1].function)
        return; /* of windows */
    bool same = story[0].function == story[1].function && story[0].site == story[1].site;
    fputs(same ? ", both blocked in " : ", blocked in ", out);
    report_place(out, story[0].function, story[0].site, sites);
    if (same)
        return;
    fputs(" and in ", out);
    report_place(out, story[1].function, story[1].site, sites);
}

static bool of_the_program(const struct difference *difference) { return difference->kind < DIFFERENT_LIBRARY; }

static void print_differences(FILE *out, const struct state_difference *found, bool verbose) {
    size_t listed = 0, places = 0;
    uint64_t bytes = 0;
    bool all = verbose || found->count == 0 || !of_the_program(&found->difference[0]);
    for (size_t i = 0; i < found->count; i++) {
        const struct difference *difference = &found->difference[i];
        if (!all && !of_the_program(difference)) {
            places++;
            bytes += difference->size;
        } else if (listed++ < LISTED || verbose) {
            char *text = difference_text(difference);
            fprintf(out, "  %s\n", text);
            free(text);
        }
    }
    if (listed > LISTED && !verbose)
        fprintf(out, "  and %zu more (--verbose lists all)\n", listed - LISTED);
    if (places)
        fprintf(out, "  besides, %" PRIu64 " byte%s in %zu place%s of libraries (--verbose lists them)\n", bytes,
                bytes == 1 ? "" : "s", places, places == 1 ? "" : "s");
}

static void print_outputs(FILE *out, struct programs *programs, const uint32_t local[2]) {
    struct output_difference difference = outcomes_compare_outputs(programs, local[0], local[1]);
    if (difference.stream)
        fprintf(out, "  written so far to %s, line %u: \"%s\" and \"%s\"\n", difference.stream == 1 ? "stdout" : "stderr",
                difference.line, difference.here ? difference.here : "", difference.there ? difference.there : "");
    output_difference_free(&difference);
}

static void explain(FILE *out, struct exploration *exploration, const uint32_t local[2]) {
    const struct step_table *table = programs_table(exploration->programs);
    struct captured_memory memory = programs_memory(exploration->programs, local[0]);
    const struct captured_state state[2] = {{step_table_image_root(table, local[0]), step_table_log(table, local[0])},
                                            {step_table_image_root(table, local[1]), step_table_log(table, local[1])}};
    const struct local_story story[2] = {step_table_story(table, local[0]), step_table_story(table, local[1])};
    struct state_difference found;
    state_difference_find(&memory, sites_modules(exploration->sites, step_table_program(table, local[0])), state, &found);
    fprintf(out, "\nlocal states %u and %u of %s", story[0].number, story[1].number,
            rank_name_of(exploration, story[0].rank).text);
    print_blocked(out, story, exploration->sites);
    if (found.count)
        fprintf(out, ", differ in %zu place%s:\n", found.count, found.count == 1 ? "" : "s");
    else
        fputs(", have the same memory:\n", out);
    print_outputs(out, exploration->programs, local);
    print_differences(out, &found, exploration->options->verbose);
    state_difference_free(&found);
}

bool explain_local_states(FILE *out, struct exploration *exploration, char *sentence, size_t room) {
    const struct options *options = exploration->options;
    const struct step_table *table = programs_table(exploration->programs);
    if (options->list_states)
        list_states(out, exploration);
    if (!options->explain[0])
        return true;
    uint32_t local[2];
    for (int i = 0; i < 2; i++) {
        local[i] = step_table_numbered(table, options->explain[i]);
        if (local[i] == NAME_UNKNOWN) {
            snprintf(sentence, room, "there is no local state %u: they are 1 to %u (see --list-states)", options->explain[i],
                     step_table_met(table));
            return false;
        }
    }
    uint32_t rank[2] = {step_table_story(table, local[0]).rank, step_table_story(table, local[1]).rank};
    if (rank[0] != rank[1]) {
        snprintf(sentence, room, "local states %u and %u are of %s and of %s", options->explain[0], options->explain[1],
                 rank_name_of(exploration, rank[0]).text, rank_name_of(exploration, rank[1]).text);
        return false;
    }
    for (unsigned i = 0; i < 2; i++)
        if (!programs_pin(exploration->programs, i, local[i])) {
            snprintf(sentence, room, "the pages of local state %u are forgotten, and cannot be made again",
                     options->explain[i]);
            return false;
        }
    explain(out, exploration, local);
    return true;
}
