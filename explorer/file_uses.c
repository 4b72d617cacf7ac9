#include "explorer/file_uses.h"

#include "explorer/memory.h"
#include "models/mpi/protocol.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KINDS = 4, NOBODY = -1, AGENTS_USE = -2 /* of MPI files, for whichever rank */ };

/* Of those who use a name in one way, two are enough: one of them is another rank than any given one. */
struct users {
    int first, second;
};

struct file_use_entry {
    char *path;
    struct users users[KINDS]; /* by the number of the bit of enum wire_use */
};

static const char *const verb[KINDS] = {"reads", "writes", "lists", "makes or removes files in"};

static int other_than(const struct users *users, int rank) { return users->first != rank ? users->first : users->second; }

static bool add_user(struct users *users, int rank) {
    if (users->first == rank || users->second == rank)
        return false;
    if (users->first == NOBODY)
        users->first = rank;
    else if (users->second == NOBODY)
        users->second = rank;
    return true;
}

static struct file_use_entry *find(struct file_uses *uses, const char *path, size_t size) {
    uint32_t at = name_table_find(&uses->names, name_of(path, size));
    return at == NAME_UNKNOWN ? NULL : &uses->entry[at];
}

static struct file_use_entry *find_or_make(struct file_uses *uses, const char *path, size_t size) {
    struct file_use_entry *entry = find(uses, path, size);
    if (entry)
        return entry;
    uses->entry = memory_room(uses->entry, &uses->room, uses->count, sizeof *uses->entry);
    entry = &uses->entry[uses->count];
    entry->path = memory_take(size + 1);
    memcpy(entry->path, path, size);
    entry->path[size] = 0;
    for (int kind = 0; kind < KINDS; kind++)
        entry->users[kind] = (struct users){NOBODY, NOBODY};
    name_table_add(&uses->names, name_of(path, size), (uint32_t)uses->count++);
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

static char *sentence(int rank, int kind, const char *path, int other, int other_kind, const char *other_path) {
    char *text;
    const char *shown = file_shown_path(path), *other_shown = file_shown_path(other_path);
    struct user_name who = name_of_user(rank), whom = name_of_user(other);
    bool same = strcmp(path, other_path) == 0;
    int made =
        same ? asprintf(&text, "%s %s \"%s\", which %s %s%s: communication through files is not supported", who.text,
                        verb[kind], shown, whom.text, verb[other_kind], kind == other_kind ? " too" : "")
             : asprintf(&text, "%s %s \"%s\", and %s makes or removes \"%s\": communication through files is not supported",
                        who.text, verb[kind], shown, whom.text, other_shown);
    return made < 0 ? strdup("communication through files is not supported") : file_printable(text);
}

enum { READ, WRITTEN, LISTED, ENTRY };

/* The reader is named first, whoever came first. */
static char *conflict_of(int rank, int kind, const struct file_use_entry *entry) {
    static const int against[KINDS][2] = {{WRITTEN, NOBODY}, {READ, WRITTEN}, {ENTRY, NOBODY}, {LISTED, NOBODY}};
    for (int i = 0; i < 2; i++) {
        int other_kind = against[kind][i];
        int other = other_kind == NOBODY ? NOBODY : other_than(&entry->users[other_kind], rank);
        if (other == NOBODY)
            continue;
        bool swap = kind == WRITTEN || kind == ENTRY;
        return swap ? sentence(other, other_kind, entry->path, rank, kind, entry->path)
                    : sentence(rank, kind, entry->path, other, other_kind, entry->path);
    }
    return NULL;
}

/* Somebody else makes, removes or renames a directory above. */
static char *conflict_above(struct file_uses *uses, int rank, int kind, const char *path, size_t size) {
    for (size_t end = size; end > 1; end--) {
        const struct file_use_entry *entry = path[end - 1] == '/' && end - 1 > 0 ? find(uses, path, end - 1) : NULL;
        int other = entry ? other_than(&entry->users[WRITTEN], rank) : NOBODY;
        if (other != NOBODY)
            return sentence(rank, kind, path, other, WRITTEN, entry->path);
    }
    return NULL;
}

/* This rank makes, removes or renames a directory that others use something in. */
static char *conflict_below(const struct file_uses *uses, int rank, const char *path, size_t size) {
    for (size_t i = 0; i < uses->count; i++) {
        const struct file_use_entry *entry = &uses->entry[i];
        if (strncmp(entry->path, path, size) != 0 || entry->path[size] != '/')
            continue;
        for (int kind = 0; kind < KINDS; kind++) {
            int other = other_than(&entry->users[kind], rank);
            if (other != NOBODY)
                return sentence(other, kind, entry->path, rank, WRITTEN, path);
        }
    }
    return NULL;
}

static char *add_kind(struct file_uses *uses, int rank, struct file_use_entry *entry, int kind) {
    if (!add_user(&entry->users[kind], rank))
        return NULL;
    uses->news++;
    size_t size = strlen(entry->path);
    char *conflict = conflict_of(rank, kind, entry);
    if (!conflict)
        conflict = conflict_above(uses, rank, kind, entry->path, size);
    if (!conflict && kind == WRITTEN)
        conflict = conflict_below(uses, rank, entry->path, size);
    return conflict;
}

char *file_uses_add(struct file_uses *uses, unsigned rank, const char *path, size_t size, unsigned use) {
    struct file_use_entry *entry = find_or_make(uses, path, size);
    int user = use & WIRE_USE_BY_AGENT ? AGENTS_USE : (int)rank;
    char *conflict = NULL;
    for (int kind = 0; kind < KINDS && !conflict; kind++)
        if (use & 1u << kind)
            conflict = add_kind(uses, user, entry, kind);
    return conflict;
}

const char *file_uses_path(const struct file_uses *uses, size_t at) { return uses->entry[at].path; }

unsigned file_uses_ways(const struct file_uses *uses, size_t at) {
    unsigned ways = 0;
    for (int kind = 0; kind < KINDS; kind++)
        ways |= uses->entry[at].users[kind].first == NOBODY ? 0 : 1u << kind;
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
