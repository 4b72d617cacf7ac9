/* FILES_COPIED: what processes tell each other of their accesses, and whether these conflict (see mpi_files.h). */
#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/mpi_files/mpi_files.h"

#include <stdlib.h>
#include <string.h>

static const struct file_note *note_next(const struct file_note *note) {
    return (const struct file_note *)((const char *)(note + 1) + (note->bytes + 7) / 8 * 8);
}

static void add_note(struct mpi_file *file, const struct file_note *note, const void *data) {
    size_t room = sizeof *note + (note->bytes + 7) / 8 * 8;
    file->note = realloc(file->note, file->note_bytes + room);
    char *at = (char *)file->note + file->note_bytes;
    memset(at, 0, room);
    memcpy(at, note, sizeof *note);
    if (note->bytes > 0)
        memcpy(at + sizeof *note, data, note->bytes);
    file->note_bytes += room;
}

/* How many collective accesses, in their order, are complete. */
static uint32_t seen_by(const struct mpi_file *file) { return file->pendings > 0 ? file->pending[0] - 1 : file->collectives; }

uint32_t file_begin_collective(struct mpi_file *file) {
    file->pending = realloc(file->pending, (file->pendings + 1) * sizeof *file->pending);
    return file->pending[file->pendings++] = ++file->collectives;
}

static void complete_collective(struct mpi_file *file, uint32_t number) {
    size_t at = 0;
    while (at < file->pendings && file->pending[at] != number)
        at++;
    if (at == file->pendings)
        return;
    memmove(&file->pending[at], &file->pending[at + 1], (--file->pendings - at) * sizeof *file->pending);
    if (file->pendings == 0) {
        free(file->pending);
        file->pending = NULL;
    }
}

void file_note(struct mpi_file *file, enum file_note_kind kind, uint32_t collective, const struct file_pieces *pieces,
               const void *data) {
    struct file_note note = {
        .syncs = file->syncs, .seen = seen_by(file), .rank = file->communicator->rank, .kind = kind, .collective = collective};
    const char *at = data;
    for (uint64_t i = 0; i < pieces->runs && file->communicator->size > 1; i++) {
        note.offset = pieces->run[i].offset;
        note.length = pieces->run[i].length;
        note.bytes = data == NULL ? 0 : note.length;
        add_note(file, &note, at);
        at += note.bytes;
    }
}

/* ---- conflicts ---- */

/* Must `second` see what `first` did? Its process has called MPI_File_sync after the one that followed `first`, or `first` was a
 * collective access that it has taken part in since. */
static bool precedes(const struct file_note *first, const struct file_note *second) {
    if (second->syncs >= first->syncs + 2)
        return true;
    return first->collective != 0 && second->seen >= first->collective;
}

static bool conflict(const struct file_note *a, const struct file_note *b) {
    if (a->rank == b->rank || (a->kind == FILE_READ && b->kind == FILE_READ) ||
        (a->kind == FILE_RESIZED && b->kind == FILE_RESIZED))
        return false;
    return !precedes(a, b) && !precedes(b, a);
}

static int by_offset(const void *a, const void *b) {
    const struct file_note *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return memcmp(x, y, sizeof *x);
}

static bool begins_within(const struct file_note *note, const struct file_note *other) {
    return (uint64_t)(other->offset - note->offset) < note->length;
}

static bool any_conflict(const struct file_note *sorted, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count && begins_within(&sorted[i], &sorted[k]); k++) {
            if (conflict(&sorted[i], &sorted[k]))
                return true;
        }
    }
    return false;
}

/* Accesses that all later ones come after need not be known any longer: of those that this process will still hear of, as no
 * exchange that it has entered goes on, all were made after their makers had seen so many collective accesses. */
static void forget_old(struct mpi_file *file, uint32_t seen_by_all) {
    size_t kept = 0;
    for (size_t i = 0; i < file->knowns; i++) {
        const struct file_note *note = &file->known[i];
        const bool seen = file->pendings == 0 && note->collective != 0 && note->collective <= seen_by_all;
        if (!seen && note->syncs + 2 > file->syncs)
            file->known[kept++] = *note;
    }
    file->knowns = kept;
    if (kept == 0) {
        free(file->known);
        file->known = NULL;
    }
}

/* Accesses that differ in nothing but where they are, side by side, are one. */
static void join_neighbours(struct mpi_file *file) {
    size_t kept = 0;
    for (size_t i = 0; i < file->knowns; i++) {
        struct file_note *last = kept > 0 ? &file->known[kept - 1] : NULL;
        struct file_note *note = &file->known[i];
        if (last != NULL && last->rank == note->rank && last->kind == note->kind && last->syncs == note->syncs &&
            last->seen == note->seen && last->collective == note->collective &&
            note->offset <= last->offset + (int64_t)last->length) {
            int64_t end = note->offset + (int64_t)note->length;
            if (end > last->offset + (int64_t)last->length)
                last->length = (uint64_t)(end - last->offset);
        } else {
            file->known[kept++] = *note;
        }
    }
    file->knowns = kept;
}

