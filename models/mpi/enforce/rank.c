/* A rank's part in a run: its place in the shared state, its script, and where the MPI library is. */
#include "models/mpi/enforce/enforce.h"

#include "models/mpi/functions.h"
#include "models/mpi/lookups/symbol_lookups.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct {
    struct run_state *state; /* NULL: this process has no part in a run */
    struct rank_state *own;
    struct choices choices;
    struct choice_cursor cursor;
    FILE *record;
    uintptr_t mpi_begin, mpi_end; /* the MPI library's code */
    unsigned depth;               /* calls that MPI functions of ours are in */
    uint16_t function;
    bool over; /* MPI_Finalize has been called */
    int rank;
} run;

static void *real[FUNCTION_count];

void *enforce_real(uint16_t function) {
    if (!real[function]) {
        char name[96];
        snprintf(name, sizeof name, "P%s", function_name(function));
        real[function] = symbol_lookups_next(name);
    }
    if (real[function])
        return real[function];
    fprintf(stderr, "explore: the MPI library has no %s\n", function_name(function));
    abort();
}

static int find_code(struct dl_phdr_info *object, size_t size, void *inside) {
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || (uintptr_t)inside - begin >= segment->p_memsz)
            continue;
        run.mpi_begin = begin;
        run.mpi_end = begin + segment->p_memsz;
        return 1;
    }
    return 0;
}

/* --- beginning and end --------------------------------------------------------------------------------------------------- */

static _Noreturn void give_up(const char *what) {
    fprintf(stderr, "explore: %s: %s\n", what, strerror(errno));
    _exit(3);
}

static struct run_state *map_state(const char *folder) {
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/state", folder);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0)
        give_up(path);
    void *mapped = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        give_up(path);
    return mapped;
}

static void read_script(const char *folder) {
    char path[4096], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/script.%d", folder, run.rank);
    FILE *script = fopen(path, "re");
    if (!script)
        give_up(path);
    for (ssize_t length; (length = getline(&line, &room, script)) > 0;) {
        line[length - 1] = 0;
        if (!choice_read(&run.choices, line))
            give_up(line);
    }
    free(line);
    fclose(script);
}

/* The record: a line for each choice, "@NUMBER CHOICE" where one becomes known later. */
static void begin_record(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/record.%d", folder, run.rank);
    run.record = fopen(path, "we");
    if (!run.record)
        give_up(path);
}

static void end_line(const struct choice_made *choice) {
    choice_write(run.record, choice);
    fputc('\n', run.record);
    fflush(run.record); /* the rank may crash in its next step */
}

static void begin(void) {
    const char *folder = getenv(REAL_RUN_FOLDER);
    if (!folder || !*folder)
        return;
    struct run_state *state = map_state(folder);
    REAL(Comm_rank)(MPI_COMM_WORLD, &run.rank);
    if (state->version != RUN_STATE_VERSION || (uint32_t)run.rank >= state->ranks)
        give_up("the run is not one of this library");
    dl_iterate_phdr(find_code, enforce_real(FUNCTION_MPI_Send));
    run.own = &state->rank[run.rank];
    run.own->pid = (int32_t)getpid();
    if (state->mode == RUN_ENFORCES)
        read_script(folder);
    else
        begin_record(folder);
    atomic_store(&run.own->left, (uint32_t)run.choices.count);
    atomic_store(&run.own->phase, PHASE_COMPUTING);
    run.state = state;
}

EXPORT(Init)
int MPI_Init(int *argc, char ***argv) {
    int result = REAL(Init)(argc, argv);
    begin();
    return result;
}

EXPORT(Init_thread)
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int result = REAL(Init_thread)(argc, argv, required, provided);
    begin();
    return result;
}

/* What a rank that was to choose more leaves undone is a departure too. */
EXPORT(Finalize)
int MPI_Finalize(void) {
    ENTER(Finalize);
    if (!enforce_records() && atomic_load(&run.own->left) && run.state->end != RUN_FAILS)
        enforce_depart("calls MPI_Finalize where the ordering has it make %u more choices", atomic_load(&run.own->left));
    if (!enforce_records())
        enforce_end_barriers();
    run.over = true;
    int result = REAL(Finalize)();
    atomic_store(&run.own->phase, PHASE_FINALIZED);
    return result;
}

/* --- calls --------------------------------------------------------------------------------------------------------------- */

bool enforce_enter(uint16_t function, const void *return_address) {
    uintptr_t caller = (uintptr_t)return_address;
    if (!run.state || run.over || run.depth || (caller >= run.mpi_begin && caller < run.mpi_end))
        return false;
    run.depth = 1;
    run.function = function;
    run.own->function = function;
    atomic_fetch_add(&run.own->calls, 1);
    atomic_store(&run.own->phase, PHASE_IN_CALL);
    return true;
}

