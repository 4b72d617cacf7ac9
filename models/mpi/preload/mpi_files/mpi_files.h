/* The program's MPI files (MPI-3.1 chapter 13). All ours: MPICH never sees them.
 *
 * A file's home is an agent (file_server.h), chosen by the file's name, which reads it from the disk when it is opened, keeps what
 * is written while the program runs, and says at the end what it has become. In between there are two ways:
 *
 *     FILES_COPIED  each process has a copy of the content as it was when the file was opened, reads and writes that, and
 *                   notes every access (file_log.c). Collective calls exchange the notes, and everybody does the others' writes.
 *                   Accesses that do not conflict commute, so there is nothing to explore. If two do conflict, the search
 *                   starts over with
 *     FILES_SHARED  every access is a request to the agent, and the order in which requests arrive is explored like that of
 *                   messages to a wildcard receive. A write in nonatomic mode is a request that nobody waits for before
 *                   MPI_File_sync or a collective call; a read may get what was there at the last MPI_File_sync but one, or
 *                   what is there now.
 *
 * Either may have FILES_HANDED besides: the file is also used by calls that are not MPI-IO's (handed_files.h).
 *
 * What an access must see (section 13.6.1): what is separated from it by two calls of MPI_File_sync, by closing and opening, or
 * was done by a collective access before. */
#ifndef MODELS_MPI_PRELOAD_MPI_FILES_H
#define MODELS_MPI_PRELOAD_MPI_FILES_H

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/communicators/communicators.h"
#include "models/mpi/preload/datatypes/data_layout.h"
#include "models/mpi/preload/rank.h"

/* What of the file a process sees (section 13.3): the bytes of the filetype's copies, one behind the other, from `displacement`. */
struct file_view {
    int64_t displacement;
    MPI_Datatype etype, filetype; /* held */
    char datarep[MPI_MAX_DATAREP_STRING];
    bool external;          /* external32 */
    int64_t unit;           /* bytes of an etype */
    int64_t bytes;          /* of data in one copy of the filetype */
    int64_t extent;         /* from one copy to the next */
    struct access_run *run; /* of one copy */
    uint64_t runs;
    uint64_t site; /* of the call that has set it; 0: it is as when the file was opened */
};

/* Bytes of a file that an access wants, in the order of its data. */
struct file_pieces {
    struct access_run *run; /* to be freed */
    uint64_t runs;
};

/* How the program handles errors of a file. */
struct file_errors {
    MPI_Errhandler handler;
    bool is_set; /* by the program */
};

struct mpi_file {
    struct communicator *communicator; /* of its group, hidden from the program */
    int agent;                         /* its home: rank in MPI_COMM_WORLD */
    char *path;
    int amode;
    MPI_Info info; /* MPI_INFO_NULL: none */
    struct file_errors errors;
    struct caller opener;
    int fortran; /* number for MPI_File_c2f */
    struct file_view view;
    struct other_view { /* a member that sees the file otherwise than this process, if there is one, and where it has said so */
        bool exists;
        int32_t rank; /* in MPI_COMM_WORLD */
        uint64_t site;
    } other;
    int64_t position; /* individual file pointer, in etypes */
    bool atomic;
    struct caller freed; /* an access whose request was freed, so that nobody learns when it is complete; function 0: none */

    bool shared;    /* FILES_SHARED */
    bool unflushed; /* ... and writes are under way. FILES_COPIED: */
    char *bytes;    /* the copy; NULL if size is 0 */
    uint64_t size;
    bool changed;         /* somebody wrote */
    uint32_t syncs;       /* calls of MPI_File_sync so far */
    uint32_t collectives; /* collective accesses begun */
    uint32_t *pending;    /* numbers of those that are not complete, in their order */
    size_t pendings;
    struct file_note *note; /* accesses of this process that the others do not know yet, with the data of writes */
    size_t note_bytes;
    struct file_note *known; /* accesses of all that later ones may conflict with; sorted */
    size_t knowns;

    struct split_access { /* between MPI_File_…_begin and …_end */
        uint16_t end;     /* enum mpi_function of the call that ends it; 0: none */
        struct caller begun;
        const void *buffer;
        uint32_t owned; /* pending_buffers_own_split */
        MPI_Status status;
    } split;
};

/* An access, in the order of `struct file_note` in a log: followed by what was written, zero padded to 8. */
enum file_note_kind { FILE_READ = 1, FILE_WRITTEN, FILE_RESIZED };
struct file_note {
    int64_t offset;
    uint64_t length;
    uint64_t bytes;      /* that follow */
    uint32_t syncs;      /* calls of MPI_File_sync before it */
    uint32_t seen;       /* the first so many collective accesses were complete */
    uint32_t collective; /* the number of this one among them, from 1 on; 0: it is none */
    int32_t rank;        /* in the file's group */
    uint32_t kind;       /* enum file_note_kind */
    uint32_t zero;
};
_Static_assert(sizeof(struct file_note) == 48, "no padding");

/* ---- mpi_files.c ---- */

