/* Whole processes as checkpoints, through CRIU: threads and the kernel's state of a process survive, and the image outlives the
 * process, its explorer and a reboot. Knows nothing of MPI; one checkpoint costs milliseconds (bench/bench_criu).
 *
 * An image can be restored any number of times, side by side. Each copy lives in a *room*: a process id namespace, in which it
 * and its threads have the numbers they always had, with a mount namespace for the /proc that goes with it.
 *
 *     explorer, pid 700 in its namespace
 *     |- room 801 -------- pid 1: a keeper that does nothing but end the way the copy ends
 *     |                    pid 350: the copy; the explorer sees it as 803
 *     |- room 811 -------- pid 1
 *     |                    pid 350: another copy of the same image; the explorer sees it as 813
 *
 * Nothing outlives its explorer: the keeper dies with the thread that called criu_restore, and a room dies with its keeper.
 *
 * What it takes: root, with CAP_SYS_ADMIN and CAP_NET_ADMIN (which containers often withhold), and a kernel with
 * CONFIG_CHECKPOINT_RESTORE. criu_find tries it.
 *
 * The leader of its session must be in its process id namespace: let it be the process itself or its parent, by setsid.
 * What a process must not have at its dump: a userfaultfd (close it, make it anew after waking), shared memory (unmap it and
 * map it again, see criu_sleep.h; CRIU would give each copy its own), open files that were deleted (CRIU gives them names for
 * a moment, and copies restored at the same time take each other's). Files that it has open are opened again by name, and must
 * have the size they had; descriptors that nobody needs are best closed. What may stay: threads, seccomp filters, signal handlers,
 * a parent-death signal, memory files, reserved address space of any size. */
#ifndef CKPT_CRIU_H
#define CKPT_CRIU_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct criu;

/* Finds CRIU and checkpoints a small process to see that it works here (some 0.2 s). `command`: the program to use, or NULL to look
 * for the one that was installed with explore (criu/criu beside the executable, in the folder above it or in ../lib/explore) and
 * then along PATH. NULL and a malloc'd sentence in *error if there is none that works. */
struct criu *criu_find(const char *command, char **error);
void criu_free(struct criu *criu);
const char *criu_command(const struct criu *criu);

/* Writes an image of `process` (as numbered here; in a room or not) and of its threads to `directory`, which is made if it is
 * not there and should be empty. The process runs on. `outside`: those of its descriptors that are sockets or pipes whose
 * other end somebody else has. NULL, or a malloc'd sentence. */
char *criu_dump(const struct criu *criu, pid_t process, const char *directory, const int *outside, size_t outside_count);

/* The copy's descriptor `number`, one of those that were `outside`, becomes the caller's `here` (which the caller keeps). */
struct criu_inherit {
    int number, here;
};
enum { CRIU_INHERIT_MOST = 8 };

struct criu_copy {
    pid_t room;    /* child of the caller: to be waited for and killed. It exits with the copy's status, or 128 + its signal */
    pid_t process; /* the copy, as numbered here: to be dumped again, or looked at */
};

/* Makes a process out of an image and lets it run. NULL, or a malloc'd sentence. The copy dies with the calling thread. */
char *criu_restore(const struct criu *criu, const char *directory, const struct criu_inherit *inherit, size_t inherit_count,
                   struct criu_copy *copy);
/* Ends a copy, whatever it does, and reaps its room. */
void criu_end(const struct criu_copy *copy);

/* The explorer's part of criu_sleep.h. `socket`: the other end of the process's. */
/* Waits until the process sleeps; false if it has ended. A process that was restored sleeping does not say so again. */
bool criu_asleep(int socket);
/* False if nobody is there to be woken. */
bool criu_wake(int socket, int region_file, const void *message, size_t size);

#endif
