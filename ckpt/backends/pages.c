/* States as trees of pages: any process can hold any of them. */
#include "ckpt/backends/checkpoint.h"

static enum entering enter(struct checkpoint *checkpoint, struct process *process, uint32_t state) {
    if (!process->pid) {
        enum entering entered = process_spawn(checkpoint, process);
        if (entered != ENTER_READY)
            return entered;
    }
    process->holds = checkpoint->lineage.image(checkpoint->lineage.context, state);
    process->mailbox->root_in = process->holds;
    return ENTER_READY;
}

static void leave(struct checkpoint *checkpoint, struct process *process, uint32_t state, bool fresh) {
    (void)checkpoint, (void)process, (void)state, (void)fresh;
}

static size_t processes(const struct checkpoint *checkpoint, pid_t *list, size_t room) {
    (void)checkpoint, (void)list, (void)room;
    return 0;
}

static void stop(struct checkpoint *checkpoint) { (void)checkpoint; }

const struct backend backend_pages = {
    .name = "pages", .keeps_pages = true, .enter = enter, .leave = leave, .processes = processes, .stop = stop};
