#include "explorer/saved/journal.h"

#include "explorer/containers/memory.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The format of the file and of all records: to be changed with any of them. */
enum { FORMAT = 12, APPLICATION = 0x6578706c };
enum { CHUNK_BYTES = 1 << 20, NUMBER_BITS = 40 };
#define FILE_NAME "exploration.sqlite"

static const uint64_t record_bytes_most = 900000000; /* a row of SQLite has at most 10^9 */
static const double settle_seconds = 0.25;

struct stream {
    uint64_t chunks;   /* in the file */
    uint64_t checksum; /* of the last one */
    char *waiting;     /* records not in the file yet */
    size_t size, room;
};

struct journal {
    char *folder;
    sqlite3 *database;
    sqlite3_stmt *insert;
    struct stream stream[JOURNAL_STREAMS];
    char *broken;
    bool within; /* a transaction */
    double settled;
};

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A record as it is in a chunk: its size, its bytes, zeros up to a multiple of 8. */
static size_t padded(size_t size) { return (size + 7) / 8 * 8; }

/* --- opening --------------------------------------------------------------------------------------------------------- */

static void set_error(char **error, const char *format, const char *a, const char *b) {
    if (asprintf(error, format, a, b) < 0)
        *error = NULL;
}

static bool is_own_name(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strncmp(name, FILE_NAME, strlen(FILE_NAME)) == 0;
}

static bool has_other_files(const char *folder) {
    DIR *directory = opendir(folder);
    bool others = false;
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        others = others || !is_own_name(entry->d_name);
    if (directory)
        closedir(directory);
    return others;
}

static bool run(struct journal *journal, const char *statement) {
    return sqlite3_exec(journal->database, statement, NULL, NULL, NULL) == SQLITE_OK;
}

/* The only number that a query gives; -1: none. */
static int64_t number_of(struct journal *journal, const char *query) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(journal->database, query, -1, &statement, NULL) != SQLITE_OK)
        return -1;
    int64_t number = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    return number;
}

static struct journal *give_up(struct journal *journal) {
    journal_close(journal);
    return NULL;
}

static struct journal *open_database(const char *folder, int flags, char **error) {
    char path[PATH_MAX + sizeof FILE_NAME];
    struct journal *journal = memory_take_zeroed(sizeof *journal);
    journal->folder = strdup(folder);
    snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 1, folder, FILE_NAME);
    if (sqlite3_open_v2(path, &journal->database, flags, NULL) != SQLITE_OK) {
        set_error(error, "cannot open the exploration directory %s: %s", folder, sqlite3_errmsg(journal->database));
        return give_up(journal);
    }
    return journal;
}

/* Nobody else may use it from here on, which SQLite sees to by a lock on the file: its own is enough, also after a kill. */
static bool take_possession(struct journal *journal, char **error) {
    run(journal, "PRAGMA locking_mode = EXCLUSIVE");
    run(journal, "PRAGMA cell_size_check = ON");
    run(journal, "PRAGMA page_size = 65536");
    if (run(journal, "PRAGMA journal_mode = WAL") && run(journal, "PRAGMA synchronous = NORMAL") &&
        run(journal, "BEGIN EXCLUSIVE") && run(journal, "COMMIT"))
        return true;
    bool busy = sqlite3_errcode(journal->database) == SQLITE_BUSY;
    set_error(error, busy ? "%s is in use by another exploration%s" : "the exploration directory %s cannot be used: %s",
              journal->folder, busy ? "" : sqlite3_errmsg(journal->database));
    return false;
}

static bool prepare(struct journal *journal, char **error) {
    journal->settled = seconds_now();
    if (sqlite3_prepare_v2(journal->database, "INSERT INTO chunk VALUES (?, ?, ?)", -1, &journal->insert, NULL) == SQLITE_OK)
        return true;
    set_error(error, "the exploration directory %s is damaged: %s", journal->folder, sqlite3_errmsg(journal->database));
    return false;
}

