#include "explorer/exploration/told_apart.h"

#include "explorer/containers/memory.h"
#include "explorer/containers/number_set.h"
#include "explorer/local_states/state_difference.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    LOCALS_LOOKED_AT = 4096, /* evenly among all, for the call in which most are */
    STATES_MOST = 4096,      /* evenly among those in that call */
    STATES_LEAST = 512,
    PAIRS = 8, /* of them, whose differences are named */
    PIECES_MOST = 256,
    NAMES_MOST = 32,
    NAMED_MOST = 3,
    FEWER = 8, /* times, or it is not worth a sentence */
};

/* Some memory within a page in which some of the states differ. */
struct piece {
    uint64_t address, size;
    uint32_t variable; /* 0: what is no variable of the program's */
};

struct told_apart {
    struct exploration *exploration;
    double find_until, read_until; /* seconds of the exploration */
    struct local_story where;      /* rank, function, and site */
    size_t all;                    /* local states there */
    uint32_t *local;               /* some of them */
    size_t locals;
    struct piece piece[PIECES_MOST];
    size_t pieces;
    char *variable[NAMES_MOST]; /* names; from 1 */
    size_t variables;
    uint64_t (*content)[NAMES_MOST]; /* of each state, of each variable: a hash */
};

/* ---- where the rank is ---- */

static int by_place(const void *a, const void *b) {
    const struct local_story *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return (x->function > y->function) - (x->function < y->function);
}

/* The first of the longest row of equal places. */
static struct local_story most_frequent(struct local_story *story, size_t count) {
    qsort(story, count, sizeof *story, by_place);
    struct local_story best = story[0];
    for (size_t first = 0, most = 0, i = 1; i <= count; i++) {
        if (i < count && by_place(&story[first], &story[i]) == 0)
            continue;
        if (i - first > most) {
            most = i - first;
            best = story[first];
        }
        first = i;
    }
    return best;
}

static bool find_place(struct told_apart *told, const struct step_table *table) {
    struct local_story *story = memory_take(LOCALS_LOOKED_AT * sizeof *story);
    const size_t locals = step_table_locals(table), distance = 1 + locals / LOCALS_LOOKED_AT;
    size_t count = 0;
    for (size_t local = 0; local < locals && count < LOCALS_LOOKED_AT; local += distance) {
        story[count] = step_table_story(table, (uint32_t)local);
        count += !story[count].ended && story[count].rank < told->exploration->options->ranks; /* no agent */
    }
    if (count > 0)
        told->where = most_frequent(story, count);
    free(story);
    return count > 0;
}

static bool is_there(const struct told_apart *told, const struct step_table *table, uint32_t local) {
    const struct local_story story = step_table_story(table, local);
    return !story.ended && by_place(&story, &told->where) == 0;
}

static bool gather(struct told_apart *told, const struct step_table *table) {
    const uint32_t locals = (uint32_t)step_table_locals(table);
    for (uint32_t local = 0; local < locals; local++)
        told->all += is_there(told, table, local);
    const size_t distance = 1 + told->all / STATES_MOST;
    told->local = memory_take(STATES_MOST * sizeof *told->local);
    size_t number = 0;
    for (uint32_t local = 0; local < locals; local++)
        if (is_there(told, table, local) && number++ % distance == 0 && told->locals < STATES_MOST)
            told->local[told->locals++] = local;
    return told->locals >= STATES_LEAST;
}

/* ---- which memory differs ---- */

/* All elements of an array are one variable; and where it is declared says enough of where it is. */
static void shorten(char *name) {
    char *frame = strstr(name, ", frame ");
    if (frame)
        *frame = '\0';
    char *to = name;
    for (const char *from = name; *from; from++) {
        const char *end = from + 1;
        while (*from == '[' && isdigit((unsigned char)*end))
            end++;
        if (*from == '[' && *end == ']')
            from = end;
        else
            *to++ = *from;
    }
    *to = '\0';
}

/* Takes over `name`. Those for which there is no room are told apart by together. */
static uint32_t variable_named(struct told_apart *told, char *name) {
    shorten(name);
    for (uint32_t i = 1; i < told->variables; i++)
        if (strcmp(told->variable[i], name) == 0) {
            free(name);
            return i;
        }
    if (told->variables == NAMES_MOST) {
        free(name);
        return 0;
    }
    told->variable[told->variables] = name;
    return (uint32_t)told->variables++;
}

static bool is_new(const struct told_apart *told, uint64_t start, uint64_t end) {
    for (size_t i = 0; i < told->pieces; i++)
        if (told->piece[i].address < end && start < told->piece[i].address + told->piece[i].size)
            return false;
    return true;
}

static void add_memory(struct told_apart *told, uint64_t start, uint64_t end, uint32_t variable) {
    while (start < end && told->pieces < PIECES_MOST) {
        const uint64_t page_end = (start / PAGE_BYTES + 1) * PAGE_BYTES, to = page_end < end ? page_end : end;
        told->piece[told->pieces++] = (struct piece){start, to - start, variable};
        start = to;
    }
}

static void add_differences(struct told_apart *told, const struct state_difference *found) {
    for (size_t i = 0; i < found->count; i++) {
        const struct difference *difference = &found->difference[i];
        const uint64_t end = difference->address + difference->size;
        if (!is_new(told, difference->address, end))
            continue;
        const uint32_t variable = difference->kind < DIFFERENT_STACK ? variable_named(told, strdup(difference->name)) : 0;
        add_memory(told, difference->address, end, variable);
    }
}

