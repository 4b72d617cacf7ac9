/* States as images of processes in files, made by CRIU (ckpt/criu.h says what it takes). A root state is made of a copy of the
 * first process, restored too; any other that has no image is reached by running again from its nearest ancestor that has one. An
 * image takes some 2 MB in the folder for what memory has no room for, else in TMPDIR; all are removed at the end, or, if the
 * explorer is killed, when the next one starts. */
#include "ckpt/criu.h"
#include "ckpt/criu_folder.h"

#include "ckpt/backends/ancestry.h"
#include "ckpt/block_store.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ASK_MILLISECONDS = 20, TRIES = 3 };

/* What is behind an executor's process if it was restored. */
struct restored {
    struct criu_copy copy; /* copy.room is the process's pid */
    int line;              /* our end of the socket it sleeps at; -1: there is none */
};

struct images {
    struct criu *criu;
    struct image_folder folder; /* holds a folder for each state, named by its number */
    bool in_memory;             /* ... and is on a tmpfs */
    uint64_t bytes;             /* ... and this large */
    char *first_path;           /* of the image of the first process in it */
    bool first;                 /* there is one */
    bool *kept;                 /* for each state: is there an image of it */
    uint32_t states;            /* room in `kept` */
    struct restored restored[];
};

/* NULL if CRIU does not work here: then the checkpoint has failed. */
static struct images *images(struct checkpoint *checkpoint) {
    if (checkpoint->own)
        return checkpoint->own;
    uint32_t executors = checkpoint->channel->executors;
    struct images *made = calloc(1, sizeof *made + executors * sizeof *made->restored);
    if (!made)
        abort();
    for (uint32_t i = 0; i < executors; i++)
        made->restored[i].line = -1;
    char *error;
    made->criu = criu_find(NULL, &error);
    if (made->criu)
        error = image_folder_make(&made->folder, checkpoint->keep_dir ? checkpoint->keep_dir : checkpoint->spill_dir);
    if (error) {
        checkpoint_fail(checkpoint, error);
        free(error);
        criu_free(made->criu);
        free(made);
        return NULL;
    }
    if (asprintf(&made->first_path, "%s/first", made->folder.path) < 0)
        abort();
    made->in_memory = folder_in_memory(made->folder.path);
    checkpoint->own = made;
    return made;
}

static bool kept(void *context, uint32_t state) {
    const struct images *images = context;
    return state < images->states && images->kept[state];
}

static void keep(struct images *images, uint32_t state) {
    if (state >= images->states) {
        uint32_t states = state + state / 2 + 64;
        images->kept = realloc(images->kept, states * sizeof *images->kept);
        if (!images->kept)
            abort();
        memset(images->kept + images->states, 0, (states - images->states) * sizeof *images->kept);
        images->states = states;
    }
    images->kept[state] = true;
}

/* malloc'd */
static char *state_folder(const struct images *images, uint32_t state) {
    char *path;
    if (asprintf(&path, "%s/%u", images->folder.path, state) < 0)
        abort();
    return path;
}

static void end_process(struct images *images, struct process *process) {
    struct restored *restored = &images->restored[process->number];
    process_end(process);
    if (restored->line >= 0)
        close(restored->line);
    restored->line = -1;
}

static enum entering fail(struct checkpoint *checkpoint, char *error) {
    checkpoint_fail(checkpoint, error);
    free(error);
    return ENTER_STOPPED;
}

/* --- keeping a state ------------------------------------------------------------------------------------------------------- */

static bool await_sleep(struct checkpoint *checkpoint, struct process *process, int line) {
    struct pollfd sleeping = {.fd = line, .events = POLLIN};
    double began = checkpoint_now();
    while (poll(&sleeping, 1, ASK_MILLISECONDS) != 1)
        if (process_dead(process) || checkpoint_interrupted(checkpoint) || checkpoint_now() - began > checkpoint->step_seconds)
            return false;
    return criu_asleep(line);
}