struct journal *journal_create(const char *folder, char **error) {
    if (mkdir(folder, 0777) != 0 && (errno != EEXIST || has_other_files(folder))) {
        set_error(error, "cannot save into %s: %s", folder, strerror(errno == EEXIST ? ENOTEMPTY : errno));
        return NULL;
    }
    struct journal *journal = open_database(folder, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    if (!journal)
        return NULL;
    if (!take_possession(journal, error))
        return give_up(journal);
    if (number_of(journal, "SELECT count(*) FROM sqlite_master") != 0 &&
        number_of(journal, "SELECT count(*) FROM chunk LIMIT 1") != 0) {
        set_error(error, "%s holds an exploration already: --resume %s goes on with it", folder, folder);
        return give_up(journal);
    }
    char format[64];
    snprintf(format, sizeof format, "PRAGMA user_version = %d", FORMAT);
    bool made = run(journal, "BEGIN") && run(journal, "PRAGMA application_id = 1702391916") && run(journal, format) &&
                run(journal, "CREATE TABLE IF NOT EXISTS chunk (number INTEGER PRIMARY KEY, checksum INTEGER, bytes BLOB)") &&
                run(journal, "COMMIT");
    if (!made)
        set_error(error, "cannot save into %s: %s", folder, sqlite3_errmsg(journal->database));
    return made && prepare(journal, error) ? journal : give_up(journal);
}

_Static_assert(APPLICATION == 1702391916, "as in journal_create");

struct journal *journal_open(const char *folder, char **error) {
    char path[PATH_MAX + sizeof FILE_NAME];
    struct stat there;
    snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 1, folder, FILE_NAME);
    if (stat(path, &there) != 0) {
        set_error(error, "%s is no exploration directory: %s", folder,
                  stat(folder, &there) == 0 ? "it has no " FILE_NAME : strerror(errno));
        return NULL;
    }
    struct journal *journal = open_database(folder, SQLITE_OPEN_READWRITE, error);
    if (!journal)
        return NULL;
    if (!take_possession(journal, error))
        return give_up(journal);
    if (number_of(journal, "SELECT count(*) FROM sqlite_master") == 0) { /* killed while it was made */
        set_error(error, "nothing was saved in %s before it ended: begin again with --save%s", folder, "");
        return give_up(journal);
    }
    if (number_of(journal, "PRAGMA application_id") != APPLICATION) {
        set_error(error, "%s is no exploration directory, or its " FILE_NAME " is damaged%s", folder, "");
        return give_up(journal);
    }
    if (number_of(journal, "PRAGMA user_version") != FORMAT) {
        set_error(error, "the exploration in %s was saved by another version of explore%s", folder, "");
        return give_up(journal);
    }
    return prepare(journal, error) ? journal : give_up(journal);
}

void journal_close(struct journal *journal) {
    if (!journal)
        return;
    sqlite3_finalize(journal->insert);
    sqlite3_close(journal->database);
    for (unsigned i = 0; i < JOURNAL_STREAMS; i++)
        free(journal->stream[i].waiting);
    free(journal->broken);
    free(journal->folder);
    free(journal);
}

/* --- reading --------------------------------------------------------------------------------------------------------- */

static bool damaged(struct journal *journal, const char *how, char **error) {
    set_error(error, "the exploration in %s is damaged: %s", journal->folder, how);
    return false;
}

static bool take_records(const char *bytes, size_t size, bool (*take)(void *context, const void *record, size_t size),
                         void *context) {
    for (size_t at = 0; at < size;) {
        uint64_t record;
        memcpy(&record, bytes + at, sizeof record);
        if (!take(context, bytes + at + sizeof record, record))
            return false;
        at += sizeof record + padded(record);
    }
    return true;
}

