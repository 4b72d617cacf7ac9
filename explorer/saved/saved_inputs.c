#include "explorer/saved/saved_inputs.h"

#include "explorer/saved/surroundings.h"
#include "models/mpi/protocol.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fact_text {
    char text[PATH_MAX + 16];
};

static struct fact_text link_target(const char *path) {
    struct fact_text text = {"a link"};
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length > 0)
        snprintf(text.text, sizeof text.text, "a link to %.*s", (int)length, target);
    return text;
}

/* Times do not matter: a file that is written again with the same content is the same input. */
static struct fact_text what_is_there(const char *path) {
    struct fact_text text = {"nothing"};
    struct stat status;
    if (lstat(path, &status) != 0)
        return text;
    if (S_ISLNK(status.st_mode))
        return link_target(path);
    if (S_ISREG(status.st_mode))
        snprintf(text.text, sizeof text.text, "#%016llx %o", (unsigned long long)surroundings_hash_of_file(path),
                 (unsigned)status.st_mode & 07777);
    else
        snprintf(text.text, sizeof text.text, "%s %o", S_ISDIR(status.st_mode) ? "a directory" : "a special file",
                 (unsigned)status.st_mode & 07777);
    return text;
}

static struct fact_text listing_of(const char *path) {
    struct fact_text text = {"nothing"};
    struct dirent **entry;
    int count = scandir(path, &entry, NULL, alphasort);
    if (count < 0)
        return text;
    uint64_t hash = 0;
    for (int i = 0; i < count; i++) {
        hash = surroundings_hash(entry[i]->d_name, strlen(entry[i]->d_name) + 1, hash);
        free(entry[i]);
    }
    free(entry);
    snprintf(text.text, sizeof text.text, "#%016llx", (unsigned long long)hash);
    return text;
}

static bool made_up(const char *path) {
    static const char *const folder[] = {"/proc", "/sys", "/dev"};
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
        size_t length = strlen(folder[i]);
        if (strncmp(path, folder[i], length) == 0 && (path[length] == '/' || path[length] == 0))
            return true;
    }
    return false;
}

void saved_inputs_note(struct saved *saved, const struct file_uses *uses) {
    for (size_t i = 0; i < uses->count; i++) {
        const char *path = file_uses_path(uses, i);
        unsigned ways = file_uses_ways(uses, i);
        if (made_up(path))
            continue;
        if (ways & WIRE_USE_READ && !saved_knows(saved, FACT_FILE, path))
            saved_note(saved, FACT_FILE, path, what_is_there(path).text);
        if (ways & WIRE_USE_LISTED && !saved_knows(saved, FACT_LISTING, path))
            saved_note(saved, FACT_LISTING, path, listing_of(path).text);
    }
}

bool saved_inputs_check(struct saved *saved, char **error) {
    size_t count;
    const struct saved_fact *fact = saved_facts(saved, &count);
    for (size_t i = 0; i < count; i++) {
        if (fact[i].kind != FACT_FILE && fact[i].kind != FACT_LISTING)
            continue;
        bool listing = fact[i].kind == FACT_LISTING;
        struct fact_text now = listing ? listing_of(fact[i].label) : what_is_there(fact[i].label);
        if (strcmp(now.text, fact[i].value) == 0)
            continue;
        if (asprintf(error, "%s \"%s\", which the program reads, has changed since %s was saved",
                     listing ? "the directory" : "the file", file_shown_path(fact[i].label), saved_folder(saved)) < 0)
            *error = NULL;
        else
            file_printable(*error);
        return false;
    }
    return true;
}