/* CRIU does much that can go wrong on a machine without memory or time to spare, and nothing that cannot be tried again. */
static char *dump(const struct criu *criu, pid_t process, const char *path) {
    char *error = criu_dump(criu, process, path, (const int[]){CHANNEL_LINE}, 1);
    for (int tries = 1; error && tries < TRIES; tries++) {
        free(error);
        folder_remove(path);
        error = criu_dump(criu, process, path, (const int[]){CHANNEL_LINE}, 1);
    }
    return error;
}

static char *restore(const struct criu *criu, const char *path, int line, struct criu_copy *copy) {
    const struct criu_inherit inherit = {CHANNEL_LINE, line};
    char *error = criu_restore(criu, path, &inherit, 1, copy);
    for (int tries = 1; error && tries < TRIES; tries++) {
        free(error);
        error = criu_restore(criu, path, &inherit, 1, copy);
    }
    return error;
}

/* Puts a process to sleep at `line` and makes an image of `sleeper`, which is the same process or the copy behind it. False if it
 * is lost, or if the checkpoint has failed. */
static bool put_away(struct checkpoint *checkpoint, struct images *images, struct process *process, int line, pid_t sleeper,
                     const char *path) {
    char late;
    while (recv(line, &late, 1, MSG_DONTWAIT) == 1)
        ; /* from one that was given up, and is dead by now */
    process->mailbox->verb = COMMAND_SLEEP;
    channel_command(process->mailbox);
    if (!await_sleep(checkpoint, process, line))
        return false;
    char *error = dump(images->criu, sleeper, path);
    images->bytes += folder_bytes(path);
    if (!error)
        return true;
    if (process_dead(process))
        free(error); /* it was killed: lost, and no more */
    else
        fail(checkpoint, error);
    return false;
}

static void put_away_state(struct checkpoint *checkpoint, struct images *images, struct process *process, uint32_t state) {
    const struct restored *restored = &images->restored[process->number];
    char *path = state_folder(images, state);
    if (put_away(checkpoint, images, process, restored->line, restored->copy.process, path))
        keep(images, state);
    free(path);
}

static void leave(struct checkpoint *checkpoint, struct process *process, uint32_t state, bool fresh) {
    struct images *own = images(checkpoint);
    if (!own) {
        process_end(process);
        return;
    }
    if (fresh && state != STATE_NONE && process->pid)
        put_away_state(checkpoint, own, process, state);
    end_process(own, process);
}

/* --- getting at it again --------------------------------------------------------------------------------------------------- */

/* Makes the process out of an image. `known`: for one of the first process, the name of its memory. */
static enum entering wake(struct checkpoint *checkpoint, struct images *images, struct process *process, const char *path,
                          uint32_t known) {
    struct restored *restored = &images->restored[process->number];
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return fail(checkpoint, strdup("cannot make a socket: are too many files open (ulimit -n)?"));
    char *error = restore(images->criu, path, pair[1], &restored->copy);
    close(pair[1]);
    if (error) {
        close(pair[0]);
        return fail(checkpoint, error);
    }
    restored->line = pair[0];
    process_expect(process);
    process->mailbox->pid = restored->copy.room;
    process->mailbox->root_in = known;
    process->generation = 0;
    if (!criu_wake(restored->line, checkpoint->region, &process->number, sizeof process->number)) {
        process->pid = restored->copy.room;
        return ENTER_LOST;
    }
    return process_await_start(checkpoint, process, NULL);
}

static enum entering wake_state(struct checkpoint *checkpoint, struct images *images, struct process *process, uint32_t state) {
    char *path = state_folder(images, state);
    enum entering entered = wake(checkpoint, images, process, path, BLOCK_NONE);
    free(path);
    return entered;
}

/* The first process is kept like a state: a fork of it would have none of its threads, and no numbers for new ones. */
static bool keep_first(struct checkpoint *checkpoint, struct images *images) {
    struct process first = {.mailbox = channel_mailbox(checkpoint->channel, 0), .pid = checkpoint->zygote};
    if (images->first || put_away(checkpoint, images, &first, checkpoint->line, first.pid, images->first_path))
        images->first = true;
    else if (!checkpoint_interrupted(checkpoint))
        checkpoint_fail(checkpoint, "the program's first process was killed");
    checkpoint->zygote = first.pid;
    return images->first;
}

