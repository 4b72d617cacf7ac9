/* The reduction against brute force: on random programs, the search with and without it must see the same outcomes, deadlocks,
 * errors and unreceived messages, and agree on whether there is a livelock. A failure prints the seed and the programs. */
#include "explorer/search/search.h"
#include "tests/search/toy_ranks.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_RANKS = 4, EVENTS = 6, MOST_INSTRUCTIONS = 8 * EVENTS + 16, MOST_FINDINGS = 4096, STATES = 100000 };

struct random_world {
    unsigned ranks;
    struct toy_instruction program[MOST_RANKS][MOST_INSTRUCTIONS];
    const struct toy_instruction *programs[MOST_RANKS];
};

static uint32_t draw(uint64_t *seed, uint32_t below) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*seed >> 33) % below;
}

/* A rank's program while it is being made. */
struct draft {
    struct toy_instruction *first, *at;
    bool open[2]; /* requests 0 and 1 */
};

static void add(struct draft *draft, struct toy_instruction instruction) { *draft->at++ = instruction; }

static void add_fold(struct draft *draft, int variable) { add(draft, (struct toy_instruction){TOY_FOLD, 2, variable, 0, 0}); }

static void add_wait(uint64_t *seed, struct draft *draft) {
    if (draft->open[0] && draft->open[1] && draw(seed, 4) == 0) { /* the other one stays open for ever */
        add(draft, (struct toy_instruction){TOY_WAIT_ANY, 0, 0, 0, 1});
        draft->open[0] = draft->open[1] = false;
        return;
    }
    for (int slot = 0; slot < 2; slot++) {
        if (!draft->open[slot])
            continue;
        int here = (int)(draft->at - draft->first);
        draft->open[slot] = false;
        add(draft, (struct toy_instruction){draw(seed, 3) ? TOY_WAIT : TOY_TEST, 0, 0, 3, slot});
        if (draft->at[-1].kind == TOY_TEST)
            add(draft, (struct toy_instruction){TOY_JUMP_IF, here, 3, 0, 0});
        add_fold(draft, 3);
        return;
    }
}

static int free_request(const struct draft *draft) { return !draft->open[0] ? 0 : !draft->open[1] ? 1 : -1; }

static void add_send(uint64_t *seed, struct draft *draft, int to, int tag, int value) {
    int request = free_request(draft);
    uint32_t way = draw(seed, 5);
    if (way == 4 && request >= 0) {
        draft->open[request] = true;
        add(draft, (struct toy_instruction){TOY_ISEND, to, tag, value, request});
        return;
    }
    add(draft, (struct toy_instruction){way == 3 ? TOY_SSEND : TOY_SEND, to, tag, value, 0});
}

static void add_receive(uint64_t *seed, struct draft *draft, int from, int tag) {
    int request = free_request(draft), here = (int)(draft->at - draft->first);
    if (draw(seed, 2))
        from = WIRE_ANY_SOURCE;
    if (draw(seed, 3) == 0)
        tag = WIRE_ANY_TAG;
    uint32_t way = draw(seed, 8);
    if (way == 7 && request >= 0) {
        draft->open[request] = true;
        add(draft, (struct toy_instruction){TOY_IRECV, from, tag, 0, request});
        return;
    }
    if (way >= 5)
        add(draft, (struct toy_instruction){TOY_IPROBE, from, tag, 3, 0});
    if (way == 5) /* until there is one */
        add(draft, (struct toy_instruction){TOY_JUMP_IF, here, 3, 0, 0});
    if (way == 6)
        add_fold(draft, 3);
    add(draft, (struct toy_instruction){TOY_RECV, from, tag, 0, 1});
    add_fold(draft, draw(seed, 3) ? 0 : 1);
}

/* Messages in an order in which all could be received, then spoilt a little: sources and tags forgotten, halves left out. */
static void make_world(uint64_t seed, struct random_world *world) {
    *world = (struct random_world){.ranks = 2 + draw(&seed, MOST_RANKS - 1)};
    struct draft draft[MOST_RANKS] = {0};
    for (unsigned rank = 0; rank < world->ranks; rank++) {
        world->programs[rank] = world->program[rank];
        draft[rank].first = draft[rank].at = world->program[rank];
    }
    bool collectives = draw(&seed, 3) == 0;
    for (int event = 0; event < EVENTS; event++) {
        int from = (int)draw(&seed, world->ranks), tag = (int)draw(&seed, 2);
        int to = (from + 1 + (int)draw(&seed, world->ranks - 1)) % (int)world->ranks;
        if (collectives && draw(&seed, 4) == 0) {
            int kind = draw(&seed, 2) ? TOY_BARRIER : TOY_BCAST;
            for (unsigned rank = 0; rank < world->ranks; rank++)
                add(&draft[rank], (struct toy_instruction){kind, 0, 0, 0, 0});
            continue;
        }
        if (draw(&seed, 40))
            add_send(&seed, &draft[from], to, tag, 1 + event);
        if (draw(&seed, 40))
            add_receive(&seed, &draft[to], from, tag);
        if (draw(&seed, 3) == 0)
            add_wait(&seed, &draft[draw(&seed, 2) ? from : to]);
    }
    for (unsigned rank = 0; rank < world->ranks; rank++) {
        add_wait(&seed, &draft[rank]);
        add_wait(&seed, &draft[rank]);
        if (draw(&seed, 4) == 0)
            add(&draft[rank], (struct toy_instruction){TOY_CRASH_IF, 0, 1 + (int)draw(&seed, EVENTS), 0, 0});
        add(&draft[rank], (struct toy_instruction){TOY_PRINT, 2, 0, 0, 0});
    }
}

