#include "tests/minimal/random.h"

#include "explorer/orderings/minimal.h"
#include "tests/minimal/fewest.h"
#include "tests/oracle/generator.h"
#include "tests/oracle/interpreter.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct run {
    unsigned ranks;
    struct mpi_model *model;
    const struct step_source *steps;
};

static struct search *create(void *context, const struct search_options *options) {
    struct run *run = context;
    return search_create(run->ranks, run->model, run->steps, options, NULL, NULL, NULL, NULL);
}

/* What the finding is, and what comes to the same. */
static struct search_goal goal_of(const struct finding *finding) {
    if (finding->race)
        return (struct search_goal){.outcome = finding->other_outcome, .other = true};
    return (struct search_goal){.finding = finding->key};
}

static void check(uint64_t seed, const struct seeker *seeker, struct search *search, struct random_tally *tally) {
    const struct finding *finding;
    search_findings(search, &finding);
    const struct search_goal goal = goal_of(finding);
    minimal_make(seeker, search, 0, false, true);
    size_t differences = ordering_differences(&finding->witness);
    tally->found++;
    tally->different += differences > 0;
    enum fewest fewer = differences ? fewest_reach(seeker, &goal, differences - 1) : FEWEST_NOT_REACHED;
    enum fewest as_many = fewest_reach(seeker, &goal, differences);
    if (fewer == FEWEST_TOO_MANY || as_many == FEWEST_TOO_MANY) {
        tally->too_large++;
        return;
    }
    bool good = as_many == FEWEST_REACHED && (fewer == FEWEST_NOT_REACHED || !finding->minimal);
    tally->decided += good && finding->minimal;
    if (good)
        return;
    tally->failed++;
    printf("FAIL  seed %lu: %s with %zu differences, %sminimal; brute force comes to it with %s\n", (unsigned long)seed,
           finding->class_name, differences, finding->minimal ? "" : "not ",
           as_many != FEWEST_REACHED ? "more"
           : fewer == FEWEST_REACHED ? "fewer"
                                     : "as many");
}

void random_check(uint64_t seed, struct random_tally *tally) {
    const struct generator_options generator = {.loops = seed % 2};
    struct program program;
    struct timespec now;
    generate(&program, seed, &generator);
    struct interpreter *interpreter = interpreter_create(&program);
    struct run run = {.ranks = program.ranks,
                      .model = mpi_model_create(program.ranks, BUFFERING_ALL, interpreter_payload_size, interpreter),
                      .steps = interpreter_steps(interpreter)};
    interpreter_bind(interpreter, run.model);
    clock_gettime(CLOCK_MONOTONIC, &now);
    const struct seeker seeker = {.create = create,
                                  .context = &run,
                                  .ranks = run.ranks,
                                  .model = run.model,
                                  .steps = run.steps,
                                  .deadline = (double)now.tv_sec + 60};
    struct search *search = create(&run, &seeker.options);
    const struct finding *finding;
    search_run(search);
    if (search_findings(search, &finding) && strcmp(finding->class_name, "livelock") != 0)
        check(seed, &seeker, search, tally);
    search_destroy(search);
    mpi_model_destroy(run.model);
    interpreter_destroy(interpreter);
}
