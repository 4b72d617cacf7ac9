#include "explorer/orderings/ordering_text.h"

#include "explorer/machine/whole_file.h"
#include "models/mpi/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct lines {
    FILE *out;
    struct sites *sites;
    size_t count;
};

static void put_place(struct lines *lines, uint16_t function, uint32_t site) {
    const char *name = function_name(function), *text = sites_text(lines->sites, site);
    fprintf(lines->out, "\t%s\t%s", *name ? name : "-", *text ? text : "-");
}

static void put_rest(FILE *out, const struct transition_story *story) {
    bool details = story->detail[0] != 0, tag = story->tag >= 0;
    fprintf(out, "\t%s%s", story->detail, details && tag ? ", " : "");
    if (tag)
        fprintf(out, "tag %d", story->tag);
    fputs(details || tag ? "\n" : "-\n", out);
}

static void put_decision(void *context, const struct decision *decision) {
    struct lines *lines = context;
    const struct transition_story *story = &decision->story;
    if (decision->choices == 0 || !walk_is_decision(&decision->transition, decision->choices))
        return;
    fprintf(lines->out, "%zu\t%u", ++lines->count, story->owner);
    put_place(lines, story->function, story->site);
    fprintf(lines->out, "\t%s", story->verb);
    if (story->partner_function || story->partner != story->owner) {
        fprintf(lines->out, "\t%u", story->partner);
        put_place(lines, story->partner_function, story->partner_site);
    } else {
        fputs("\t-\t-\t-", lines->out);
    }
    put_rest(lines->out, story);
}

/* The decisions are counted before they are written: into memory first. */
static bool put_ordering(FILE *out, struct exploration *exploration, const struct ordering *ordering, const char *which) {
    char *text = NULL;
    size_t size;
    struct lines lines = {.out = open_memstream(&text, &size), .sites = exploration->sites};
    struct ending ending = ending_follow(exploration, ordering, put_decision, &lines);
    bool stopped = ending_was_stopped(exploration, &ending);
    fclose(lines.out);
    fprintf(out, "# decisions %zu%s\n", lines.count, which);
    fwrite(text, 1, size, out);
    free(text);
    ending_free(&ending);
    return !stopped;
}

static bool put_witness(FILE *out, struct exploration *exploration, const struct witness_file *witness) {
    fprintf(out, "# explore ordering 1\n# ranks %u\n# finding ", witness->ranks);
    if (witness->class_name[0])
        fprintf(out, "%s: %s\n", witness->class_name, witness->message);
    else
        fputs("none\n", out);
    return put_ordering(out, exploration, &witness->ordering, "") &&
           (!witness->race || put_ordering(out, exploration, &witness->other, " of the other ordering"));
}

static int cannot_write(const char *path) {
    char sentence[4200];
    snprintf(sentence, sizeof sentence, "cannot write %s: %s", path, strerror(errno));
    return replay_complain(sentence, VERDICT_CANNOT_RUN);
}

int ordering_export(struct exploration *exploration, const struct witness_file *witness, const char *path) {
    struct whole_file file = {.file = stdout};
    bool own = strcmp(path, "-") != 0;
    if (own && !whole_file_open(&file, path))
        return cannot_write(path);
    bool whole = put_witness(file.file, exploration, witness);
    if (own && !whole_file_close(&file))
        return cannot_write(path);
    return whole ? 0 : ending_explain_stop(exploration, SEARCH_FAILED);
}
