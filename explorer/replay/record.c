#include "explorer/replay/record.h"

#include "explorer/containers/memory.h"
#include "explorer/orderings/ending.h"
#include "explorer/orderings/witness_file.h"
#include "explorer/processes/program_check.h"
#include "explorer/replay/real_run.h"
#include "explorer/search/choices_of_walk.h"
#include "models/mpi/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int how_it_ended(const struct real_run *run, enum real_end end) {
    if (end == REAL_BLOCKED) {
        puts("all ranks are blocked:");
        for (unsigned rank = 0; rank < run->options.ranks; rank++)
            printf("  rank %u in %s\n", rank, function_name(run->state->rank[rank].function));
        return VERDICT_FOUND;
    }
    if (end == REAL_ENDED)
        return run->mpiexec_status == 0 ? 0 : VERDICT_FOUND;
    return replay_complain(end == REAL_TIME ? "the time budget is used up" : "the recording was interrupted",
                           VERDICT_UNDECIDED);
}

/* False: not a single rank has begun. */
static bool collect(const struct real_run *run, struct choices *rank) {
    bool any = false;
    for (unsigned i = 0; i < run->options.ranks; i++)
        any |= real_run_record(run, i, &rank[i]);
    return any;
}

static int keep(const struct options *options, char *const *path, const struct choices *rank, int code) {
    char sentence[4200];
    char *written = ordering_write(options, path, rank);
    if (!written) {
        snprintf(sentence, sizeof sentence, "cannot write %s: %s", options->output ? options->output : options->output_dir,
                 strerror(errno));
        return replay_complain(sentence, VERDICT_CANNOT_RUN);
    }
    if (!options->quiet)
        printf("recorded: %s\n", written);
    free(written);
    return code;
}

static int run_and_keep(const struct options *options, struct real_run *run) {
    enum real_end end = real_run_watch(run);
    int code = how_it_ended(run, end);
    struct choices *rank = memory_take_zeroed(options->ranks * sizeof *rank);
    if (code == VERDICT_UNDECIDED)
        ; /* it was said why */
    else if (collect(run, rank))
        code = keep(options, run->options.path, rank, code);
    else
        code = replay_complain("the program did not come to MPI_Init under mpiexec", VERDICT_CANNOT_RUN);
    choices_of_ranks_free(rank, options->ranks);
    return code;
}

int record(const struct options *options, const volatile bool *interrupt) {
    char sentence[1024], **path = program_check_all(options->programs, options->program_count, sentence, sizeof sentence);
    if (!path)
        return replay_complain(sentence, VERDICT_CANNOT_RUN);
    struct real_run_options run_options = {.ranks = options->ranks,
                                           .programs = options->programs,
                                           .program_count = options->program_count,
                                           .path = path,
                                           .end = RUN_ENDS_WELL,
                                           .input = options->input,
                                           .seconds = options->seconds,
                                           .interrupt = interrupt};
    struct real_run run;
    int code;
    if (real_run_start(&run, &run_options, sentence, sizeof sentence))
        code = run_and_keep(options, &run);
    else
        code = replay_complain(sentence, VERDICT_CANNOT_RUN);
    real_run_stop(&run);
    program_paths_free(path, options->program_count);
    return code;
}