static void print_world(const struct random_world *world) {
    static const char *const names[] = {"exit",   "send",    "ssend", "isend", "recv", "irecv", "wait", "waitany", "test",
                                        "iprobe", "barrier", "bcast", "fold",  "add",  "print", "jump", "jumpif",  "crashif"};
    for (unsigned rank = 0; rank < world->ranks; rank++) {
        fprintf(stderr, "rank %u:\n", rank);
        for (const struct toy_instruction *at = world->program[rank];; at++) {
            fprintf(stderr, "  %2d %-8s %d %d %d %d\n", (int)(at - world->program[rank]), names[at->kind], at->a, at->b, at->c,
                    at->d);
            if (at->kind == TOY_EXIT)
                break;
        }
    }
}

/* What a search saw. */
struct seen {
    enum search_end end;
    uint64_t outcomes[4096];
    size_t outcome_count;
    uint64_t finding[MOST_FINDINGS]; /* class and places; sorted */
    char text[MOST_FINDINGS][200];
    size_t findings;
    bool livelock;
    uint64_t states;
};

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 1099511628211ull + (hash >> 31); }

static uint64_t finding_hash(const struct finding *finding) {
    uint64_t hash = 7;
    for (const char *at = finding->class_name; *at; at++)
        hash = mix(hash, (unsigned char)*at);
    uint64_t places = 0;
    for (size_t i = 0; i < finding->wheres; i++)
        places += mix(5, (uint64_t)finding->where[i].rank << 32 | finding->where[i].site);
    return mix(hash, places);
}

static void note_findings(struct seen *seen, const struct search *search) {
    const struct finding *list;
    size_t count = search_findings(search, &list);
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(list[i].class_name, "livelock")) {
            seen->livelock = true;
            continue;
        }
        if (list[i].race) /* where two outcomes part depends on the orderings met first; the outcomes are compared */
            continue;
        cr_assert_lt(seen->findings, MOST_FINDINGS);
        snprintf(seen->text[seen->findings], sizeof seen->text[0], "%s: %s", list[i].class_name, list[i].message);
        seen->finding[seen->findings++] = finding_hash(&list[i]);
    }
}

static void explore(const struct random_world *world, enum buffering buffering, bool no_reduction, struct seen *seen) {
    struct toy *toy = toy_create(world->ranks, world->programs);
    struct step_source steps = toy_steps(toy);
    struct mpi_model *model = mpi_model_create(world->ranks, buffering, toy_payload_size, NULL);
    int32_t members[MOST_RANKS] = {0, 1, 2, 3};
    mpi_model_context(model, WIRE_WORLD_CONTEXT, members, world->ranks);
    struct search_options options = {
        .buffering = buffering, .keep_going = true, .no_reduction = no_reduction, .states = STATES};
    struct search *search = search_create(world->ranks, model, &steps, &options, NULL, NULL, NULL, NULL);

    memset(seen, 0, sizeof *seen);
    seen->end = search_run(search);
    const uint64_t *outcomes;
    seen->outcome_count = search_outcomes(search, &outcomes);
    cr_assert_lt(seen->outcome_count, 4096);
    if (seen->outcome_count)
        memcpy(seen->outcomes, outcomes, seen->outcome_count * sizeof *outcomes);
    note_findings(seen, search);
    seen->states = search_statistics(search)->states;

    search_destroy(search);
    mpi_model_destroy(model);
    toy_destroy(toy);
}

static bool includes(const struct seen *all, const struct seen *some) {
    for (size_t i = 0; i < some->findings; i++) {
        bool found = false;
        for (size_t j = 0; j < all->findings && !found; j++)
            found = all->finding[j] == some->finding[i];
        if (!found) {
            fprintf(stderr, "one-sided: %s\n", some->text[i]);
            return false;
        }
    }
    return true;
}

static bool agree(const struct seen *full, const struct seen *reduced) {
    return full->outcome_count == reduced->outcome_count &&
           !memcmp(full->outcomes, reduced->outcomes, full->outcome_count * sizeof full->outcomes[0]) &&
           includes(full, reduced) && includes(reduced, full) && full->livelock == reduced->livelock;
}

Test(reduction, agrees_with_brute_force_on_random_programs) {
    static struct seen full, reduced;
    uint64_t states = 0, reduced_states = 0;
    unsigned compared = 0, trials = getenv("TRIALS") ? (unsigned)atoi(getenv("TRIALS")) : 500;
    uint64_t start = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) : 1;
    for (uint64_t seed = start; seed < start + trials; seed++) {
        struct random_world world;
        make_world(seed, &world);
        for (enum buffering buffering = BUFFERING_ALL; buffering <= BUFFERING_INFINITE; buffering++) {
            explore(&world, buffering, true, &full);
            explore(&world, buffering, false, &reduced);
            if (full.end != SEARCH_COMPLETE)
                continue;
            compared++;
            states += full.states;
            reduced_states += reduced.states;
            bool same = reduced.end == SEARCH_COMPLETE && agree(&full, &reduced);
            if (!same)
                print_world(&world);
            cr_assert(same, "seed %lu, buffering %d: %zu outcomes against %zu, %zu findings against %zu, livelock %d %d", seed,
                      buffering, full.outcome_count, reduced.outcome_count, full.findings, reduced.findings, full.livelock,
                      reduced.livelock);
        }
    }
    cr_log_info("%u compared, %lu states, %lu with reduction", compared, states, reduced_states);
    cr_assert_geq(compared, trials * 3 / 2, "most of them are small enough to be compared");
    cr_assert_lt(reduced_states, states);
}
