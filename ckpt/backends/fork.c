/* States as parked processes. At most as many are parked as the channel has places: the one not used for longest goes, and is
 * made again from its nearest parked ancestor when it is needed; some go earlier if memory is short. A process far down a chain
 * of forks is slow to fork (the kernel walks the chain): one at GENERATIONS_MOST is not copied, its state is made again from an
 * ancestor much higher up. */
#include "ckpt/backends/ancestry.h"
#include "ckpt/block_store.h"

#include <stdlib.h>
#include <string.h>

enum { GENERATIONS_MOST = 16, GENERATIONS_TO_START = 8 };

struct place {
    uint32_t state; /* STATE_NONE: free */
    pid_t pid;
    unsigned generation;
    uint64_t used;
};

struct car_park {
    uint64_t time; /* counts uses */
    uint32_t places;
    struct place place[];
};

static struct car_park *car_park(struct checkpoint *checkpoint) {
    if (!checkpoint->own) {
        uint32_t places = checkpoint->channel->parkings;
        struct car_park *made = calloc(1, sizeof *made + places * sizeof *made->place);
        if (!made)
            abort();
        made->places = places;
        for (uint32_t i = 0; i < places; i++)
            made->place[i].state = STATE_NONE;
        checkpoint->own = made;
    }
    return checkpoint->own;
}

static struct place *find(struct checkpoint *checkpoint, uint32_t state) {
    struct car_park *park = car_park(checkpoint);
    for (uint32_t i = 0; i < park->places; i++)
        if (park->place[i].state == state)
            return &park->place[i];
    return NULL;
}

static bool below(struct checkpoint *checkpoint, uint32_t state, unsigned generation) {
    const struct place *place = find(checkpoint, state);
    return place && place->generation < generation;
}

static bool good_start(void *context, uint32_t state) { return below(context, state, GENERATIONS_TO_START); }

static void clear(struct place *place) {
    struct process parked = {.pid = place->pid};
    process_end(&parked);
    *place = (struct place){.state = STATE_NONE};
}

static struct place *longest_unused(struct car_park *park) {
    struct place *longest = NULL;
    for (uint32_t i = 0; i < park->places; i++)
        if (park->place[i].state != STATE_NONE && (!longest || park->place[i].used < longest->used))
            longest = &park->place[i];
    return longest;
}

/* A free place: the one of this state, else an empty one, else that of the process not used for longest. */
static struct place *make_room(struct checkpoint *checkpoint, uint32_t state) {
    struct car_park *park = car_park(checkpoint);
    struct place *chosen = find(checkpoint, state);
    for (uint32_t i = 0; i < park->places && !chosen; i++)
        if (park->place[i].state == STATE_NONE)
            return &park->place[i];
    if (!chosen)
        chosen = longest_unused(park);
    clear(chosen);
    return chosen;
}

static void park(struct checkpoint *checkpoint, struct process *process, uint32_t state) {
    struct car_park *lot = car_park(checkpoint);
    struct place *place = make_room(checkpoint, state);
    uint32_t number = (uint32_t)(place - lot->place);
    struct mailbox *mailbox = process->mailbox;
    mailbox->verb = COMMAND_PARK;
    mailbox->argument = number;
    mailbox->root_in = atomic_load(&channel_parking(checkpoint->channel, number)->ring);
    if (process_await(checkpoint, process, channel_command(mailbox), checkpoint->step_seconds) != AWAIT_DONE) {
        process_end(process);
        return;
    }
    *place = (struct place){.state = state, .pid = process->pid, .generation = process->generation, .used = ++lot->time};
    process->pid = 0;
    process->holds = BLOCK_NONE;
}

/* A copy of the process parked there, for this mailbox. */
static enum entering ring(struct checkpoint *checkpoint, struct process *process, struct place *place) {
    struct car_park *lot = car_park(checkpoint);
    struct process parked = {.pid = place->pid};
    if (process_dead(&parked)) {
        place->pid = 0;
        clear(place);
        return ENTER_LOST;
    }
    process_end(process);
    process_expect(process);
    struct parking *parking = channel_parking(checkpoint->channel, (uint32_t)(place - lot->place));
    parking->executor = process->number;
    channel_ring(parking);
    enum entering entered = process_await_start(checkpoint, process, &parked);
    place->pid = parked.pid;
    process->generation = place->generation + 1;
    place->used = ++lot->time;
    if (entered != ENTER_READY)
        clear(place);
    return entered;
}

/* Puts a process of a low generation into the place of `state`. */
static enum entering make_again(struct checkpoint *checkpoint, struct process *process, uint32_t state) {
    struct ancestry ancestry = ancestry_of(&checkpoint->lineage, state, good_start, checkpoint);
    enum entering entered = ancestry.start == STATE_NONE ? process_spawn_root(checkpoint, process, ancestry.root)
                                                         : ring(checkpoint, process, find(checkpoint, ancestry.start));
    if (entered == ENTER_READY)
        entered = ancestry_repeat(checkpoint, process, &ancestry);
    free(ancestry.state);
    if (entered == ENTER_READY)
        park(checkpoint, process, state);
    return entered;
}

static enum entering enter(struct checkpoint *checkpoint, struct process *process, uint32_t state) {
    if (!below(checkpoint, state, GENERATIONS_MOST)) {
        enum entering entered = make_again(checkpoint, process, state);
        if (entered != ENTER_READY)
            return entered;
    }
    struct place *place = find(checkpoint, state);
    enum entering entered = place ? ring(checkpoint, process, place) : ENTER_LOST;
    process->mailbox->root_in = BLOCK_NONE;
    return entered;
}

static void leave(struct checkpoint *checkpoint, struct process *process, uint32_t state, bool fresh) {
    if (fresh && state != STATE_NONE && process->pid)
        park(checkpoint, process, state);
    else
        process_end(process);
}

/* Some at once: to see what that was good for takes long. */
static bool release(struct checkpoint *checkpoint) {
    enum { AT_ONCE = 8 };
    struct car_park *park = car_park(checkpoint);
    int released = 0;
    for (struct place *place; released < AT_ONCE && (place = longest_unused(park)); released++)
        clear(place);
    return released > 0;
}

static size_t processes(const struct checkpoint *checkpoint, pid_t *list, size_t room) {
    const struct car_park *lot = checkpoint->own;
    size_t count = 0;
    for (uint32_t i = 0; lot && i < lot->places && count < room; i++)
        if (lot->place[i].state != STATE_NONE)
            list[count++] = lot->place[i].pid;
    return count;
}

static void stop(struct checkpoint *checkpoint) {
    struct car_park *lot = car_park(checkpoint);
    for (uint32_t i = 0; i < lot->places; i++)
        clear(&lot->place[i]);
    free(checkpoint->own);
    checkpoint->own = NULL;
}

const struct backend backend_fork = {
    .name = "fork", .enter = enter, .leave = leave, .release = release, .processes = processes, .stop = stop};