int enforce_leave(int result) {
    run.depth = 0;
    atomic_fetch_add(&run.own->calls, 1);
    atomic_store(&run.own->phase, PHASE_COMPUTING);
    return result;
}

/* --- choices ------------------------------------------------------------------------------------------------------------- */

bool enforce_records(void) { return run.state->mode == RUN_RECORDS; }

const struct choice_made *enforce_choice(enum choice_class kind) {
    const struct choice_made *choice = choices_next(&run.choices, &run.cursor, kind);
    if (!choice && run.own->goes_on)
        return NULL;
    if (!choice && run.state->end == RUN_FAILS)
        enforce_hold();
    if (!choice && run.state->end == RUN_DEADLOCKS)
        enforce_depart("goes past the call in which the ordering has it blocked, to %s", function_name(run.function));
    if (!choice)
        enforce_depart("calls %s where the ordering has it choose nothing more", function_name(run.function));
    if (choice->function != run.function)
        enforce_depart("calls %s where the ordering has it call %s", function_name(run.function),
                       function_name(choice->function));
    atomic_fetch_sub(&run.own->left, 1);
    bool unfinished = choice->word == WORD_PENDING || (choice->kind == CHOICE_RECEIVE && choice->word == WORD_NONE);
    if (!unfinished)
        return choice;
    if (run.state->end == RUN_DEADLOCKS || run.own->goes_on)
        return NULL;
    if (choice->word == WORD_PENDING && kind != CHOICE_COLLECTIVE)
        enforce_hold();
    return choice;
}

bool enforce_holds_back(const struct choice_made *choice) {
    if (!choice || choice->word == WORD_PENDING)
        return run.state->end == RUN_DEADLOCKS;
    return choice->word != WORD_NOTHING;
}

size_t enforce_record(enum choice_class kind, enum choice_word word, const int32_t *number, uint32_t numbers) {
    struct choice_made choice = {.kind = (uint8_t)kind, .word = (uint8_t)word, .function = run.function};
    choice_set_numbers(&choice, number, numbers);
    choices_add(&run.choices, &choice);
    end_line(&choice);
    return run.choices.count - 1;
}

void enforce_amend(size_t choice, enum choice_word word, const int32_t *number, uint32_t numbers) {
    run.choices.choice[choice].word = (uint8_t)word;
    choice_set_numbers(&run.choices.choice[choice], number, numbers);
    fprintf(run.record, "@%zu ", choice);
    end_line(&run.choices.choice[choice]);
}

/* What the rank has sent must go on its way: others wait for it. A test of a request that is never complete sees to that; a probe
 * would not, once there is a message for it to find. */
static _Noreturn void stay(enum run_phase phase) {
    MPI_Request never;
    enforce_idle_request(&never);
    atomic_store(&run.own->phase, phase);
    for (;;) {
        int flag;
        REAL(Test)(&never, &flag, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

void enforce_hold(void) { stay(PHASE_HELD); }

void enforce_depart(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run.own->text, sizeof run.own->text, format, arguments);
    va_end(arguments);
    stay(PHASE_DEPARTED);
}

/* --- ranks --------------------------------------------------------------------------------------------------------------- */

bool enforce_has_rank(MPI_Comm communicator, int rank) {
    int is_inter, size;
    REAL(Comm_test_inter)(communicator, &is_inter);
    if (is_inter)
        REAL(Comm_remote_size)(communicator, &size);
    else
        REAL(Comm_size)(communicator, &size);
    return rank == MPI_ANY_SOURCE || (rank >= 0 && rank < size);
}

static int translate(MPI_Comm communicator, int rank, bool to_world) {
    MPI_Group world, group;
    int is_inter, translated;
    REAL(Comm_test_inter)(communicator, &is_inter);
    REAL(Comm_group)(MPI_COMM_WORLD, &world);
    if (is_inter)
        REAL(Comm_remote_group)(communicator, &group);
    else
        REAL(Comm_group)(communicator, &group);
    REAL(Group_translate_ranks)(to_world ? group : world, 1, &rank, to_world ? world : group, &translated);
    REAL(Group_free)(&group);
    REAL(Group_free)(&world);
    return translated;
}

int enforce_world_rank(MPI_Comm communicator, int rank) { return translate(communicator, rank, true); }

int enforce_local_rank(MPI_Comm communicator, int world_rank) {
    int rank = translate(communicator, world_rank, false);
    if (rank == MPI_UNDEFINED)
        enforce_depart("uses a communicator in %s that rank %d is no member of", function_name(run.function), world_rank);
    return rank;
}
