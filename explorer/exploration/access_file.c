#include "explorer/exploration/access_file.h"

#include "explorer/containers/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 6 };

struct use {
    char *operation, *member;
    bool writes;
};

struct told_message {
    unsigned rank;
    uint64_t hash;
    char *operation, *place, *instance;
};

struct access_file {
    struct use *use;
    size_t uses, use_room;
    struct told_message *message; /* sorted when all are read */
    size_t messages, message_room;
};

/* ---- reading ---- */

static char *copy_of(const char *word) { return memory_copy(word, strlen(word) + 1); }

static bool add_use(struct access_file *file, char *const *word) {
    bool reads = strcmp(word[3], "r") == 0, writes = strcmp(word[3], "w") == 0;
    file->use = memory_room(file->use, &file->use_room, file->uses, sizeof *file->use);
    file->use[file->uses++] = (struct use){copy_of(word[1]), copy_of(word[2]), writes};
    return reads || writes;
}

static bool read_number(const char *word, int base, uint64_t *number) {
    char *end;
    errno = 0;
    *number = strtoull(word, &end, base);
    return end != word && !*end && !errno;
}

static bool add_message(struct access_file *file, char *const *word) {
    uint64_t rank, hash;
    if (!read_number(word[1], 10, &rank) || rank > INT32_MAX || !read_number(word[2], 16, &hash))
        return false;
    file->message = memory_room(file->message, &file->message_room, file->messages, sizeof *file->message);
    file->message[file->messages++] =
        (struct told_message){(unsigned)rank, hash, copy_of(word[3]), copy_of(word[4]), copy_of(word[5])};
    return true;
}

static bool read_line(struct access_file *file, char *line) {
    static const char blanks[] = " \t\r\n";
    char *word[WORDS + 1], *rest;
    size_t words = 0;
    line[strcspn(line, "#")] = 0;
    for (char *next = strtok_r(line, blanks, &rest); next; next = strtok_r(NULL, blanks, &rest)) {
        if (words > WORDS)
            return false;
        word[words++] = next;
    }
    if (words == 0)
        return true;
    if (words == 4 && strcmp(word[0], "uses") == 0)
        return add_use(file, word);
    return words == 6 && strcmp(word[0], "message") == 0 && add_message(file, word);
}

static int compare(const void *a, const void *b) {
    const struct told_message *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

static bool same(const struct told_message *a, const struct told_message *b) {
    return strcmp(a->operation, b->operation) == 0 && strcmp(a->place, b->place) == 0 && strcmp(a->instance, b->instance) == 0;
}

/* Is there a message that two lines tell different things of? */
static const struct told_message *contradiction(const struct access_file *file) {
    for (size_t i = 1; i < file->messages; i++)
        if (compare(&file->message[i - 1], &file->message[i]) == 0 && !same(&file->message[i - 1], &file->message[i]))
            return &file->message[i];
    return NULL;
}

static bool read_all(struct access_file *file, FILE *in, const char *path, char *sentence, size_t room) {
    char *line = NULL;
    size_t line_room = 0, number = 0;
    bool right = true;
    while (right && getline(&line, &line_room, in) >= 0) {
        number++;
        right = read_line(file, line);
    }
    free(line);
    if (!right)
        return snprintf(sentence, room, "%.400s: line %zu is neither \"uses\" nor \"message\" as --access has them", path,
                        number),
               false;
    qsort(file->message, file->messages, sizeof *file->message, compare);
    const struct told_message *twice = contradiction(file);
    if (twice)
        snprintf(sentence, room, "%.400s says two things of the message %016" PRIx64 " to rank %u", path, twice->hash,
                 twice->rank);
    return !twice;
}

struct access_file *access_file_read(const char *path, char *sentence, size_t room) {
    FILE *in = fopen(path, "r");
    if (!in)
        return snprintf(sentence, room, "cannot read %.400s: %s", path, strerror(errno)), NULL;
    struct access_file *file = memory_take_zeroed(sizeof *file);
    bool right = read_all(file, in, path, sentence, room);
    fclose(in);
    if (right)
        return file;
    access_file_free(file);
    return NULL;
}

void access_file_free(struct access_file *file) {
    if (!file)
        return;
    for (size_t i = 0; i < file->uses; i++) {
        free(file->use[i].operation);
        free(file->use[i].member);
    }
    for (size_t i = 0; i < file->messages; i++) {
        free(file->message[i].operation);
        free(file->message[i].place);
        free(file->message[i].instance);
    }
    free(file->use);
    free(file->message);
    free(file);
}

/* ---- asking ---- */

static const struct told_message *find(const struct access_file *file, unsigned rank, uint64_t hash) {
    const struct told_message wanted = {.rank = rank, .hash = hash};
    return file->messages ? bsearch(&wanted, file->message, file->messages, sizeof wanted, compare) : NULL;
}

/* Does the first one's operation write what the other one's uses? */
static bool disturbs(const struct access_file *file, const char *operation, const char *other) {
    for (size_t i = 0; i < file->uses; i++) {
        if (!file->use[i].writes || strcmp(file->use[i].operation, operation) != 0)
            continue;
        for (size_t k = 0; k < file->uses; k++)
            if (strcmp(file->use[k].operation, other) == 0 && strcmp(file->use[k].member, file->use[i].member) == 0)
                return true;
    }
    return false;
}

bool access_file_exchangeable(const struct access_file *file, unsigned rank, uint64_t hash, uint64_t other) {
    const struct told_message *a = find(file, rank, hash), *b = find(file, rank, other);
    if (!a || !b)
        return false;
    if (strcmp(a->instance, "-") != 0 && strcmp(a->instance, b->instance) == 0)
        return false;
    return strcmp(a->place, b->place) != 0 ||
           !(disturbs(file, a->operation, b->operation) || disturbs(file, b->operation, a->operation));
}

uint64_t access_file_hash(const void *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return hash;
}
