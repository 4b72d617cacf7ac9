/* The homes of MPI files: agents (window_agent.h) that keep contents and shared file pointers. What ranks ask of them are messages
 * with tag WIRE_TO_FILE on WIRE_AGENTS_CONTEXT: struct file_request and `bytes` more. Replies are struct file_reply and
 * what the verb says, on a communicator that consists of all agents. */
#ifndef MODELS_MPI_PRELOAD_FILE_SERVER_H
#define MODELS_MPI_PRELOAD_FILE_SERVER_H

#include "models/mpi/preload/mpi_files/mpi_files.h"

enum {
    FILE_REPLY = 3,
    FILE_REPLY_TO_REQUEST = 16, /* and the number of a request of the program */
};

enum file_verb {
    FILE_OPEN = 1,  /* after the request: the path. `amode`. Replies with the content, or an error class */
    FILE_CLOSE,     /* `size` 1: after the request, the new content. Replies with `value`, enum handed_state, and with
                       FILES_HANDED the content */
    FILE_DELETE,    /* after the request: the path */
    FILE_FETCH_ADD, /* the shared file pointer: replies with `value`, what it was before `size` is added */
    FILE_SET,       /* ... becomes `size` */
    FILE_READ_NOW,  /* runs follow. Replies with the bytes */
    FILE_WRITE_NOW, /* runs and bytes follow */
    FILE_TELL_SIZE, /* replies with `value` */
    FILE_RESIZE,    /* to `size` */
    FILE_GROW,      /* to `size`, if it is less */
    FILE_FLUSH,     /* replies when what the origin wrote before is there */
    FILE_SYNC,      /* all who opened the file together have called MPI_File_sync */
    FILE_SHOW_ALL,  /* they all see what is there now */
    FILE_PUT, /* calls that are not MPI-IO's have changed the file. `size` bytes are its path, the others its content. `state` */
    FILE_LEFT_OPEN, /* the origin will do nothing more: what is there is what it has become */
};

struct file_request {
    uint64_t file;    /* context of its communicator, which names what MPI_File_open has made */
    uint64_t replies; /* context */
    uint64_t size;
    uint64_t runs;
    uint32_t verb;
    uint32_t reply; /* tag; 0: none */
    int32_t amode;
    uint8_t bare;       /* reply with the bytes alone */
    uint8_t collective; /* write: everybody must see it from now on */
    uint8_t state;      /* enum handed_state */
    uint8_t zero;
};
_Static_assert(sizeof(struct file_request) == 48, "no padding");

struct file_reply {
    int64_t value;
    int32_t error; /* MPI error class, MPI_SUCCESS */
    uint8_t busy;  /* open: others have it open, and not all only read */
    uint8_t zero[3];
};
_Static_assert(sizeof(struct file_reply) == 16, "no padding");

/* In an agent: serves a request of `origin`. */
void file_server_serve(int origin, const struct file_request *request, size_t size);
/* Has each file one content only, which all see? */
bool file_server_is_calm(void);

/* ---- file_asking.c: in a rank ---- */

/* The agent that is home to a file. */
int file_home(const char *path);
/* Asks; `request.reply` says whether and how it will reply. */
void file_ask(const struct caller *caller, int agent, struct file_request request, const void *bytes, size_t size,
              const void *more, size_t more_size);
/* Asks and blocks until the reply is there. `bytes` of it: valid until the rank blocks again. */
struct file_answer {
    struct file_reply head;
    const char *bytes;
    size_t size;
};
struct file_answer file_ask_and_wait(const struct caller *caller, int agent, struct file_request request, const void *bytes,
                                     size_t size, const void *more, size_t more_size);
/* The communicator that replies come from, agents in the order of their numbers. */
struct communicator *file_repliers(void);

#endif
