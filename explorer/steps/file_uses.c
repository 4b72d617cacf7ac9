#include "explorer/steps/file_uses.h"

#include "explorer/containers/memory.h"
#include "models/mpi/protocol.h"
#include "models/transition.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KINDS = 5, NOBODY = -1, AGENTS_USE = -2 /* of MPI files, for whichever rank */ };

struct file_use_entry {
    char *path;
    uint64_t turn;
    struct rank_set users[KINDS]; /* by the number of the bit of enum wire_use */
    bool by_agents[KINDS];
    struct rank_set openers; /* the group that opens it by MPI-IO */
    bool opened;             /* there is one */
    bool opened_by_others;   /* and another one, too */
};

static const char *const verb[KINDS] = {"reads", "writes", "lists", "makes or removes files in", "deletes"};

/* The lowest from `rank` on. */
static int next_rank(const struct rank_set *set, int rank) {
    while (rank < MAX_RANKS && !rank_set_has(set, (unsigned)rank))
        rank++;
    return rank < MAX_RANKS ? rank : NOBODY;
}

static bool is_used(const struct file_use_entry *entry, int kind) {
    return entry->by_agents[kind] || !rank_set_is_empty(&entry->users[kind]);
}

/* False: it was there. */
static bool add_user(struct file_use_entry *entry, int kind, int user) {
    bool is_new = user == AGENTS_USE ? !entry->by_agents[kind] : !rank_set_has(&entry->users[kind], (unsigned)user);
    if (user == AGENTS_USE)
        entry->by_agents[kind] = true;
    else
        rank_set_add(&entry->users[kind], (unsigned)user);
    return is_new;
}

static int other_than(const struct file_use_entry *entry, int kind, int user) {
    int rank = next_rank(&entry->users[kind], 0);
    if (rank != NOBODY && rank == user)
        rank = next_rank(&entry->users[kind], rank + 1);
    if (rank == NOBODY && user != AGENTS_USE && entry->by_agents[kind])
        return AGENTS_USE;
    return rank;
}

static struct name name_in_turn(const char *path, size_t size, uint64_t turn) {
    struct name name = name_of(path, size);
    name.high ^= turn;
    return name;
}

static struct file_use_entry *find(struct file_uses *uses, const char *path, size_t size, uint64_t turn) {
    uint32_t at = name_table_find(&uses->names, name_in_turn(path, size, turn));
    return at == NAME_UNKNOWN ? NULL : &uses->entry[at];
}

static struct file_use_entry *find_or_make(struct file_uses *uses, const char *path, size_t size, uint64_t turn) {
    struct file_use_entry *entry = find(uses, path, size, turn);
    if (entry)
        return entry;
    uses->entry = memory_room(uses->entry, &uses->room, uses->count, sizeof *uses->entry);
    entry = &uses->entry[uses->count];
    *entry = (struct file_use_entry){.turn = turn};
    entry->path = memory_take(size + 1);
    memcpy(entry->path, path, size);
    entry->path[size] = 0;
    name_table_add(&uses->names, name_in_turn(path, size, turn), (uint32_t)uses->count++);
    return entry;
}

