/* Records that outlive their writer: an exploration directory's file. Records are only ever added, to numbered streams, and
 * become permanent together, all of them up to a moment: whatever ends the process, what was added before the last
 * journal_settle is there, and of what was added later nothing, or all up to a later moment.
 *
 *     stream 0:  chunk 1 [record record record] chunk 2 [record …
 *     stream 1:  chunk 1 [record …
 *
 * The file is a database of SQLite, which sees to that and to that nobody else uses it at the same time; a row is a chunk of
 * records. Each chunk has a checksum (XXH3) that goes on from that of the chunk before, so that what is read is what was written,
 * from the beginning of the stream on: of a file that was damaged, a part at the end may be missing, and nothing else. */
#ifndef EXPLORER_JOURNAL_H
#define EXPLORER_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOURNAL_STREAMS = 80 };

struct journal;

/* Makes `folder`, which must not exist or be empty (or hold a journal to which nothing was ever added). NULL and a malloc'd
 * sentence in *error if that cannot be. */
struct journal *journal_create(const char *folder, char **error);
/* Opens what journal_create has made, for reading and adding. */
struct journal *journal_open(const char *folder, char **error);
/* What was not settled is gone. */
void journal_close(struct journal *journal);

/* Reads a stream from its beginning, which has to be done before anything is added to it. `take` may keep nothing of what it is
 * given; if it returns false, reading ends. False and a malloc'd sentence in *error: the file is damaged. */
bool journal_read(struct journal *journal, unsigned stream, bool (*take)(void *context, const void *record, size_t size),
                  void *context, char **error);

/* Pieces of a record, one after another. */
struct journal_piece {
    const void *bytes;
    size_t size;
};
/* If it cannot be added (the disk is full), the journal is broken: what was settled stays, nothing more is added. */
void journal_add(struct journal *journal, unsigned stream, const struct journal_piece *piece, size_t pieces);
/* Makes everything permanent that was added. */
void journal_settle(struct journal *journal);
/* The same if it was a moment (a quarter of a second) ago that this was done last. To be called now and then, at a moment at which
 * what was added goes together. */
void journal_settle_now_and_then(struct journal *journal);
/* Why it is broken; NULL: it is not. */
const char *journal_broken(const struct journal *journal);
const char *journal_folder(const struct journal *journal);

#endif
