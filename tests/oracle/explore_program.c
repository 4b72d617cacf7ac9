#include "tests/oracle/explore_program.h"

#include "explorer/search/bisimilar.h"
#include "explorer/search/parts_of_program.h"
#include "models/mpi/functions.h"
#include "tests/oracle/interpreter.h"
#include "tests/oracle/perform.h"

#include <stdlib.h>
#include <string.h>

struct collector {
    const struct interpreter *interpreter;
    struct behaviours *set;
    unsigned ranks;
};

static void collect_terminal(void *context, const uint32_t *locals) {
    const struct collector *collector = context;
    const struct process *process[PROGRAM_RANKS];
    for (unsigned rank = 0; rank < collector->ranks; rank++) {
        process[rank] = interpreter_process(collector->interpreter, locals[rank]);
        if (process[rank]->end != PROCESS_EXITED)
            return; /* not a completed execution: there is a finding for it */
    }
    behaviours_add_completed(collector->set, process, collector->ranks);
}

static void collect_deadlock(struct behaviours *set, const struct finding *finding, unsigned ranks) {
    int blocked[PROGRAM_RANKS];
    memset(blocked, -1, sizeof blocked);
    for (size_t i = 0; i < finding->wheres; i++)
        if (finding->where[i].site)
            blocked[finding->where[i].rank] = (int)site_pc(finding->where[i].site);
    behaviours_add_deadlock(set, blocked, ranks);
}

static void collect_finding(struct exploration *exploration, const struct finding *finding, unsigned ranks) {
    char line[32];
    if (strncmp(finding->class_name, "race-", 5) == 0)
        exploration->races++;
    else if (strcmp(finding->class_name, "deadlock") == 0)
        collect_deadlock(&exploration->set, finding, ranks);
    else if (strcmp(finding->class_name, "crash") == 0 && finding->wheres) {
        snprintf(line, sizeof line, "crash %u", finding->where[0].rank);
        behaviours_add(&exploration->set, line);
    } else
        behaviours_add(&exploration->set, finding->class_name);
}

/* A model, and a search over it, for as long as nothing breaks it. */
struct part {
    struct mpi_model *model;
    struct search *search;
    struct bisimilar *bisimilar; /* local states that behave alike are one; NULL: they are told apart */
    volatile bool interrupt;
    unsigned layers; /* left until it breaks; 0: it does not */
    char *saved;
    size_t size;
};

static void on_pause(void *context) {
    struct part *part = context;
    if (--part->layers || part->interrupt)
        return;
    FILE *out = open_memstream(&part->saved, &part->size);
    if (!out || !mpi_model_save(part->model, out))
        abort();
    search_save(part->search, out);
    fclose(out);
    part->interrupt = true;
}

/* A search with the part's model, whatever that knows already. */
static void begin_search(struct part *part, const struct program *program, const struct search_options *options,
                         struct interpreter *interpreter) {
    struct search_options full = *options;
    full.pause = part->layers ? on_pause : NULL;
    full.pause_context = part;
    const struct step_source *steps = interpreter_steps(interpreter);
    if (part->bisimilar) {
        mpi_model_forget_moves(part->model);
        steps = bisimilar_begin(part->bisimilar, steps);
    }
    part->search = search_create(program->ranks, part->model, steps, &full, &part->interrupt, NULL, NULL, NULL);
}

/* On the heap, as the search has pointers to it. */
static struct part *begin_part(const struct program *program, const struct search_options *options,
                               struct interpreter *interpreter, struct explore_way way) {
    struct part *part = calloc(1, sizeof *part);
    if (!part)
        abort();
    part->layers = way.breaks;
    part->bisimilar = way.merges ? bisimilar_create(program->ranks - program->servers) : NULL;
    part->model = mpi_model_create(program->ranks, options->buffering, interpreter_payload_size, interpreter);
    if (program->servers > 0)
        mpi_model_add_agents(part->model, 0); /* the servers are what agents are */
    interpreter_bind(interpreter, part->model);
    begin_search(part, program, options, interpreter);
    return part;
}

static void end_part(struct part *part) {
    search_destroy(part->search);
    mpi_model_destroy(part->model);
    bisimilar_destroy(part->bisimilar);
    free(part->saved);
    free(part);
}

/* Goes on from what another part has saved. */
static void load_part(struct part *part, const struct part *from, struct interpreter *interpreter) {
    FILE *in = fmemopen(from->saved, from->size, "r");
    const struct model_reader reader = {in, interpreter_result, interpreter};
    if (!in || !mpi_model_load(part->model, &reader) || !search_load(part->search, in))
        abort();
    fclose(in);
}

static enum search_end run_in_parts(struct part **part, const struct program *program, const struct search_options *options,
                                    struct interpreter *interpreter, unsigned breaks) {
    enum search_end end = search_run((*part)->search);
    while ((*part)->interrupt && end == SEARCH_INTERRUPTED) {
        breaks *= 2;
        struct part *next = begin_part(program, options, interpreter, (struct explore_way){.breaks = breaks});
        load_part(next, *part, interpreter);
        end_part(*part);
        *part = next;
        end = search_run(next->search);
    }
    return end;
}

static bool has_cancel(const struct program *program) {
    for (unsigned rank = 0; rank < program->ranks; rank++)
        for (unsigned i = 0; i < program->length[rank]; i++)
            if (program->instruction[rank][i].op == OP_CANCEL)
                return true;
    return false;
}

