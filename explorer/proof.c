#include "explorer/proof.h"

#include "explorer/exploration.h"

#include <stdlib.h>

/* Of all ranks together; and while there is something else to be tried, how much of --time. */
enum { PROOF_STATES = 1 << 24, PROOF_STATES_IN_AUTO = 1 << 18, PROOF_TIME_PERCENT_IN_AUTO = 30 };

bool proof_is_possible(const struct exploration *exploration) {
    const struct options *options = exploration->options;
    return options->proof != PROOF_STATE_GRAPH && !options->strategy && !options->keep_files && !exploration->agents;
}

static bool must_stop(void *context, uint64_t bytes) {
    struct exploration *exploration = context;
    exploration->proof_bytes = bytes;
    const struct search_statistics none = {0};
    exploration_show(exploration, &none);
    bool alone = exploration->options->proof == PROOF_DECOMPOSITION;
    return (exploration->interrupt && *exploration->interrupt) || exploration_memory_is_full(exploration) ||
           exploration_time_is_up(exploration, alone ? 100 : PROOF_TIME_PERCENT_IN_AUTO);
}

static bool prove_without(struct exploration *exploration, uint32_t barrier, struct parts_proof *proof) {
    const struct options *options = exploration->options;
    uint64_t most = options->proof == PROOF_DECOMPOSITION ? PROOF_STATES : PROOF_STATES_IN_AUTO;
    const struct parts_options parts = {
        .ranks = options->ranks,
        .most_states = options->states && options->states < most ? options->states : most,
        .barrier = barrier,
        .stop = must_stop,
        .context = exploration,
    };
    bool proved = parts_of_program(exploration->model, programs_steps(exploration->programs), &parts, proof);
    exploration->proof_bytes = 0;
    return proved;
}

bool proof_by_parts(struct exploration *exploration, struct parts_proof *proof) { return prove_without(exploration, 0, proof); }

/* With a barrier less each rank's graph is at least as large. If it is no larger, it is the same. */
static bool is_useless(struct exploration *exploration, uint32_t barrier, const struct parts_statistics *all) {
    struct parts_proof proof;
    bool useless = prove_without(exploration, barrier, &proof) && proof.statistics.states == all->states &&
                   proof.statistics.transitions == all->transitions;
    free(proof.barrier);
    return useless;
}

size_t proof_useless_barriers(struct exploration *exploration, uint32_t **site) {
    struct parts_proof proof;
    size_t useless = 0;
    *site = NULL;
    if (!proof_is_possible(exploration))
        return 0;
    bool proved = proof_by_parts(exploration, &proof);
    *site = proof.barrier;
    for (size_t i = 0; proved && i < proof.barriers; i++)
        if (is_useless(exploration, proof.barrier[i], &proof.statistics))
            (*site)[useless++] = proof.barrier[i];
    return useless;
}