/* Rows with a checksum that is right were written by us: their records need no further checking. */
bool journal_read(struct journal *journal, unsigned stream, bool (*take)(void *context, const void *record, size_t size),
                  void *context, char **error) {
    struct stream *read = &journal->stream[stream];
    sqlite3_stmt *select;
    if (sqlite3_prepare_v2(journal->database,
                           "SELECT number, checksum, bytes FROM chunk WHERE number > ? AND number < ? ORDER BY number", -1,
                           &select, NULL) != SQLITE_OK)
        return damaged(journal, sqlite3_errmsg(journal->database), error);
    sqlite3_bind_int64(select, 1, (int64_t)stream << NUMBER_BITS);
    sqlite3_bind_int64(select, 2, ((int64_t)stream + 1) << NUMBER_BITS);
    bool ok = true, more = true;
    int result;
    while (ok && more && (result = sqlite3_step(select)) == SQLITE_ROW) {
        size_t size = (size_t)sqlite3_column_bytes(select, 2);
        const char *bytes = sqlite3_column_blob(select, 2);
        uint64_t checksum = XXH3_64bits_withSeed(bytes, size, read->checksum + 1);
        ok = sqlite3_column_int64(select, 0) == (int64_t)((uint64_t)stream << NUMBER_BITS | (read->chunks + 1)) &&
             sqlite3_column_int64(select, 1) == (int64_t)checksum;
        if (!ok) {
            damaged(journal, "what is read is not what was written", error);
            break;
        }
        read->chunks++;
        read->checksum = checksum;
        char *aligned = memory_copy(bytes, size);
        more = take_records(aligned, size, take, context);
        free(aligned);
    }
    if (ok && more && result != SQLITE_DONE)
        ok = damaged(journal, sqlite3_errmsg(journal->database), error);
    sqlite3_finalize(select);
    return ok;
}

/* --- adding ---------------------------------------------------------------------------------------------------------- */

static void break_off(struct journal *journal, const char *why) {
    if (journal->broken)
        return;
    journal->broken = strdup(why);
    sqlite3_exec(journal->database, "ROLLBACK", NULL, NULL, NULL);
    journal->within = false;
}

static void write_chunk(struct journal *journal, unsigned number) {
    struct stream *stream = &journal->stream[number];
    if (!stream->size || journal->broken)
        return;
    uint64_t checksum = XXH3_64bits_withSeed(stream->waiting, stream->size, stream->checksum + 1);
    bool ok = journal->within || run(journal, "BEGIN");
    journal->within = ok;
    sqlite3_bind_int64(journal->insert, 1, (int64_t)((uint64_t)number << NUMBER_BITS | (stream->chunks + 1)));
    sqlite3_bind_int64(journal->insert, 2, (int64_t)checksum);
    sqlite3_bind_blob64(journal->insert, 3, stream->waiting, stream->size, SQLITE_STATIC);
    ok = ok && sqlite3_step(journal->insert) == SQLITE_DONE;
    if (!ok)
        break_off(journal, sqlite3_errmsg(journal->database));
    sqlite3_reset(journal->insert);
    sqlite3_clear_bindings(journal->insert);
    stream->chunks++;
    stream->checksum = checksum;
    stream->size = 0;
}

static char *make_room(struct stream *stream, size_t bytes) {
    if (stream->size + bytes > stream->room) {
        stream->room = stream->size + bytes + CHUNK_BYTES;
        stream->waiting = memory_resize(stream->waiting, stream->room);
    }
    char *at = stream->waiting + stream->size;
    stream->size += bytes;
    return at;
}

void journal_add(struct journal *journal, unsigned number, const struct journal_piece *piece, size_t pieces) {
    struct stream *stream = &journal->stream[number];
    uint64_t size = 0;
    for (size_t i = 0; i < pieces; i++)
        size += piece[i].size;
    if (size > record_bytes_most)
        break_off(journal, "a step has more data than a record can hold");
    if (journal->broken)
        return;
    size_t whole = sizeof size + padded(size);
    char *at = make_room(stream, whole), *end = at + whole;
    memcpy(at, &size, sizeof size);
    at += sizeof size;
    for (size_t i = 0; i < pieces; i++) {
        if (piece[i].size)
            memcpy(at, piece[i].bytes, piece[i].size);
        at += piece[i].size;
    }
    memset(at, 0, (size_t)(end - at));
    if (stream->size >= CHUNK_BYTES)
        write_chunk(journal, number);
}

void journal_settle(struct journal *journal) {
    for (unsigned i = 0; i < JOURNAL_STREAMS; i++)
        write_chunk(journal, i);
    if (journal->within && !journal->broken && !run(journal, "COMMIT"))
        break_off(journal, sqlite3_errmsg(journal->database));
    journal->within = false;
    journal->settled = seconds_now();
}

void journal_settle_now_and_then(struct journal *journal) {
    if (seconds_now() - journal->settled >= settle_seconds)
        journal_settle(journal);
}

const char *journal_broken(const struct journal *journal) { return journal->broken; }
const char *journal_folder(const struct journal *journal) { return journal->folder; }
