#include "explorer/saved/saved.h"

#include "explorer/containers/memory.h"
#include "models/name_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = JOURNAL_STREAMS - SAVED_BLOCKS };
enum story_kind { STORY_WORDS = 1, STORY_FACT, STORY_PROGRAM, STORY_ROOT };

/* What a record of stream 0 begins with. */
struct story_head {
    uint32_t kind;   /* enum story_kind */
    uint32_t number; /* words: how many; fact: its kind; program: its number */
};

struct saved {
    struct journal *journal;
    bool resumed;
    char *text, **word; /* the words, and pointers to them */
    int words;
    struct saved_fact *fact;
    size_t facts, fact_room;
    struct name_table fact_names;
    struct saved_program *program[PROGRAMS];
    struct saved_root *root;
    size_t roots, root_room;
};

struct journal *saved_journal(struct saved *saved) {
    return saved->journal;
}
const char *saved_folder(const struct saved *saved) { return journal_folder(saved->journal); }
bool saved_is_resumed(const struct saved *saved) { return saved->resumed; }

char *const *saved_words(const struct saved *saved, int *count) {
    *count = saved->words;
    return saved->word;
}

static void add(struct saved *saved, enum saved_stream stream, const void *head, size_t head_size, const void *a, size_t a_size,
                const void *b, size_t b_size) {
    const struct journal_piece piece[] = {{head, head_size}, {a, a_size}, {b, b_size}};
    journal_add(saved->journal, stream, piece, 3);
}

/* --- life ------------------------------------------------------------------------------------------------------------- */

static void keep_words(struct saved *saved, const char *text, size_t size, uint32_t count) {
    saved->text = memory_copy(text, size);
    saved->words = (int)count;
    saved->word = memory_take_zeroed((count + 1) * sizeof *saved->word);
    char *at = saved->text;
    for (uint32_t i = 0; i < count; i++, at += strlen(at) + 1)
        saved->word[i] = at;
}

struct saved *saved_create(const char *folder, char *const *words, int count, char **error) {
    struct journal *journal = journal_create(folder, error);
    if (!journal)
        return NULL;
    struct saved *saved = memory_take_zeroed(sizeof *saved);
    saved->journal = journal;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < count; i++)
        fwrite(words[i], 1, strlen(words[i]) + 1, out);
    fclose(out);
    keep_words(saved, text, size, (uint32_t)count);
    const struct story_head head = {STORY_WORDS, (uint32_t)count};
    add(saved, SAVED_STORY, &head, sizeof head, text, size, NULL, 0);
    free(text);
    return saved;
}

static struct name name_of_fact(enum fact_kind kind, const char *label) {
    struct name name = name_of(label, strlen(label));
    name.high += kind;
    return name;
}

static void keep_fact(struct saved *saved, enum fact_kind kind, const char *label, const char *value, bool met) {
    saved->fact = memory_room(saved->fact, &saved->fact_room, saved->facts, sizeof *saved->fact);
    name_table_add(&saved->fact_names, name_of_fact(kind, label), (uint32_t)saved->facts);
    saved->fact[saved->facts++] = (struct saved_fact){kind, strdup(label), strdup(value), met};
}

static void keep_root(struct saved *saved, const struct saved_root *root, const char *text) {
    saved->root = memory_room(saved->root, &saved->root_room, saved->roots, sizeof *saved->root);
    struct saved_root *kept = &saved->root[saved->roots++];
    *kept = *root;
    kept->text[0] = memory_copy(text, root->size[0]);
    kept->text[1] = memory_copy(text + root->size[0], root->size[1]);
}

static bool take_story(void *context, const void *record, size_t size) {
    struct saved *saved = context;
    const struct story_head *head = record;
    const char *body = (const char *)(head + 1);
    switch (head->kind) {
    case STORY_WORDS: keep_words(saved, body, size - sizeof *head, head->number); break;
    case STORY_FACT: keep_fact(saved, head->number, body, body + strlen(body) + 1, false); break;
    case STORY_PROGRAM: saved->program[head->number] = memory_copy(body, sizeof **saved->program); break;
    case STORY_ROOT: keep_root(saved, (const void *)body, body + sizeof(struct saved_root)); break;
    }
    return true;
}

struct saved *saved_open(const char *folder, char **error) {
    struct journal *journal = journal_open(folder, error);
    if (!journal)
        return NULL;
    struct saved *saved = memory_take_zeroed(sizeof *saved);
    saved->journal = journal;
    saved->resumed = true;
    bool ok = journal_read(journal, SAVED_STORY, take_story, saved, error);
    if (ok && !saved->word) {
        ok = false;
        if (asprintf(error, "nothing was saved in %s before it ended: begin again with --save", folder) < 0)
            *error = NULL;
    }
    if (ok)
        return saved;
    saved_close(saved);
    return NULL;
}

