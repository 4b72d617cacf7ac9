#include "explorer/unexplored_threads.h"

#include <stdio.h>

char *unexplored_threads_tell(const struct exploration *exploration) {
    const struct rank_set *ranks = step_table_with_threads(programs_table(exploration->programs));
    char *text = NULL;
    size_t size, named = 0, left = 0;
    for (unsigned rank = 0; rank < MAX_RANKS; rank++)
        left += rank_set_has(ranks, rank);
    FILE *out = left ? open_memstream(&text, &size) : NULL;
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