static int by_address(const void *a, const void *b) {
    const struct piece *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static struct captured_state state_of(const struct step_table *table, uint32_t local) {
    return (struct captured_state){step_table_image_root(table, local), step_table_log(table, local)};
}

static void find_pieces(struct told_apart *told, const struct step_table *table, const struct captured_memory *memory) {
    struct modules *modules = sites_modules(told->exploration->sites, step_table_program(table, told->local[0]));
    told->variables = 1;
    for (size_t i = 0; i < PAIRS && (i == 0 || exploration_seconds(told->exploration) < told->find_until); i++) {
        const size_t one = i * told->locals / PAIRS, other = (one + told->locals / 2 + 1) % told->locals;
        const struct captured_state pair[2] = {state_of(table, told->local[one]), state_of(table, told->local[other])};
        struct state_difference found;
        state_difference_find(memory, modules, pair, &found);
        add_differences(told, &found);
        state_difference_free(&found);
    }
    qsort(told->piece, told->pieces, sizeof *told->piece, by_address);
}

/* ---- what would be left without ---- */

static void read_state(struct told_apart *told, const struct step_table *table, const struct captured_memory *memory,
                       size_t number) {
    const uint32_t root = step_table_image_root(table, told->local[number]);
    char content[PAGE_BYTES];
    uint64_t page = 0;
    bool is_there = false;
    memset(told->content[number], 0, sizeof told->content[number]);
    for (size_t i = 0; i < told->pieces; i++) {
        const struct piece *piece = &told->piece[i];
        const uint64_t inside = piece->address % PAGE_BYTES;
        if (page != piece->address - inside) {
            page = piece->address - inside;
            is_there = captured_read(memory, root, page, content, PAGE_BYTES);
        }
        if (is_there)
            told->content[number][piece->variable] += XXH3_64bits_withSeed(content + inside, piece->size, piece->address);
    }
}

/* Those for which there is no time are left out. */
static void read_states(struct told_apart *told, const struct step_table *table, const struct captured_memory *memory) {
    told->content = memory_take(told->locals * sizeof *told->content);
    size_t read = 0;
    while (read < told->locals && (read < STATES_LEAST || exploration_seconds(told->exploration) < told->read_until))
        read_state(told, table, memory, read++);
    told->locals = read;
}

/* How many states there are if these variables do not count. */
static size_t different_without(const struct told_apart *told, uint32_t without) {
    struct number_set seen = {0};
    for (size_t i = 0; i < told->locals; i++) {
        uint64_t sum = 1;
        for (size_t k = 0; k < told->variables; k++)
            if (!(without >> k & 1))
                sum += told->content[i][k];
        number_set_add(&seen, sum ? sum : 1);
    }
    const size_t count = seen.count;
    number_set_free(&seen);
    return count;
}

/* Takes the variable that helps most, and again, until another one does not help much. */
static uint32_t choose(const struct told_apart *told, size_t *left) {
    uint32_t chosen = 0;
    *left = different_without(told, 0);
    for (unsigned number = 0; number < NAMED_MOST; number++) {
        uint32_t best = 0;
        size_t least = *left / 2;
        for (size_t k = 1; k < told->variables; k++) {
            const uint32_t tried = chosen | (uint32_t)1 << k;
            const size_t count = tried == chosen ? *left : different_without(told, tried);
            if (count < least) {
                least = count;
                best = tried;
            }
        }
        if (!best)
            break;
        chosen = best;
        *left = least;
    }
    return chosen;
}

static char *sentence(const struct told_apart *told, uint32_t chosen, size_t left) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "most local states, %zu, are of rank %u in ", told->all, told->where.rank);
    report_place(out, told->where.function, told->where.site, told->exploration->sites);
    fprintf(out, ". Of %zu of them %zu are left if", told->locals, left);
    const char *between = " ";
    for (size_t k = 1; k < told->variables; k++)
        if (chosen >> k & 1) {
            fprintf(out, "%s%s", between, told->variable[k]);
            between = " and ";
        }
    fprintf(out, " do%s not count: what is not needed any more is better cleared, or given to explore_ignore (explore.h)",
            chosen & (chosen - 1) ? "" : "es");
    fclose(out);
    return text;
}

static char *tell(struct told_apart *told) {
    const struct step_table *table = programs_table(told->exploration->programs);
    if (!find_place(told, table) || !gather(told, table))
        return NULL;
    const struct captured_memory memory = programs_memory(told->exploration->programs, told->local[0]);
    if (!memory.pages)
        return NULL;
    find_pieces(told, table, &memory);
    read_states(told, table, &memory);
    size_t left;
    const uint32_t chosen = choose(told, &left);
    return chosen && left <= told->locals / FEWER ? sentence(told, chosen, left) : NULL;
}

char *told_apart_tell(struct exploration *exploration) {
    static const double least = 0.2, most = 0.5, share = 0.02;
    if (programs_statistics(exploration->programs).pages_forgotten > 0)
        return NULL;
    const double now = exploration_seconds(exploration), part = now * share;
    const double given = part < least ? least : part > most ? most : part;
    struct told_apart told = {.exploration = exploration, .find_until = now + given / 2, .read_until = now + given};
    char *text = tell(&told);
    for (size_t k = 1; k < told.variables; k++)
        free(told.variable[k]);
    free(told.content);
    free(told.local);
    return text;
}