void saved_close(struct saved *saved) {
    if (!saved)
        return;
    journal_close(saved->journal);
    for (size_t i = 0; i < saved->facts; i++) {
        free(saved->fact[i].label);
        free(saved->fact[i].value);
    }
    for (size_t i = 0; i < saved->roots; i++) {
        free(saved->root[i].text[0]);
        free(saved->root[i].text[1]);
    }
    for (unsigned i = 0; i < PROGRAMS; i++)
        free(saved->program[i]);
    name_table_free(&saved->fact_names);
    free(saved->fact);
    free(saved->root);
    free(saved->word);
    free(saved->text);
    free(saved);
}

/* --- facts ------------------------------------------------------------------------------------------------------------ */

static struct saved_fact *find_fact(const struct saved *saved, enum fact_kind kind, const char *label) {
    uint32_t number = name_table_find(&saved->fact_names, name_of_fact(kind, label));
    return number == NAME_UNKNOWN ? NULL : &saved->fact[number];
}

bool saved_knows(const struct saved *saved, enum fact_kind kind, const char *label) {
    return find_fact(saved, kind, label) != NULL;
}

void saved_note(struct saved *saved, enum fact_kind kind, const char *label, const char *value) {
    const struct story_head head = {STORY_FACT, kind};
    keep_fact(saved, kind, label, value, true);
    add(saved, SAVED_STORY, &head, sizeof head, label, strlen(label) + 1, value, strlen(value) + 1);
}

static bool changed(const struct saved *saved, const char *label, const char *before, const char *now, char **error) {
    const char *folder = saved_folder(saved);
    int made = *now == '#' ? asprintf(error, "%s has changed since %s was saved", label, folder)
                           : asprintf(error, "%s is \"%s\", but was \"%s\" when %s was saved", label, now, before, folder);
    if (made < 0)
        *error = NULL;
    return false;
}

bool saved_fact(struct saved *saved, enum fact_kind kind, const char *label, const char *value, char **error) {
    struct saved_fact *fact = find_fact(saved, kind, label);
    if (!saved->resumed) {
        if (!fact)
            saved_note(saved, kind, label, value);
        return true;
    }
    if (!fact) {
        if (asprintf(error, "%s was not there when %s was saved", label, saved_folder(saved)) < 0)
            *error = NULL;
        return false;
    }
    fact->met = true;
    return strcmp(fact->value, value) == 0 || changed(saved, label, fact->value, value, error);
}

bool saved_all_met(struct saved *saved, enum fact_kind kind, char **error) {
    for (size_t i = 0; i < saved->facts; i++)
        if (saved->fact[i].kind == kind && !saved->fact[i].met) {
            if (asprintf(error, "%s is not there any more, but was when %s was saved", saved->fact[i].label,
                         saved_folder(saved)) < 0)
                *error = NULL;
            return false;
        }
    return true;
}

struct saved_fact *saved_facts(struct saved *saved, size_t *count) {
    *count = saved->facts;
    return saved->fact;
}

/* --- programs and roots ----------------------------------------------------------------------------------------------- */

const struct saved_program *saved_program(const struct saved *saved, unsigned number) { return saved->program[number]; }

void saved_add_program(struct saved *saved, unsigned number, const struct saved_program *program) {
    const struct story_head head = {STORY_PROGRAM, number};
    saved->program[number] = memory_copy(program, sizeof *program);
    add(saved, SAVED_STORY, &head, sizeof head, program, sizeof *program, NULL, 0);
}

const struct saved_root *saved_root(const struct saved *saved, unsigned program, unsigned variant, unsigned rank) {
    for (size_t i = 0; i < saved->roots; i++) {
        const struct saved_root *root = &saved->root[i];
        if (root->program == program && root->variant == variant && root->rank == rank)
            return root;
    }
    return NULL;
}

size_t saved_roots(const struct saved *saved) { return saved->roots; }

void saved_add_root(struct saved *saved, const struct saved_root *root) {
    struct {
        struct story_head head;
        struct saved_root root;
    } record = {{STORY_ROOT, 0}, *root};
    record.root.text[0] = record.root.text[1] = NULL;
    const struct journal_piece piece[] = {
        {&record, sizeof record}, {root->text[0], root->size[0]}, {root->text[1], root->size[1]}};
    journal_add(saved->journal, SAVED_STORY, piece, 3);
    const uint32_t mark[] = {SAVED_ROOT_MARK, root->program, root->variant, root->rank};
    add(saved, SAVED_STEPS, mark, sizeof mark, NULL, 0, NULL, 0);
}
