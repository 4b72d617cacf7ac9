/* Dynamic parallel schedules: parallel programs as graphs of sequential operations, over MPI.
 *
 * An operation is a C function. It takes messages, which are plain structs, and posts messages; the graph says which operation
 * a message goes to, a routing function on which thread it runs. There are four forms of operations:
 *
 *     leaf      takes one message,  posts one                   compute
 *     split     takes one message,  posts one or more           hand out
 *     merge     takes all messages that stem from one split, posts one
 *     stream    a merge and a split in one: may post before it has taken all
 *
 * Every message is processed to the end, or until the operation waits, before its thread takes the next one, so operations need
 * no locks. What is left to chance is the order in which messages arrive.
 *
 * Threads are contexts with a storage of their own, not threads of the operating system. They come in collections and live on
 * MPI ranks. All ranks of a communicator build the same graph and call dps_call; the messages travel as MPI messages, and a
 * rank receives whatever comes first (MPI_ANY_SOURCE).
 *
 * Mistakes in a graph are found by dps_graph_error. Mistakes made by operations while they run (a leaf that posts
 * twice, a split that posts nothing, messages of one split routed to two merges) end the program with a sentence and MPI_Abort.
 *
 * Not thread-safe: one graph is called at a time, by the thread that initialised MPI. */
#ifndef MODELS_DPS_DPS_H
#define MODELS_DPS_DPS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --- data: structs and their description ------------------------------------------------------------------------------------
 *
 *     struct part {
 *         int32_t place;
 *         uint32_t count;
 *         double *value; // `count` of them
 *     };
 *     static const struct dps_type part = DPS_TYPE("part", struct part, DPS_ITEM(struct part, place),
 *                                                  DPS_LIST(struct part, value, count));
 *
 * Members that are not described are not sent, not compared, and zero in the receiver's copy. */

enum dps_element {
    DPS_BOOL,
    DPS_CHAR,
    DPS_INT8,
    DPS_UINT8,
    DPS_INT16,
    DPS_UINT16,
    DPS_INT32,
    DPS_UINT32,
    DPS_INT64,
    DPS_UINT64,
    DPS_FLOAT,
    DPS_DOUBLE,
    DPS_OBJECT
};

enum dps_shape {
    DPS_ONE,       /* the element itself */
    DPS_ARRAY,     /* a fixed number of elements */
    DPS_POINTED,   /* a pointer to elements; their number is in another member */
    DPS_STRING,    /* a pointer to characters with a zero at the end, or null */
    DPS_REFERENCE, /* a pointer to one element, or null */
};

struct dps_member {
    const char *name;
    enum dps_element element;
    enum dps_shape shape;
    size_t offset;
    size_t count;                /* DPS_ARRAY */
    size_t count_offset;         /* DPS_POINTED: of the uint32_t that holds the number */
    const struct dps_type *type; /* DPS_OBJECT */
};

struct dps_type {
    const char *name;
    size_t size;
    const struct dps_member *member;
    size_t members;                              /* at least one */
    bool (*equal)(const void *a, const void *b); /* instead of comparing the members; may be null */
};

#define DPS_TYPE(type_name, structure, ...) DPS_TYPE_COMPARED_BY(NULL, type_name, structure, __VA_ARGS__)
#define DPS_TYPE_COMPARED_BY(equals, type_name, structure, ...)                                                  \
    {                                                                                                            \
        .name = type_name, .size = sizeof(structure), .member = (const struct dps_member[]){__VA_ARGS__},        \
        .members = sizeof((const struct dps_member[]){__VA_ARGS__}) / sizeof(struct dps_member), .equal = equals \
    }

