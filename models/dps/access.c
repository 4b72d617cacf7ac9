#include "models/dps/access.h"

#include "models/dps/observe.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct access {
    const struct dps_graph *graph;
    const struct network *network;
    const char *path;
    enum observed **seen; /* of each node, for each member of its threads' storages */
    char *text;           /* messages, as they are told */
    size_t size;
    FILE *file; /* writes it */
};

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

static const struct dps_type *storage_type(const struct access *access, unsigned node) {
    return access->graph->collection[access->graph->node[node].collection].storage_type;
}

struct access *access_open(const struct dps_graph *graph, const struct network *network) {
    const char *path = getenv("DPS_ACCESS");
    if (!path || !*path)
        return NULL;
    struct access *access = allocate(1, sizeof *access);
    *access =
        (struct access){.graph = graph, .network = network, .path = path, .seen = allocate(graph->nodes, sizeof *access->seen)};
    for (unsigned node = 0; node < graph->nodes; node++) {
        const struct dps_type *type = storage_type(access, node);
        access->seen[node] = allocate(type ? type->members : 0, sizeof *access->seen[node]);
    }
    access->file = open_memstream(&access->text, &access->size);
    if (!access->file)
        abort();
    return access;
}

/* ---- what is told ---- */

/* Without blanks. */
static void put_word(FILE *file, const char *name) {
    for (; *name; name++)
        fputc(*name == ' ' || *name == '\t' || *name == '\n' ? '_' : *name, file);
}

static uint64_t hash(const unsigned char *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}

void access_message(struct access *access, const struct arrival *message) {
    const struct token *token = &message->token;
    size_t size;
    const void *bytes = network_bytes(message, &size);
    if (!access || !bytes || token->kind == TOKEN_RESULT || token->kind == TOKEN_STOP)
        return;
    const struct node *node = &access->graph->node[token->node];
    char instance[IDENTIFIER_TEXT];
    fprintf(access->file, "message %d %016" PRIx64 " ", access->network->rank, hash(bytes, size));
    put_word(access->file, node->kind->name);
    fputc(' ', access->file);
    put_word(access->file, access->graph->collection[node->collection].name);
    fprintf(access->file, "[%u] ", token->thread);
    if (token->kind == TOKEN_DATA && !form_collects(node->kind->form)) {
        fputs("-\n", access->file);
        return;
    }
    struct identifier context = token->kind == TOKEN_DATA ? identifier_drop(token->identifier) : token->identifier;
    identifier_text(&context, instance);
    fprintf(access->file, "%u/%u/%s\n", token->node, token->thread, instance);
}

void access_begin(struct access *access, unsigned node, void *storage) {
    if (!access || !storage)
        return;
    if (!observe_begin(storage_type(access, node), storage, access->seen[node]))
        network_fail(access->network, "no memory to observe what operations access");
}

void access_end(struct access *access, void *storage) {
    if (access && storage)
        observe_end();
}

/* ---- the file ---- */

static void put_uses(const struct access *access, FILE *file) {
    for (unsigned node = 0; node < access->graph->nodes; node++) {
        const struct dps_type *type = storage_type(access, node);
        for (size_t i = 0; type && i < type->members; i++) {
            if (access->seen[node][i] == OBSERVED_NOT)
                continue;
            fputs("uses ", file);
            put_word(file, access->graph->node[node].kind->name);
            fprintf(file, " %s %c\n", type->member[i].name, access->seen[node][i] == OBSERVED_READ ? 'r' : 'w');
        }
    }
}

/* At once, so that ranks do not mix their lines. */
static bool append(const struct access *access) {
    int file = open(access->path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0)
        return false;
    bool written = write(file, access->text, access->size) == (ssize_t)access->size;
    return close(file) == 0 && written;
}

void access_close(struct access *access) {
    if (!access)
        return;
    put_uses(access, access->file);
    if (fclose(access->file) != 0 || !append(access))
        network_fail(access->network, "cannot write %s, which DPS_ACCESS names", access->path);
    for (unsigned node = 0; node < access->graph->nodes; node++)
        free(access->seen[node]);
    free(access->seen);
    free(access->text);
    free(access);
}
