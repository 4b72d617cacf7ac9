#include "explorer/exploration/unexplored_threads.h"

#include <stdio.h>
#include <string.h>

static bool is_openmp(const char *library) {
    static const char *const runtime[] = {"libgomp.", "libomp.", "libiomp5."};
    for (size_t i = 0; i < sizeof runtime / sizeof *runtime; i++)
        if (strncmp(library, runtime[i], strlen(runtime[i])) == 0)
            return true;
    return false;
}

static bool uses_openmp(const struct exploration *exploration, unsigned program) {
    struct modules *modules = sites_modules(exploration->sites, program);
    size_t count = 0;
    const struct module *module = modules ? modules_list(modules, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        if (is_openmp(module[i].name))
            return true;
    return false;
}

/* It is told to start none where they could not be kept (zygote_launch.c). */
static char *tell_openmp(const struct exploration *exploration) {
    bool any = false;
    for (unsigned i = 0; i < exploration->options->program_count; i++)
        any |= uses_openmp(exploration, i);
    return any && !exploration->options->checkpoint->sleeps
               ? strdup(
                     "OpenMP has one thread in each rank: as many as OMP_NUM_THREADS says are explored with --checkpoint criu")
               : NULL;
}

char *unexplored_threads_tell(const struct exploration *exploration) {
    const struct rank_set *ranks = step_table_with_threads(programs_table(exploration->programs));
    char *text = NULL;
    size_t size, named = 0, left = 0;
    for (unsigned rank = 0; rank < MAX_RANKS; rank++)
        left += rank_set_has(ranks, rank);
    if (!left)
        return tell_openmp(exploration);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "threads of rank%s ", left > 1 ? "s" : "");
    for (unsigned rank = 0; rank < MAX_RANKS; rank++) {
        if (!rank_set_has(ranks, rank))
            continue;
        left--;
        fprintf(out, "%s%u", named++ == 0 ? "" : left ? ", " : " and ", rank);
    }
    fputs(" call MPI: other orders of their calls are not explored", out);
    fclose(out);
    return text;
}
