/* What messages have to do with threads' storages, as a text file for tools: the file that the environment variable DPS_ACCESS
 * names gets, at the end of each call and from each rank,
 *
 *     uses OPERATION MEMBER r|w                           some run of such an operation reads, or writes, this member of its thread's storage
 *     message RANK HASH OPERATION THREAD INSTANCE         the MPI message to this rank with these bytes goes to such an operation
 *
 * in words without blanks. HASH: FNV-1a of the bytes, 64 bits in hexadecimal. THREAD: whose storage is meant. INSTANCE: the one
 * merge or stream that takes it, or the split or merge that a notification is for; "-": a leaf or split, which takes no others. Not
 * told: messages that need two MPI messages, the result, and the end. Internal. */
#ifndef MODELS_DPS_ACCESS_H
#define MODELS_DPS_ACCESS_H

#include "models/dps/graph.h"
#include "models/dps/network.h"

struct access;

/* NULL: nobody asks. */
struct access *access_open(const struct dps_graph *graph, const struct network *network);
/* Writes the file. NULL is fine. */
void access_close(struct access *access);

/* A message has arrived by MPI. */
void access_message(struct access *access, const struct arrival *message);
/* An operation begins to run, or goes on, on this thread's storage, which may be null; it has stopped. */
void access_begin(struct access *access, unsigned node, void *storage);
void access_end(struct access *access, void *storage);

#endif
