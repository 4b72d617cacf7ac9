#include "tests/oracle/behaviours.h"

#include <stdlib.h>
#include <string.h>

/* The place of `line`: where it is, or where it would have to be inserted. */
static size_t place_of(const struct behaviours *set, const char *line) {
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(set->line[middle], line) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool behaviours_has(const struct behaviours *set, const char *line) {
    size_t place = place_of(set, line);
    return place < set->count && strcmp(set->line[place], line) == 0;
}

static void *must(void *memory) {
    if (!memory)
        abort();
    return memory;
}

void behaviours_add(struct behaviours *set, const char *line) {
    if (behaviours_has(set, line))
        return;
    size_t place = place_of(set, line);
    if (set->count == set->room) {
        set->room = set->room ? 2 * set->room : 16;
        set->line = must(realloc(set->line, set->room * sizeof *set->line));
    }
    memmove(&set->line[place + 1], &set->line[place], (set->count - place) * sizeof *set->line);
    set->line[place] = must(strdup(line));
    set->count++;
}

void behaviours_add_completed(struct behaviours *set, const struct process *const *process, unsigned ranks) {
    char line[512];
    size_t used = (size_t)snprintf(line, sizeof line, "completed");
    for (unsigned rank = 0; rank < ranks; rank++) {
        used += (size_t)snprintf(line + used, sizeof line - used, " %u:[", rank);
        for (unsigned i = 0; i < process[rank]->outputs; i++)
            used += (size_t)snprintf(line + used, sizeof line - used, i ? " %d" : "%d", process[rank]->output[i]);
        used += (size_t)snprintf(line + used, sizeof line - used, "]");
    }
    behaviours_add(set, line);
}

void behaviours_add_deadlock(struct behaviours *set, const int *blocked, unsigned ranks) {
    char line[128];
    size_t used = (size_t)snprintf(line, sizeof line, "deadlock");
    for (unsigned rank = 0; rank < ranks; rank++)
        if (blocked[rank] >= 0)
            used += (size_t)snprintf(line + used, sizeof line - used, " %u@%d", rank, blocked[rank]);
    behaviours_add(set, line);
}

static bool is_of(const char *line, const char *class_name) { return strncmp(line, class_name, strlen(class_name)) == 0; }

size_t behaviours_of(const struct behaviours *set, const char *class_name) {
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++)
        count += is_of(set->line[i], class_name);
    return count;
}

bool behaviours_contain(const struct behaviours *all, const struct behaviours *part, const char *class_name) {
    for (size_t i = 0; i < part->count; i++)
        if (is_of(part->line[i], class_name) && !behaviours_has(all, part->line[i]))
            return false;
    return true;
}

bool behaviours_agree(const struct behaviours *a, const struct behaviours *b, const char *class_name) {
    return behaviours_contain(a, b, class_name) && behaviours_contain(b, a, class_name);
}

void behaviours_print(const struct behaviours *set, FILE *out) {
    for (size_t i = 0; i < set->count; i++)
        fprintf(out, "    %s\n", set->line[i]);
}

void behaviours_clear(struct behaviours *set) {
    for (size_t i = 0; i < set->count; i++)
        free(set->line[i]);
    free(set->line);
    *set = (struct behaviours){0};
}