static enum entering spawn(struct checkpoint *checkpoint, struct process *process) {
    struct images *own = images(checkpoint);
    if (!own || !keep_first(checkpoint, own))
        return ENTER_STOPPED;
    end_process(own, process);
    return wake(checkpoint, own, process, own->first_path, checkpoint->base_root);
}

static enum entering enter(struct checkpoint *checkpoint, struct process *process, uint32_t state) {
    struct images *own = images(checkpoint);
    if (!own)
        return ENTER_STOPPED;
    end_process(own, process);
    enum entering entered;
    if (kept(own, state)) {
        entered = wake_state(checkpoint, own, process, state);
    } else {
        struct ancestry ancestry = ancestry_of(&checkpoint->lineage, state, kept, own);
        entered = ancestry.start == STATE_NONE ? process_spawn_root(checkpoint, process, ancestry.root)
                                               : wake_state(checkpoint, own, process, ancestry.start);
        if (entered == ENTER_READY)
            entered = ancestry_repeat(checkpoint, process, &ancestry);
        free(ancestry.state);
    }
    process->mailbox->root_in = BLOCK_NONE;
    return entered;
}

/* --- the end --------------------------------------------------------------------------------------------------------------- */

/* What the explorer knows as the process of an executor is the keeper of a room: the copy in it holds the memory. */
static size_t processes(const struct checkpoint *checkpoint, pid_t *list, size_t room) {
    const struct images *own = checkpoint->own;
    size_t count = 0;
    for (uint32_t i = 0; own && i < checkpoint->channel->executors && count < room; i++)
        if (own->restored[i].line >= 0)
            list[count++] = own->restored[i].copy.process;
    return count;
}

static pid_t holder(const struct checkpoint *checkpoint, const struct process *process) {
    const struct images *own = checkpoint->own;
    return own->restored[process->number].copy.process;
}

static struct kept_bytes kept_bytes(const struct checkpoint *checkpoint) {
    const struct images *own = checkpoint->own;
    if (!own)
        return (struct kept_bytes){0};
    return own->in_memory ? (struct kept_bytes){.memory = own->bytes} : (struct kept_bytes){.disk = own->bytes};
}

/* Images that stay: each in a folder named by the state's number as users know it. */
static void keep_for_good(struct checkpoint *checkpoint, const struct images *images, uint32_t state) {
    char text[1024], *from = state_folder(images, state), *to, *file;
    uint32_t number = checkpoint->lineage.describe(checkpoint->lineage.context, state, text, sizeof text);
    if (asprintf(&to, "%s/%u", checkpoint->keep_dir, number) < 0 || asprintf(&file, "%s/" IMAGE_DESCRIPTION, from) < 0)
        abort();
    FILE *description = number ? fopen(file, "we") : NULL;
    if (description) {
        fputs(text, description);
        if (fclose(description) != 0 || rename(from, to) != 0)
            checkpoint_fail(checkpoint, "cannot write the images that are to be kept");
    }
    free(from);
    free(to);
    free(file);
}

static void stop(struct checkpoint *checkpoint) {
    struct images *own = checkpoint->own;
    if (!own)
        return;
    for (uint32_t state = 0; checkpoint->keep_dir && state < own->states; state++)
        if (own->kept[state])
            keep_for_good(checkpoint, own, state);
    image_folder_remove(&own->folder);
    for (uint32_t i = 0; i < checkpoint->channel->executors; i++)
        if (own->restored[i].line >= 0)
            close(own->restored[i].line);
    criu_free(own->criu);
    free(own->first_path);
    free(own->kept);
    free(own);
    checkpoint->own = NULL;
}

const struct backend backend_criu = {.name = "criu",
                                     .sleeps = true,
                                     .spawn = spawn,
                                     .enter = enter,
                                     .leave = leave,
                                     .holder = holder,
                                     .processes = processes,
                                     .kept = kept_bytes,
                                     .stop = stop};
