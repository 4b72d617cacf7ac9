#include "models/mpi/preload/point_to_point/hidden_messages.h"

#include "models/mpi/preload/rank.h"

#include <stdbool.h>
#include <stdlib.h>

static bool *taken;
static uint32_t slots;

uint32_t hidden_request_take(void) {
    uint32_t slot = 0;
    while (slot < slots && taken[slot])
        slot++;
    if (slot == slots)
        taken = realloc(taken, ++slots * sizeof *taken);
    taken[slot] = true;
    return WIRE_HIDDEN_REQUESTS + slot;
}

void hidden_request_release(uint32_t request) { taken[request - WIRE_HIDDEN_REQUESTS] = false; }

static void *send_named(const struct caller *caller, uint64_t context, int peer, int tag, uint64_t agreement, size_t size) {
    struct wire_operation operation = {
        .kind = WIRE_SEND,
        .mode = WIRE_BUFFERED,
        .function = caller ? caller->function : 0,
        .request = WIRE_NO_REQUEST,
        .context = context,
        .peer = peer,
        .tag = tag,
        .agreement = agreement,
        .site = caller ? caller->site : 0,
        .parts = 1,
    };
    rank_issue(&operation);
    return rank_add_part(size);
}

void *hidden_send(const struct caller *caller, uint64_t context, int peer, int tag, size_t size) {
    return send_named(caller, context, peer, tag, 0, size);
}

void *hidden_request(const struct caller *caller, int agent, int tag, uint64_t touches, size_t size) {
    return send_named(caller, WIRE_AGENTS_CONTEXT, agent, tag, touches, size);
}

uint32_t hidden_receive(const struct caller *caller, uint64_t context, int peer, int tag) {
    struct wire_operation operation = {
        .kind = WIRE_RECEIVE,
        .function = caller->function,
        .request = hidden_request_take(),
        .context = context,
        .peer = peer,
        .tag = tag,
        .capacity = UINT64_MAX,
        .site = caller->site,
    };
    rank_issue(&operation);
    return operation.request;
}
