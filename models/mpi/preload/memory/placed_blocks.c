#include "models/mpi/preload/memory/placed_blocks.h"

#include "models/mpi/preload/point_to_point/request_table.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/rank.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* What a message says remains said while the program sends, as it does to whom it has heard from. */
static bool only_sends(const struct wire_call *call, const uint32_t *request) {
    bool sends = call->kind == WIRE_CALL_WAIT_ALL;
    for (uint32_t i = 0; i < call->requests && sends; i++) {
        const struct request *one = request_numbered(request[i]);
        sends = one != NULL && one->collective == NULL && one->transfer.kind == WIRE_SEND;
    }
    return sends;
}

bool placed_blocks_wait(const struct wire_call *call, const uint32_t *request) {
    return !only_sends(call, request) && arena_place_low();
}

/* Who has sent it says the second place only: in a farm it is all the same who does which task. */
static void add_message(uint64_t place[2], bool probed, const struct wire_completion *completion) {
    const struct {
        uint64_t data, size;
        int64_t tag;
    } envelope = {probed ? completion->claim : 0, completion->size, completion->tag};
    const void *told = completion->data > 0 ? rank_completion_data(completion) : &envelope;
    place[0] = XXH3_64bits_withSeed(told, completion->data > 0 ? completion->data : sizeof envelope, place[0]);
    place[1] = XXH3_64bits_withSeed(&completion->source, sizeof completion->source, place[0] + place[1]);
}

void placed_blocks_forget(struct wire_resolution *answer) {
    if (answer->kind == WIRE_FOUND && rank_completion(answer, 0)->data == 0)
        ((struct wire_completion *)rank_completion(answer, 0))->claim = 0;
}

/* What agents keep is no program's, and ends with the epoch. */
void placed_blocks_answered(const struct wire_resolution *answer) {
    uint64_t place[2] = {0, 0};
    bool any = false;
    if (rank_is_agent())
        return;
    const struct wire_completion *completion = rank_completion(answer, 0);
    for (uint32_t i = 0; i < answer->completions; i++, completion = rank_completion_next(completion)) {
        if (completion->source < 0)
            continue;
        any = true;
        if (rank_core.places_blocks)
            add_message(place, answer->kind == WIRE_FOUND, completion);
    }
    if (any)
        arena_place_by(place[0], place[1]);
}