/* ---- exchange ---- */

/* What a member gives: struct told, its own bytes, zero padded to 8, and its notes. */
struct told {
    uint64_t size;
    uint64_t notes;
    uint64_t seen; /* how many collective accesses are complete */
};

static void do_write(struct mpi_file *file, const struct file_note *note) {
    uint64_t end = (uint64_t)note->offset + note->length;
    if (end > file->size)
        file_copy_resize(file, end);
    memcpy(file->bytes + note->offset, note + 1, note->length);
}

static void take_notes(struct mpi_file *file, int member, const struct file_note *note, size_t bytes) {
    const struct file_note *end = (const struct file_note *)((const char *)note + bytes);
    for (; note < end; note = note_next(note)) {
        file->known = realloc(file->known, (file->knowns + 1) * sizeof *file->known);
        file->known[file->knowns] = *note;
        file->known[file->knowns++].bytes = 0;
        file->changed = file->changed || note->kind != FILE_READ;
        if (note->kind == FILE_WRITTEN && member != file->communicator->rank)
            do_write(file, note);
    }
}

/* Returns how many collective accesses all had seen when they entered. */
static uint32_t take_all(struct mpi_file *file, struct collective_answer *answer, const struct file_exchange *exchange) {
    uint32_t seen = UINT32_MAX;
    for (int member = 0; member < file->communicator->size; member++) {
        const char *bytes = collective_part(answer, member).bytes;
        struct told told;
        memcpy(&told, bytes, sizeof told);
        bytes += sizeof told;
        if (told.seen < seen)
            seen = (uint32_t)told.seen;
        if (exchange->take != NULL)
            exchange->take(exchange->context, member, bytes, told.size);
        take_notes(file, member, (const struct file_note *)(bytes + (told.size + 7) / 8 * 8), told.notes);
    }
    return seen;
}

/* All members find the same. */
static void check_conflicts(struct mpi_file *file, uint32_t seen_by_all) {
    qsort(file->known, file->knowns, sizeof *file->known, by_offset);
    join_neighbours(file);
    if (any_conflict(file->known, file->knowns))
        rank_want_file_agents(FILES_SHARED);
    forget_old(file, seen_by_all);
}

/* Enters the collective with what this process gives. */
static void enter(struct mpi_file *file, struct collective *collective, const struct file_exchange *exchange) {
    struct told told = {.size = exchange->size, .notes = file->note_bytes, .seen = seen_by(file)};
    size_t before = (told.size + 7) / 8 * 8;
    collective_enter(collective, 1);
    char *part = rank_add_part(sizeof told + before + told.notes);
    memset(part, 0, sizeof told + before);
    memcpy(part, &told, sizeof told);
    if (told.size > 0)
        memcpy(part + sizeof told, exchange->own, told.size);
    if (told.notes > 0)
        memcpy(part + sizeof told + before, file->note, told.notes);
    free(file->note);
    file->note = NULL;
    file->note_bytes = 0;
}

static void take_answer(struct mpi_file *file, struct collective_answer *answer, const struct file_exchange *exchange) {
    uint32_t seen_by_all = take_all(file, answer, exchange);
    complete_collective(file, exchange->completes);
    if (file->knowns > 0)
        check_conflicts(file, seen_by_all);
}

uint64_t file_agreement(uint64_t number, uint64_t other) {
    return collective_agreement(number, MPI_OP_NULL) | (uint32_t)((other ^ other >> 32) & ~WIRE_IN_PLACE);
}

uint64_t file_agreement_named(uint64_t number, uint64_t other, const char *name) {
    const uint64_t agreement = file_agreement(number, other);
    struct meaning meaning = {0};
    meaning_add(&meaning, "%s", name);
    meaning_announce((uint32_t)agreement, &meaning);
    return agreement;
}

void file_exchange(const struct caller *caller, struct mpi_file *file, const struct file_exchange *exchange) {
    struct collective collective = collective_of_all(caller, file->communicator);
    collective.agreement = exchange->agreement;
    enter(file, &collective, exchange);
    struct collective_answer answer = collective_leave(&collective);
    take_answer(file, &answer, exchange);
}

void file_barrier(const struct caller *caller, struct mpi_file *file) {
    file_exchange(caller, file, &(struct file_exchange){0});
}

static void take_later(const struct collective *collective, struct collective_answer *answer) {
    struct mpi_file *file = file_of_context(collective->communicator->context);
    if (file != NULL)
        take_answer(file, answer, &(struct file_exchange){.completes = (uint32_t)collective->block_count});
}

void file_exchange_start(const struct caller *caller, struct mpi_file *file, uint32_t completes, MPI_Request *request) {
    struct collective collective = collective_of_all(caller, file->communicator);
    collective.manner.request = request;
    collective.take = take_later;
    collective.block_count = (int)completes;
    enter(file, &collective, &(struct file_exchange){0});
    collective_finish(&collective);
}