const char *file_shown_path(const char *path) {
    static char here[PATH_MAX];
    if (!here[0] && !getcwd(here, sizeof here))
        return path;
    size_t length = strlen(here);
    return length > 1 && strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

char *file_printable(char *text) {
    for (char *at = text; *at; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
    return text;
}

/* --- what does not go together --------------------------------------------------------------------------------------- */

struct user_name {
    char text[24];
};
static struct user_name name_of_user(int user) {
    struct user_name name = {"MPI-IO"};
    if (user != AGENTS_USE)
        snprintf(name.text, sizeof name.text, "rank %d", user);
    return name;
}

/* What is said of it then: the program may be one whose ranks take turns; it takes them; or it uses MPI-IO, and cannot. */
static const char *refusal_of(const struct file_uses *uses, uint64_t turn) {
    if (turn > 0)
        return "communication through files is not supported without a collective of all ranks in between";
    return uses->by_mpi_io ? "communication through files is not supported beside MPI-IO" : FILE_USES_IN_TURNS;
}

static char *sentence(const struct file_uses *uses, int rank, int kind, const struct file_use_entry *entry, int other,
                      int other_kind, const char *other_path) {
    char *text;
    const char *path = entry->path, *refusal = refusal_of(uses, entry->turn);
    const char *shown = file_shown_path(path), *other_shown = file_shown_path(other_path);
    struct user_name who = name_of_user(rank), whom = name_of_user(other);
    bool same = strcmp(path, other_path) == 0;
    int made = same ? asprintf(&text, "%s %s \"%s\", which %s %s%s: %s", who.text, verb[kind], shown, whom.text,
                               verb[other_kind], kind == other_kind ? " too" : "", refusal)
                    : asprintf(&text, "%s %s \"%s\", and %s makes or removes \"%s\": %s", who.text, verb[kind], shown,
                               whom.text, other_shown, refusal);
    return made < 0 ? strdup(refusal) : file_printable(text);
}

enum { READ, WRITTEN, LISTED, ENTRY, DELETED };

/* Does whatever a rank does with the file come before or after what MPI-IO does with it (see file_uses_add_opening)? If nobody
 * opens it, that is MPI_File_delete. */
static bool is_in_order(const struct file_use_entry *entry, int rank) {
    return !entry->opened_by_others && rank >= 0 &&
           rank_set_has(entry->opened ? &entry->openers : &entry->users[DELETED], (unsigned)rank);
}

/* Somebody whose use of one kind does not go with the user's of the other. What MPI_File_delete does to MPI-IO's file is
 * explored. */
static int opponent(const struct file_use_entry *entry, int user, int kind, int other_kind) {
    bool meets_agents = kind != DELETED && other_kind != DELETED;
    if (user == AGENTS_USE && !meets_agents)
        return NOBODY;
    for (int rank = 0; (rank = next_rank(&entry->users[other_kind], rank)) != NOBODY; rank++) {
        if (rank != user && (user != AGENTS_USE || !is_in_order(entry, rank)))
            return rank;
    }
    bool agents = user != AGENTS_USE && meets_agents && entry->by_agents[other_kind] && !is_in_order(entry, user);
    return agents ? AGENTS_USE : NOBODY;
}

/* The reader is named first, whoever came first. */
static char *conflict_of(const struct file_uses *uses, int user, int kind, const struct file_use_entry *entry) {
    static const int against[KINDS][4] = {{WRITTEN, DELETED, NOBODY},
                                          {READ, WRITTEN, DELETED, NOBODY},
                                          {ENTRY, NOBODY},
                                          {LISTED, NOBODY},
                                          {READ, WRITTEN, NOBODY}};
    for (int i = 0; against[kind][i] != NOBODY; i++) {
        int other_kind = against[kind][i];
        int other = opponent(entry, user, kind, other_kind);
        if (other == NOBODY)
            continue;
        bool swap = kind == WRITTEN || kind == ENTRY || kind == DELETED;
        return swap ? sentence(uses, other, other_kind, entry, user, kind, entry->path)
                    : sentence(uses, user, kind, entry, other, other_kind, entry->path);
    }
    return NULL;
}

/* Somebody else makes, removes or renames a directory above. */
static char *conflict_above(struct file_uses *uses, int rank, int kind, const struct file_use_entry *used) {
    const char *path = used->path;
    for (size_t end = strlen(path); end > 1; end--) {
        const struct file_use_entry *entry = path[end - 1] == '/' ? find(uses, path, end - 1, used->turn) : NULL;
        int other = entry ? other_than(entry, WRITTEN, rank) : NOBODY;
        if (other != NOBODY)
            return sentence(uses, rank, kind, used, other, WRITTEN, entry->path);
    }
    return NULL;
}

/* This rank makes, removes or renames a directory that others use something in. */
static char *conflict_below(const struct file_uses *uses, int rank, const struct file_use_entry *made) {
    const size_t size = strlen(made->path);
    for (size_t i = 0; i < uses->count; i++) {
        const struct file_use_entry *entry = &uses->entry[i];
        if (entry->turn != made->turn || strncmp(entry->path, made->path, size) != 0 || entry->path[size] != '/')
            continue;
        for (int kind = 0; kind < KINDS; kind++) {
            int other = other_than(entry, kind, rank);
            if (other != NOBODY)
                return sentence(uses, other, kind, entry, rank, WRITTEN, made->path);
        }
    }
    return NULL;
}

static char *add_kind(struct file_uses *uses, int rank, struct file_use_entry *entry, int kind) {
    if (!add_user(entry, kind, rank))
        return NULL;
    uses->news++;
    char *conflict = conflict_of(uses, rank, kind, entry);
    if (!conflict)
        conflict = conflict_above(uses, rank, kind, entry);
    if (!conflict && kind == WRITTEN)
        conflict = conflict_below(uses, rank, entry);
    return conflict;
}

char *file_uses_add(struct file_uses *uses, unsigned rank, const char *path, size_t size, unsigned use, uint64_t turn) {
    struct file_use_entry *entry = find_or_make(uses, path, size, turn);
    uses->by_mpi_io = uses->by_mpi_io || (use & (WIRE_USE_BY_AGENT | WIRE_USE_DELETED));
    int user = use & WIRE_USE_BY_AGENT ? AGENTS_USE : (int)rank;
    char *conflict = NULL;
    for (int kind = 0; kind < KINDS && !conflict; kind++)
        if (use & 1u << kind)
            conflict = add_kind(uses, user, entry, kind);
    return conflict;
}

static bool is_opened_by(const struct file_use_entry *entry, const int32_t *member, size_t members) {
    struct rank_set group = {0};
    for (size_t i = 0; i < members; i++)
        rank_set_add(&group, (unsigned)member[i]);
    return memcmp(&group, &entry->openers, sizeof group) == 0;
}

char *file_uses_add_opening(struct file_uses *uses, const char *path, size_t size, const int32_t *member, size_t members) {
    struct file_use_entry *entry = find_or_make(uses, path, size, 0);
    uses->by_mpi_io = true;
    entry->opened_by_others = entry->opened_by_others || (entry->opened && !is_opened_by(entry, member, members));
    entry->opened = true;
    for (size_t i = 0; i < members; i++)
        rank_set_add(&entry->openers, (unsigned)member[i]);
    char *conflict = NULL;
    for (int kind = 0; kind < KINDS && !conflict; kind++) {
        if (entry->by_agents[kind])
            conflict = conflict_of(uses, AGENTS_USE, kind, entry);
    }
    return conflict;
}

const char *file_uses_path(const struct file_uses *uses, size_t at) { return uses->entry[at].path; }

unsigned file_uses_ways(const struct file_uses *uses, size_t at) {
    unsigned ways = 0;
    for (int kind = 0; kind < KINDS; kind++)
        ways |= is_used(&uses->entry[at], kind) ? 1u << kind : 0;
    return ways;
}

size_t file_uses_bytes(const struct file_uses *uses) {
    return uses->room * sizeof *uses->entry + name_table_bytes(&uses->names) + uses->count * 64;
}

void file_uses_free(struct file_uses *uses) {
    for (size_t i = 0; i < uses->count; i++)
        free(uses->entry[i].path);
    free(uses->entry);
    name_table_free(&uses->names);
    *uses = (struct file_uses){0};
}