/* Did an error end the search before it met all of the program's cancellations? What they lead to is not known to it then. */
static bool hides_cancel(const struct exploration *exploration, const struct part *part, const struct program *program) {
    bool error = behaviours_of(&exploration->set, "crash") || behaviours_of(&exploration->set, "collective-mismatch");
    return error && mpi_model_expectations(part->model)->cancels <= CANCELS_MOST && has_cancel(program);
}

static bool is_in_vain(const struct part *part) {
    return mpi_model_surprised(part->model) || (part->bisimilar && bisimilar_differs(part->bisimilar));
}

/* Another search whenever the program has done what was not expected, or local states are not alike. */
void explore_program(const struct program *program, const struct search_options *options, struct explore_way way,
                     struct exploration *exploration) {
    *exploration = (struct exploration){0};
    struct interpreter *interpreter = interpreter_create(program);
    if (options->symmetric_from)
        interpreter_join_places(interpreter);
    struct collector collector = {interpreter, &exploration->set, program->ranks};
    struct search_options full = *options;
    full.terminal = collect_terminal;
    full.terminal_context = &collector;
    struct part *part = begin_part(program, &full, interpreter, way);
    exploration->end = run_in_parts(&part, program, &full, interpreter, way.breaks);
    while (is_in_vain(part) || hides_cancel(exploration, part, program)) {
        behaviours_clear(&exploration->set);
        search_destroy(part->search);
        if (!is_in_vain(part))
            mpi_model_expect(part->model, &(struct expectations){.cancels = CANCELS_MOST + 1});
        if (mpi_model_surprised(part->model))
            mpi_model_expect_surprises(part->model);
        exploration->mistakes += part->bisimilar && bisimilar_differs(part->bisimilar);
        begin_search(part, program, &full, interpreter);
        exploration->end = run_in_parts(&part, program, &full, interpreter, way.breaks);
    }
    exploration->merged = part->bisimilar ? bisimilar_merged(part->bisimilar) : 0;
    const struct finding *finding;
    size_t findings = search_findings(part->search, &finding);
    for (size_t i = 0; i < findings; i++)
        collect_finding(exploration, &finding[i], program->ranks);
    const uint64_t *outcome;
    exploration->outcomes = search_outcomes(part->search, &outcome);
    exploration->states = search_statistics(part->search)->states;
    for (unsigned rank = 0; rank < program->ranks; rank++)
        exploration->alike |= search_first_like(part->search, rank) != rank;
    end_part(part);
    interpreter_destroy(interpreter);
}

/* A program's ranks as the proof by parts has them. */
struct ranks_apart {
    struct interpreter *interpreter;
    struct mpi_model *model;
    struct parts_options options;
};

static struct ranks_apart ranks_apart(const struct program *program, enum buffering buffering) {
    struct ranks_apart apart = {.interpreter = interpreter_create(program),
                                .options = {.ranks = program->ranks, .most_states = 100000}};
    apart.model = mpi_model_create(program->ranks, buffering, interpreter_payload_size, apart.interpreter);
    interpreter_bind(apart.interpreter, apart.model);
    return apart;
}

static void ranks_apart_end(struct ranks_apart *apart) {
    mpi_model_destroy(apart->model);
    interpreter_destroy(apart->interpreter);
}

bool prove_program(const struct program *program, enum buffering buffering) {
    struct ranks_apart apart = ranks_apart(program, buffering);
    struct parts_proof proof;
    bool proved = parts_of_program(apart.model, interpreter_steps(apart.interpreter), &apart.options, &proof);
    free(proof.hold);
    ranks_apart_end(&apart);
    return proved;
}

static bool is_useless(struct ranks_apart *apart, struct apart_loose loose) {
    apart->options.loose = loose;
    bool useless = parts_useless_in_program(apart->model, interpreter_steps(apart->interpreter), &apart->options);
    ranks_apart_end(apart);
    return useless;
}

bool is_named_useless(const struct program *program, unsigned rank, unsigned index) {
    struct ranks_apart apart = ranks_apart(program, BUFFERING_ALL);
    return is_useless(&apart, (struct apart_loose){(const uint32_t[]){instruction_site(rank, index)}, 1});
}

bool are_barriers_named_useless(const struct program *program) {
    struct ranks_apart apart = ranks_apart(program, BUFFERING_ALL);
    interpreter_join_barriers(apart.interpreter);
    return is_useless(&apart, (struct apart_loose){(const uint32_t[]){PERFORM_BARRIER_SITE}, 1});
}

size_t find_barriers(const struct program *program, struct apart_call **call) {
    struct ranks_apart apart = ranks_apart(program, BUFFERING_ALL);
    struct parts_proof proof;
    size_t barriers = 0;
    parts_of_program(apart.model, interpreter_steps(apart.interpreter), &apart.options, &proof);
    for (size_t i = 0; i < proof.holding; i++)
        if (proof.hold[i].function == FUNCTION_MPI_Barrier)
            proof.hold[barriers++] = proof.hold[i];
    ranks_apart_end(&apart);
    *call = proof.hold;
    return barriers;
}

bool is_group_named_useless(const struct program *program, const struct apart_call *call, size_t calls, uint32_t group) {
    struct ranks_apart apart = ranks_apart(program, BUFFERING_ALL);
    uint32_t site[PROGRAM_RANKS * PROGRAM_INSTRUCTIONS];
    size_t sites = 0;
    for (size_t i = 0; i < calls; i++)
        if (call[i].group == group)
            site[sites++] = call[i].site;
    return is_useless(&apart, (struct apart_loose){site, sites});
}
