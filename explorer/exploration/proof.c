#include "explorer/exploration/proof.h"

#include "explorer/exploration/exploration.h"

#include <stdio.h>

/* Of all ranks together; and while there is something else to be tried, until when of --time. */
enum { PROOF_STATES = 1 << 24, PROOF_STATES_IN_AUTO = 1 << 18, PROOF_TIME_PERCENT_IN_AUTO = 60 };

/* Agents are ranks of the exploration that nobody has started: looked at alone, a rank would have nobody to answer it. */
const char *proof_ruled_out(const struct exploration *exploration) { return exploration->agents ? PARTS_USE_AGENTS : NULL; }

bool proof_is_possible(const struct exploration *exploration) {
    const struct options *options = exploration->options;
    return options->proof != PROOF_STATE_GRAPH && !options->strategy && !options->keep_files && !proof_ruled_out(exploration);
}

static bool is_at_end(struct exploration *exploration, uint64_t bytes, unsigned time_percent) {
    exploration->proof_bytes = bytes;
    return (exploration->interrupt && *exploration->interrupt) || exploration_memory_is_full(exploration) ||
           exploration_time_is_up(exploration, time_percent);
}

static bool must_stop(void *context, uint64_t bytes) {
    struct exploration *exploration = context;
    const struct search_statistics none = {0};
    exploration_show(exploration, &none);
    bool alone = exploration->options->proof == PROOF_DECOMPOSITION;
    return is_at_end(exploration, bytes, alone ? 100 : PROOF_TIME_PERCENT_IN_AUTO);
}

/* The search is over, and so is its progress. */
static bool must_stop_counting(void *context, uint64_t bytes) { return is_at_end(context, bytes, 100); }

static struct parts_options options_without(struct exploration *exploration, struct apart_loose loose) {
    const struct options *options = exploration->options;
    uint64_t most = options->proof == PROOF_DECOMPOSITION ? PROOF_STATES : PROOF_STATES_IN_AUTO;
    return (struct parts_options){
        .ranks = options->ranks,
        .most_states = options->states && options->states < most ? options->states : most,
        .loose = loose,
        .handles_may_leak = !options_fails(options, "handle-leak"),
        .stop = must_stop,
        .context = exploration,
    };
}

bool proof_by_parts(struct exploration *exploration, struct parts_proof *proof) {
    const struct parts_options parts = options_without(exploration, (struct apart_loose){0});
    bool proved = parts_of_program(exploration->model, programs_steps(exploration->programs), &parts, proof);
    exploration->parts_bytes = exploration->proof_bytes;
    exploration->proof_bytes = 0;
    return proved;
}

bool proof_without(struct exploration *exploration, struct apart_loose loose) {
    const struct parts_options parts = options_without(exploration, loose);
    bool useless = parts_useless_in_program(exploration->model, programs_steps(exploration->programs), &parts);
    exploration->proof_bytes = 0;
    return useless;
}

static uint64_t hash_of(const struct exploration *exploration, uint32_t payload) {
    size_t size;
    const void *bytes = step_table_payload_bytes(programs_table(exploration->programs), payload, &size);
    return access_file_hash(bytes, size);
}

static bool is_exchangeable(void *context, unsigned rank, uint32_t payload, uint32_t other) {
    const struct exploration *exploration = context;
    return access_file_exchangeable(exploration->access, rank, hash_of(exploration, payload), hash_of(exploration, other));
}

void proof_count_orders(struct exploration *exploration, struct counted_orders *counted) {
    struct parts_options parts = options_without(exploration, (struct apart_loose){0});
    parts.stop = must_stop_counting;
    parts.exchangeable = exploration->access ? is_exchangeable : NULL;
    *counted = (struct counted_orders){0};
    if (proof_ruled_out(exploration)) {
        snprintf(counted->why, sizeof counted->why, "the program %s", proof_ruled_out(exploration));
        return;
    }
    parts_count_orders(exploration->model, programs_steps(exploration->programs), &parts, counted);
    exploration->proof_bytes = 0;
}