/* Sets *file, or reports that the handle names none. */
int check_file(const struct caller *caller, MPI_File handle, struct mpi_file **file);
/* The same; nothing that this process has begun with the file may be pending. */
int check_idle_file(const struct caller *caller, MPI_File handle, struct mpi_file **file);
MPI_File file_handle(const struct mpi_file *file);
static inline bool file_is_leader(const struct mpi_file *file) { return file->communicator->rank == 0; }
/* Files that were not closed. */
void files_leaked(struct rank_leaks *leaks);

/* ---- file_errors.c ---- */

/* Something that may well happen to a right program, like a file that is not there: as the file's error handler says, which by
 * default returns the error. `file` NULL: one that is not open. */
int file_fail(const struct caller *caller, struct mpi_file *file, int error_class, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A broken rule: reported as a finding also where the program has left the handler as it was. */
int file_reject(const struct caller *caller, struct mpi_file *file, int error_class, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same because of an access of this process's that is not complete. */
int file_reject_pending(const struct caller *caller, struct mpi_file *file, const struct caller *access);
void file_errors_begin(struct file_errors *errors);

/* ---- file_views.c ---- */

void file_view_begin(struct file_view *view);
void file_view_end(struct file_view *view);
/* Ends the rank unless the data are etypes, as they are to be read by others (section 13.6.3). */
void file_require_etypes(const struct caller *caller, const struct mpi_file *file, MPI_Count count, MPI_Datatype type);
/* Ends the rank unless all have the same view, as the shared file pointer needs (section 13.4.4). */
void file_require_same_view(const struct caller *caller, const struct mpi_file *file);
/* Where byte `n` of the view's data is in the file. */
int64_t file_view_offset(const struct file_view *view, int64_t n);
/* Where `length` bytes of the view's data from byte `n` on are. */
struct file_pieces file_view_pieces(const struct file_view *view, int64_t n, uint64_t length);
/* The number of etypes of the view that begin before byte `size` of the file. */
int64_t file_view_etypes_before(const struct file_view *view, uint64_t size);

/* ---- file_log.c: FILES_COPIED ---- */

/* Notes the access of some pieces, with `data` (NULL: none). `collective`: its number, or 0. */
void file_note(struct mpi_file *file, enum file_note_kind kind, uint32_t collective, const struct file_pieces *pieces,
               const void *data);
/* The number of a collective access that begins, until file_exchange or the request of file_exchange_start completes it. */
uint32_t file_begin_collective(struct mpi_file *file);
/* A collective call: each member gives `own`, and gets the others' by `take` (NULL: not wanted). What all have written is in
 * everybody's copy then. */
struct file_exchange {
    const void *own;
    size_t size;
    uint64_t agreement; /* what all must give alike: file_agreement. 0: nothing */
    void (*take)(void *context, int member, const void *bytes, size_t size);
    void *context;
    uint32_t completes; /* a collective access; 0: none */
};
void file_exchange(const struct caller *caller, struct mpi_file *file, const struct file_exchange *exchange);
/* A number that is told if it differs, and whatever else must be alike; what they mean each function has (collectives.c). */
uint64_t file_agreement(uint64_t number, uint64_t other);
/* The same; `other` is to be told as `name`. */
uint64_t file_agreement_named(uint64_t number, uint64_t other, const char *name);
void file_barrier(const struct caller *caller, struct mpi_file *file);
/* The exchange that completes a nonblocking collective access. */
void file_exchange_start(const struct caller *caller, struct mpi_file *file, uint32_t completes, MPI_Request *request);
/* The program frees the request of such an access to the file with this context. */
void file_note_freed(uint64_t context, const struct caller *access);
/* The open file whose communicator has this context; NULL: it was closed. */
struct mpi_file *file_of_context(uint64_t context);

/* ---- file_shared.c: the shared file pointer (section 13.4.4), in etypes ---- */

int64_t file_shared_get(const struct caller *caller, struct mpi_file *file);
void file_shared_set(const struct caller *caller, struct mpi_file *file, int64_t position);
/* It goes on by `etypes`; where it was before. */
int64_t file_shared_take(const struct caller *caller, struct mpi_file *file, int64_t etypes);

/* ---- file_content.c: both ways ---- */

/* `collective`: number of a collective access, or 0. Bytes that are there, which is less than wanted at the end of the file. */
uint64_t file_read(const struct caller *caller, struct mpi_file *file, uint32_t collective, const struct file_pieces *pieces,
                   char *data);
void file_write(const struct caller *caller, struct mpi_file *file, uint32_t collective, const struct file_pieces *pieces,
                const char *data);
uint64_t file_size(const struct caller *caller, struct mpi_file *file);
/* What this process has written is there. */
void file_flush(const struct caller *caller, struct mpi_file *file);
/* Collective. */
void file_resize(const struct caller *caller, struct mpi_file *file, uint64_t size, bool only_grows);
void file_sync(const struct caller *caller, struct mpi_file *file);
/* Sets size and content of a copy. */
void file_copy_resize(struct mpi_file *file, uint64_t size);

#endif
