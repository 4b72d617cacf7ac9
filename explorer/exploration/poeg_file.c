#include "explorer/exploration/poeg_file.h"

#include "explorer/exploration/exploration.h"
#include "explorer/machine/whole_file.h"
#include "models/mpi/functions.h"

#include <errno.h>
#include <string.h>

/* Subgroups are clusters of Graphviz, `subgraph cluster_RANK_SUBGROUP`, whose parts may be anywhere in the file: each event is put
 * into its own. */
struct drawing {
    FILE *file;
    struct sites *sites;
    const uint32_t *subgroup; /* of each message instead of the run's, or NULL */
    size_t messages;          /* drawn so far */
};

static void put_text(FILE *file, const char *text) {
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        fputc(*text, file);
    }
}

static void draw(void *context, const struct run_event *event) {
    struct drawing *drawing = context;
    FILE *file = drawing->file;
    const char *where = sites_text(drawing->sites, event->site);
    if (event->rank >= 0) {
        uint32_t subgroup = drawing->subgroup ? drawing->subgroup[drawing->messages] : event->subgroup;
        fprintf(file, "    subgraph cluster_%d_%u { label=\"rank %d, subgroup %u\"; e%u; }\n", event->rank, subgroup,
                event->rank, subgroup, event->number);
        drawing->messages++;
    }
    fprintf(file, "    e%u [", event->number);
    if (event->rank < 0)
        fputs("shape=box, label=\"", file);
    else
        fprintf(file, "group=rank%d, label=\"rank %d receives from rank %u\\n", event->rank, event->rank, event->from);
    put_text(file, function_name(event->function));
    fputs(*where ? " (" : "", file);
    put_text(file, where);
    fputs(*where ? ")" : "", file);
    if (event->tag >= 0)
        fprintf(file, ", tag %d", event->tag);
    fputs("\"];\n", file);
    for (size_t i = 0; i < event->befores; i++)
        fprintf(file, "    e%u -> e%u;\n", event->before[i], event->number);
}

bool poeg_file_write(struct exploration *exploration, char *why, size_t room) {
    struct whole_file whole;
    const struct parts_options parts = {.ranks = exploration->options->ranks};
    if (proof_ruled_out(exploration)) {
        snprintf(why, room, "the program %s", proof_ruled_out(exploration));
        return false;
    }
    if (!whole_file_open(&whole, exploration->options->poeg)) {
        snprintf(why, room, "%s", strerror(errno));
        return false;
    }
    struct drawing drawing = {.file = whole.file, .sites = exploration->sites, .subgroup = exploration->orders.counts.subgroup};
    fputs("digraph poeg {\n    node [fontsize=10];\n    graph [fontsize=10, color=grey];\n", whole.file);
    bool drawn = parts_of_run(exploration->model, programs_steps(exploration->programs), &parts, draw, &drawing, why, room);
    fputs("}\n", whole.file);
    if (!drawn) {
        whole_file_discard(&whole);
        return false;
    }
    bool closed = whole_file_close(&whole);
    if (!closed)
        snprintf(why, room, "%s", strerror(errno));
    return closed;
}