#define DPS_ITEM(structure, m) \
    { .name = #m, .element = DPS_ELEMENT_OF(((structure *)0)->m), .shape = DPS_ONE, .offset = offsetof(structure, m) }
#define DPS_ITEMS(structure, m) /* int m[8]; */                                                                              \
    {                                                                                                                        \
        .name = #m, .element = DPS_ELEMENT_OF(((structure *)0)->m[0]), .shape = DPS_ARRAY, .offset = offsetof(structure, m), \
        .count = sizeof(((structure *)0)->m) / sizeof(((structure *)0)->m[0])                                                \
    }
#define DPS_LIST(structure, m, number) /* int *m; uint32_t number; The description covers both. */                             \
    {                                                                                                                          \
        .name = #m, .element = DPS_ELEMENT_OF(((structure *)0)->m[0]), .shape = DPS_POINTED, .offset = offsetof(structure, m), \
        .count_offset = DPS_OFFSET_OF_COUNT(structure, number)                                                                 \
    }
#define DPS_TEXT(structure, m) /* char *m; */ \
    { .name = #m, .element = DPS_CHAR, .shape = DPS_STRING, .offset = offsetof(structure, m) }
#define DPS_OBJECT_ITEM(structure, m, object_type) /* struct other m; */ \
    { .name = #m, .element = DPS_OBJECT, .shape = DPS_ONE, .offset = offsetof(structure, m), .type = object_type }
#define DPS_OBJECT_ITEMS(structure, m, object_type) /* struct other m[8]; */                                          \
    {                                                                                                                 \
        .name = #m, .element = DPS_OBJECT, .shape = DPS_ARRAY, .offset = offsetof(structure, m), .type = object_type, \
        .count = sizeof(((structure *)0)->m) / sizeof(((structure *)0)->m[0])                                         \
    }
#define DPS_OBJECT_LIST(structure, m, number, object_type) /* struct other *m; uint32_t number; */                      \
    {                                                                                                                   \
        .name = #m, .element = DPS_OBJECT, .shape = DPS_POINTED, .offset = offsetof(structure, m), .type = object_type, \
        .count_offset = DPS_OFFSET_OF_COUNT(structure, number)                                                          \
    }
#define DPS_OBJECT_REFERENCE(structure, m, object_type) /* struct other *m; may be null and may be its own type: trees */ \
    { .name = #m, .element = DPS_OBJECT, .shape = DPS_REFERENCE, .offset = offsetof(structure, m), .type = object_type }

#define DPS_ELEMENT_OF(value)                \
    _Generic((value), bool                   \
             : DPS_BOOL, char                \
             : DPS_CHAR, signed char         \
             : DPS_INT8, unsigned char       \
             : DPS_UINT8, short              \
             : DPS_INT16, unsigned short     \
             : DPS_UINT16, int               \
             : DPS_INT32, unsigned           \
             : DPS_UINT32, long              \
             : DPS_INT64, unsigned long      \
             : DPS_UINT64, long long         \
             : DPS_INT64, unsigned long long \
             : DPS_UINT64, float             \
             : DPS_FLOAT, double             \
             : DPS_DOUBLE)
#define DPS_OFFSET_OF_COUNT(structure, number) _Generic(&((structure *)0)->number, uint32_t * : offsetof(structure, number))

/* Bytes of the binary form, counted without writing it. */
size_t dps_size(const struct dps_type *type, const void *object);
/* Writes the binary form, dps_size bytes: the members in their order without padding, in this machine's byte order. */
void dps_write(const struct dps_type *type, const void *object, void *bytes);
/* Makes `object` (type->size bytes) from a binary form; what it points to is allocated. False, with nothing allocated, if the
 * bytes are not exactly one object of this type. */
bool dps_read(const struct dps_type *type, void *object, const void *bytes, size_t size);
/* Frees what dps_read allocated and zeroes the object. */
void dps_release(const struct dps_type *type, void *object);
/* Writes names, types and values of all members, one a line, nested ones indented by four more. */
void dps_write_text(const struct dps_type *type, const void *object, FILE *file);

/* Floating point numbers count as equal if they differ by at most this. */
struct dps_tolerance {
    float of_float;
    double of_double;
};
/* The number of members of the two objects that differ. With `report`, every member is listed as equal or modified, nested ones
 * indented, with the first values that differ. `tolerance` may be null: to the last bit, and a NaN equals itself. */
size_t dps_compare(const struct dps_type *type, const void *a, const void *b, const struct dps_tolerance *tolerance,
                   FILE *report);

/* --- operations ----------------------------------------------------------------------------------------------------------- */

enum dps_form { DPS_LEAF, DPS_SPLIT, DPS_MERGE, DPS_STREAM };
enum { DPS_TYPES_MOST = 4 };
struct dps_operation; /* one that runs */

/* What an operation is, wherever it stands in a graph. */
struct dps_operation_kind {
    const char *name;
    enum dps_form form;
    /* Runs on a stack of its own (see dps_limits), which must not be left by longjmp. It must not call MPI. `input`
     * belongs to the framework and is gone after the next dps_next, or when the function returns. */
    void (*execute)(struct dps_operation *self, const void *input);
    const struct dps_type *inputs[DPS_TYPES_MOST];  /* types that it takes */
    const struct dps_type *outputs[DPS_TYPES_MOST]; /* and may post */
    const struct dps_type *storage;                 /* of the thread it needs; null: any */
};

/* Sends a message to the operation that follows and takes messages of this type. The message is copied. Split and stream wait
 * here while flow control asks for it. */
void dps_post(struct dps_operation *self, const struct dps_type *type, const void *message);
/* The same, and says which message of this operation it is (0 or more, each once) instead of how many were posted before. For
 * streams, whose messages may be posted in various orders: a message's identifier, and what goes round-robin where, then do not
 * depend on the order. */
void dps_post_as(struct dps_operation *self, int32_t number, const struct dps_type *type, const void *message);
/* Merge and stream: waits for the next message; null when there are no more. */
const void *dps_next(struct dps_operation *self);
/* Type of the message taken last, for operations that take several. */
const struct dps_type *dps_input_type(const struct dps_operation *self);
/* The storage of the thread that the operation runs on. */
void *dps_storage(const struct dps_operation *self);
unsigned dps_thread(const struct dps_operation *self);       /* number of that thread in its collection */
unsigned dps_thread_count(const struct dps_operation *self); /* threads in the collection */

/* --- routing: which thread of the collection a message goes to ------------------------------------------------------------ */

struct dps_route {
    enum { DPS_ROUTE_CONSTANT, DPS_ROUTE_ROUND_ROBIN, DPS_ROUTE_CONTENT, DPS_ROUTE_SAME_THREAD, DPS_ROUTE_BALANCED } by;
    unsigned thread;
    unsigned (*content)(const void *message, unsigned threads);
};
static inline struct dps_route dps_to(unsigned thread) {
    return (struct dps_route){.by = DPS_ROUTE_CONSTANT, .thread = thread};
}
/* The number of the message modulo the number of threads. A split or stream numbers what it posts (see dps_post_as); behind a leaf
 * a message has the number that it had before, behind a merge that of the split's input. */
static inline struct dps_route dps_round_robin(void) { return (struct dps_route){.by = DPS_ROUTE_ROUND_ROBIN}; }
/* As the function says, from 0 to threads - 1. It must depend on the message alone. */
static inline struct dps_route dps_by(unsigned (*content)(const void *message, unsigned threads)) {
    return (struct dps_route){.by = DPS_ROUTE_CONTENT, .content = content};
}
/* The thread with the number of the thread that posts. */
static inline struct dps_route dps_same_thread(void) { return (struct dps_route){.by = DPS_ROUTE_SAME_THREAD}; }
/* Round-robin at first, then to threads whose results have reached the merge, in their order. For the operation after
 * a split or stream with flow control. */
static inline struct dps_route dps_balanced(void) { return (struct dps_route){.by = DPS_ROUTE_BALANCED}; }

/* --- graphs ----------------------------------------------------------------------------------------------------------------
 *
 * Building never fails: the first mistake is kept and told by dps_graph_error. */

struct dps_graph;
typedef struct {
    int number;
} dps_threads; /* a collection of threads in a graph */
typedef struct {
    int number;
} dps_node; /* an operation in a graph */

struct dps_graph *dps_graph_create(const char *name);
/* Frees the threads' storages too. Null is fine. */
void dps_graph_destroy(struct dps_graph *graph);

/* A collection with one thread on each rank of the communicator of the first call, unless dps_place says otherwise. `storage`
 * is what each thread keeps, null: nothing. It is zero at first; `construct`, which may be null, is called once for each
 * thread, on the thread's rank; what it allocates is freed with the graph. */
dps_threads dps_collection(struct dps_graph *graph, const char *name, const struct dps_type *storage,
                           void (*construct)(void *storage, unsigned thread, unsigned threads));
/* One more thread, on this rank of the communicator. Those of a collection are numbered from 0 as they are placed. */
void dps_place(struct dps_graph *graph, dps_threads threads, int rank);
/* A thread's storage if it lives on this rank and the graph has been called, else null. */
void *dps_storage_of(const struct dps_graph *graph, dps_threads threads, unsigned thread);

dps_node dps_add(struct dps_graph *graph, const struct dps_operation_kind *kind, dps_threads threads, struct dps_route route);
/* What `from` posts may go to `to`. With several successors the message's type decides. */
void dps_connect(struct dps_graph *graph, dps_node from, dps_node to);
/* Connects each to the next: dps_chain(graph, split, sort, merge). */
#define dps_chain(graph, ...) \
    dps_connect_all(graph, (const dps_node[]){__VA_ARGS__}, sizeof((const dps_node[]){__VA_ARGS__}) / sizeof(dps_node))
void dps_connect_all(struct dps_graph *graph, const dps_node *node, size_t count);
/* What `last` posts goes back to `first` while `again` holds of it. One pass after the other, each message for itself:
 * iterations are pipelined. Loops may be nested; add inner ones first. */
void dps_loop(struct dps_graph *graph, dps_node first, dps_node last, bool (*again)(const void *message));
/* At most `limit` messages of this split or stream are under way to the merge at a time; the merge tells of every `group`-th
 * that arrives. 1 <= group <= limit <= 256. */
void dps_flow_control(struct dps_graph *graph, dps_node node, unsigned limit, unsigned group);

/* Limits of a rank; a zero stands for the default. */
struct dps_limits {
    unsigned operations;   /* that run or wait at a time, 128 and 8 for each thread on the rank */
    size_t stack_bytes;    /* of each operation, 64 KiB */
    size_t outgoing_bytes; /* of messages that are sent and not received, 16 MiB */
};
void dps_set_limits(struct dps_graph *graph, struct dps_limits limits);

/* The first mistake as a sentence that names the operations, or null. The text lives as long as the graph. What depends on the
 * number of ranks, as threads were not placed, is found by dps_call. */
const char *dps_graph_error(struct dps_graph *graph);

/* --- running -------------------------------------------------------------------------------------------------------------- */

/* Sends `input`, of the first type that the first operation takes, through the graph. To be called by all ranks of the
 * communicator with the same graph; rank 0's input counts, and rank 0 gets the result in `output`, for dps_release, and true. The
 * others work until then, and get false. Threads keep their storage from one call to the next. A graph with a mistake ends the
 * program. No buffer may be attached for MPI_Bsend. */
bool dps_call(struct dps_graph *graph, MPI_Comm communicator, const void *input, void *output);

#endif
