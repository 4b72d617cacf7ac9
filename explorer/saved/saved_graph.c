#include "explorer/saved/saved_graph.h"

#include "explorer/saved/surroundings.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TIMES_ITS_COST = 20 };

struct graph_head {
    char format[16];
    int32_t agents_kind;
    uint32_t results;  /* so many steps it rests on */
    uint64_t checksum; /* of all that follows */
};

static const char format[16] = "explore graph 2";

struct graph_path {
    char text[PATH_MAX + 16];
};

static struct graph_path path_of(const struct saved_graph *graph, const char *name) {
    struct graph_path path;
    snprintf(path.text, sizeof path.text, "%.*s/%s", PATH_MAX - 1, saved_folder(graph->saved), name);
    return path;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* So often at most. A test has graphs that are made in less. */
static double seconds_between(void) {
    const char *wanted = getenv(GRAPH_SECONDS_VARIABLE);
    return wanted ? atof(wanted) : 1;
}

/* --- writing ------------------------------------------------------------------------------------------------------------- */

static bool write_content(const struct saved_graph *graph, const struct search *search, FILE *file) {
    if (!mpi_model_save(graph->model, file))
        return false;
    step_table_save_met(programs_table(graph->programs), file);
    search_save(search, file);
    return fflush(file) == 0 && !ferror(file);
}

/* The head last: it has the checksum. */
static bool write_file(const struct saved_graph *graph, const struct search *search, int agents_kind, FILE *file) {
    struct graph_head head = {.agents_kind = agents_kind, .results = step_table_results(programs_table(graph->programs))};
    memcpy(head.format, format, sizeof format);
    if (fwrite(&head, sizeof head, 1, file) != 1 || !write_content(graph, search, file) ||
        fseek(file, sizeof head, SEEK_SET) != 0)
        return false;
    head.checksum = surroundings_hash_of_stream(file);
    return fseek(file, 0, SEEK_SET) == 0 && fwrite(&head, sizeof head, 1, file) == 1 && fflush(file) == 0;
}

/* If it cannot be written, the one before stays. */
static void write_graph(const struct saved_graph *graph, const struct search *search, int agents_kind) {
    struct graph_path path = path_of(graph, "graph"), fresh = path_of(graph, "graph.new");
    FILE *file = fopen(fresh.text, "w+e");
    if (!file)
        return;
    bool whole = write_file(graph, search, agents_kind, file);
    whole = fclose(file) == 0 && whole;
    if (!whole || rename(fresh.text, path.text) != 0)
        unlink(fresh.text);
}

void saved_graph_write_now_and_then(struct saved_graph *graph, const struct search *search, int agents_kind) {
    double began = seconds_now(), pause = graph->took * TIMES_ITS_COST, least = seconds_between();
    if (began - graph->written < (pause > least ? pause : least))
        return;
    journal_settle(saved_journal(graph->saved)); /* the steps that it rests on */
    if (!journal_broken(saved_journal(graph->saved)))
        write_graph(graph, search, agents_kind);
    graph->written = seconds_now();
    graph->took = graph->written - began;
}

/* --- reading ------------------------------------------------------------------------------------------------------------- */

FILE *saved_graph_open(const struct saved_graph *graph, int *agents_kind) {
    FILE *file = fopen(path_of(graph, "graph").text, "re");
    struct graph_head head;
    if (!file)
        return NULL;
    if (fread(&head, sizeof head, 1, file) != 1 || memcmp(head.format, format, sizeof format) != 0 ||
        head.checksum != surroundings_hash_of_stream(file) || fseek(file, sizeof head, SEEK_SET) != 0 ||
        head.results > step_table_results(programs_table(graph->programs))) {
        fclose(file);
        return NULL;
    }
    *agents_kind = head.agents_kind;
    return file;
}

static const struct step_result *result_of(void *context, uint32_t number) {
    const struct saved_graph *graph = context;
    return step_table_result_numbered(programs_table(graph->programs), number);
}

bool saved_graph_read(const struct saved_graph *graph, FILE *file, struct search *search) {
    const struct model_reader reader = {file, result_of, (void *)graph};
    bool read = mpi_model_load(graph->model, &reader) && programs_load_met(graph->programs, file) && search_load(search, file);
    fclose(file);
    return read;
}
