#include "ckpt/backends/ancestry.h"

#include <stdlib.h>

static void append(struct ancestry *ancestry, size_t *room, uint32_t state) {
    if (ancestry->states == *room) {
        *room = *room ? *room * 2 : 64;
        uint32_t *grown = realloc(ancestry->state, *room * sizeof *grown);
        if (!grown)
            abort();
        ancestry->state = grown;
    }
    ancestry->state[ancestry->states++] = state;
}

static void reverse(uint32_t *list, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t kept = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = kept;
    }
}

struct ancestry ancestry_of(const struct lineage *lineage, uint32_t state, bool (*found)(void *context, uint32_t state),
                            void *context) {
    struct ancestry ancestry = {.start = STATE_NONE};
    size_t room = 0;
    for (;;) {
        uint32_t before = lineage->before(lineage->context, state, &ancestry.root);
        if (before == STATE_NONE)
            break;
        append(&ancestry, &room, state);
        state = before;
        if (found(context, state)) {
            ancestry.start = state;
            break;
        }
    }
    reverse(ancestry.state, ancestry.states);
    return ancestry;
}

enum entering ancestry_repeat(struct checkpoint *checkpoint, struct process *process, const struct ancestry *ancestry) {
    for (size_t i = 0; i < ancestry->states; i++) {
        enum entering entered = process_repeat(checkpoint, process, ancestry->state[i]);
        if (entered != ENTER_READY)
            return entered;
    }
    return ENTER_READY;
}
