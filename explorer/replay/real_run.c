#include "explorer/replay/real_run.h"

#include "explorer/containers/memory.h"
#include "explorer/machine/own_files.h"
#include "explorer/machine/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKED_MS = 2000, COMPUTES_MS = 1000, POLLS_MS = 10000, START_MS = 60000, LOOK_MS = 20, STOP_MS = 3000 };

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void sleep_ms(long ms) { nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL); }

static bool failed(char *sentence, size_t room, const char *what) {
    snprintf(sentence, room, "%s: %s", what, strerror(errno));
    return false;
}

/* --- the folder ---------------------------------------------------------------------------------------------------------- */

static void file_of(const struct real_run *run, const char *name, int rank, char *path) {
    if (rank < 0)
        snprintf(path, PATH_MAX, "%s/%s", run->folder, name);
    else
        snprintf(path, PATH_MAX, "%s/%s.%d", run->folder, name, rank);
}

static bool make_state(struct real_run *run, char *sentence, size_t room) {
    char path[PATH_MAX];
    run->state_bytes = sizeof *run->state + run->options.ranks * sizeof run->state->rank[0];
    file_of(run, "state", -1, path);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, (off_t)run->state_bytes) != 0) {
        failed(sentence, room, path);
        close(file);
        return false;
    }
    void *mapped = mmap(NULL, run->state_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        return failed(sentence, room, path);
    run->state = mapped;
    run->state->version = RUN_STATE_VERSION;
    run->state->ranks = run->options.ranks;
    run->state->mode = run->options.wanted ? RUN_ENFORCES : RUN_RECORDS;
    run->state->end = run->options.end;
    run->state->explorer = (int32_t)getpid();
    run->state->keeps_output = run->options.keeps_output;
    for (unsigned rank = 0; run->options.goes_on && rank < run->options.ranks; rank++)
        run->state->rank[rank].goes_on = run->options.goes_on[rank];
    return true;
}

static bool write_scripts(struct real_run *run, char *sentence, size_t room) {
    char path[PATH_MAX];
    for (unsigned rank = 0; run->options.wanted && rank < run->options.ranks; rank++) {
        file_of(run, "script", (int)rank, path);
        FILE *script = fopen(path, "we");
        if (!script)
            return failed(sentence, room, path);
        const struct choices *wanted = &run->options.wanted[rank];
        for (size_t i = 0; i < wanted->count; i++) {
            choice_write(script, &wanted->choice[i]);
            fputc('\n', script);
        }
        if (fclose(script) != 0)
            return failed(sentence, room, path);
    }
    return true;
}

static bool make_folder(struct real_run *run, char *sentence, size_t room) {
    const char *temporary = getenv("TMPDIR");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/explore-run.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (strlen(path) >= sizeof run->folder)
        snprintf(path, sizeof path, "/tmp/explore-run.XXXXXX");
    if (!mkdtemp(path))
        return failed(sentence, room, path);
    snprintf(run->folder, sizeof run->folder, "%s", path);
    return true;
}

static void remove_folder(struct real_run *run) {
    static const char *const of_ranks[] = {"script", "record", "out", "err"};
    char path[PATH_MAX];
    if (!run->folder[0])
        return;
    for (unsigned rank = 0; rank < run->options.ranks; rank++)
        for (size_t i = 0; i < sizeof of_ranks / sizeof *of_ranks; i++) {
            file_of(run, of_ranks[i], (int)rank, path);
            unlink(path);
        }
    file_of(run, "state", -1, path);
    unlink(path);
    file_of(run, "mpiexec", -1, path);
    unlink(path);
    rmdir(run->folder);
    run->folder[0] = 0;
}

/* --- mpiexec ------------------------------------------------------------------------------------------------------------- */

static size_t count_words(char *const *words) {
    size_t count = 0;
    while (words && words[count])
        count++;
    return count;
}

static char **add_words(char **at, char *const *words) {
    size_t count = count_words(words);
    for (size_t i = 0; i < count; i++)
        at[i] = words[i];
    return at + count;
}

/* What stands before each program, and how many words that are at most with its path. */
struct launch_words {
    char *mpiexec, *own, *library;
    char count[PROGRAMS_MOST][16];
};
enum { WORDS_BEFORE = 8 };

static bool is_in(const char *folder, const char *name, char path[PATH_MAX]) {
    return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX && access(path, X_OK) == 0;
}

/* The first in PATH. Where Debian has several MPIs, the plain name may be another one's. */
static bool find_mpiexec(char path[PATH_MAX]) {
    char *list = strdup(getenv("PATH") ? getenv("PATH") : ""), *save = NULL;
    bool found = false;
    for (char *folder = strtok_r(list, ":", &save); folder && !found; folder = strtok_r(NULL, ":", &save))
        found = is_in(folder, "mpiexec.mpich", path) || is_in(folder, "mpiexec", path);
    free(list);
    return found;
}

/* mpiexec -n RANKS explore --watch-rank FOLDER LIBRARY PREFIX… PROGRAM… : -n … */
static char **command_line(const struct real_run *run, struct launch_words *with) {
    const struct real_run_options *options = &run->options;
    size_t words = 1;
    for (unsigned i = 0; i < options->program_count; i++)
        words += WORDS_BEFORE + count_words(options->prefix) + count_words(options->programs[i].words);
    char **line = memory_take_zeroed((words + 1) * sizeof *line), **at = line;
    for (unsigned i = 0; i < options->program_count; i++) {
        const struct program *program = &options->programs[i];
        snprintf(with->count[i], sizeof with->count[i], "%u", program->ranks);
        *at++ = i == 0 ? with->mpiexec : ":";
        at = add_words(at,
                       (char *[]){"-n", with->count[i], with->own, "--watch-rank", (char *)run->folder, with->library, NULL});
        at = add_words(at, options->prefix);
        *at++ = options->path[i];
        at = add_words(at, program->words + 1);
    }
    return line;
}

/* In the child. A group of its own: Ctrl-C is for the explorer, which ends the run itself; but a debugger wants the terminal. */
static _Noreturn void become_mpiexec(const struct real_run *run, char **line, pid_t explorer) {
    char path[PATH_MAX];
    const char *input = run->options.input ? run->options.input : "/dev/null";
    int failure = 127;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != explorer)
        _exit(failure);
    if (!run->options.prefix)
        setpgid(0, 0);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    file_of(run, "mpiexec", -1, path);
    int words = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600), read = strcmp(input, "-") == 0 ? 0 : open(input, O_RDONLY);
    if (words < 0 || read < 0 || dup2(read, 0) < 0)
        _exit(failure);
    if (run->options.keeps_output && (dup2(words, 1) < 0 || dup2(words, 2) < 0))
        _exit(failure);
    execv(line[0], line);
    _exit(failure);
}

static bool start(struct real_run *run, char *sentence, size_t room) {
    char mpiexec[PATH_MAX], own[PATH_MAX], library[PATH_MAX + 64];
    if (!find_mpiexec(mpiexec)) {
        snprintf(sentence, room, "mpiexec is not in PATH");
        return false;
    }
    if (!own_executable(own) || !own_library("libexplore_enforce.so", library, sizeof library)) {
        snprintf(sentence, room, "libexplore_enforce.so is not beside the explore executable, nor in ../lib/explore");
        return false;
    }
    struct launch_words words = {.mpiexec = mpiexec, .own = own, .library = library};
    char **line = command_line(run, &words);
    pid_t explorer = getpid();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_mpiexec(run, line, explorer);
    free(line);
    if (child < 0)
        return failed(sentence, room, "cannot start mpiexec");
    run->mpiexec = child;
    return true;
}

bool real_run_start(struct real_run *run, const struct real_run_options *options, char *sentence, size_t room) {
    *run = (struct real_run){.options = *options};
    return make_folder(run, sentence, room) && make_state(run, sentence, room) && write_scripts(run, sentence, room) &&
           start(run, sentence, room);
}

/* --- watching ------------------------------------------------------------------------------------------------------------ */

static bool mpiexec_is_there(struct real_run *run) {
    if (run->mpiexec && waitpid(run->mpiexec, &run->mpiexec_status, WNOHANG) == run->mpiexec)
        run->mpiexec = 0;
    return run->mpiexec != 0;
}

/* A debugger has stopped it: whoever sits there is in no hurry. */
static bool is_stopped(int32_t pid) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && (name_end[2] == 't' || name_end[2] == 'T');
}

/* The rank that was to fail is past its last choice, and goes on: it may poll for ever for others, who are held. */
static bool has_not_failed(const struct rank_state *rank) {
    return rank->goes_on && atomic_load(&rank->phase) != PHASE_ABSENT && atomic_load(&rank->left) == 0;
}

/* Where ranks are, in numbers that change when one goes on, and how many are in no call. */
struct look {
    uint64_t all, others; /* others: but has_not_failed */
    unsigned computing;
    unsigned absent;
};

static struct look look(const struct real_run *run) {
    struct look seen = {0};
    for (unsigned i = 0; i < run->options.ranks; i++) {
        const struct rank_state *rank = &run->state->rank[i];
        uint32_t phase = atomic_load(&rank->phase), ended = atomic_load(&rank->ended);
        bool over = ended || phase == PHASE_FINALIZED;
        uint64_t at = atomic_load(&rank->calls) + 1000003ull * phase + 7919ull * ended;
        seen.all += at;
        seen.others += over || !has_not_failed(rank) ? at : 0;
        if (over)
            continue;
        seen.computing += phase == PHASE_COMPUTING || (phase != PHASE_ABSENT && is_stopped(rank->pid));
        seen.absent += phase == PHASE_ABSENT;
    }
    return seen;
}

const struct rank_state *real_run_departed(const struct real_run *run, unsigned *rank) {
    for (*rank = 0; *rank < run->options.ranks; ++*rank)
        if (atomic_load(&run->state->rank[*rank].phase) == PHASE_DEPARTED)
            return &run->state->rank[*rank];
    return NULL;
}

bool real_run_failed(const struct real_run *run, unsigned rank) {
    const struct rank_state *state = &run->state->rank[rank];
    return atomic_load(&state->ended) && state->status != 0;
}

static bool any_failed(const struct real_run *run) {
    for (unsigned rank = 0; rank < run->options.ranks; rank++)
        if (real_run_failed(run, rank))
            return true;
    return false;
}

enum real_end real_run_watch(struct real_run *run) {
    const struct real_run_options *options = &run->options;
    int64_t began = now_ms(), changed = began, polls = began;
    struct look last = {0};
    for (;; sleep_ms(LOOK_MS)) {
        unsigned rank;
        if (*options->interrupt)
            return REAL_INTERRUPTED;
        if (!mpiexec_is_there(run))
            return REAL_ENDED;
        if (real_run_departed(run, &rank) && !any_failed(run))
            return REAL_DEPARTED;
        struct look seen = look(run);
        int64_t now = now_ms();
        if (seen.others != last.others || now - changed > COMPUTES_MS)
            polls = now;
        if (seen.all != last.all)
            changed = now;
        last = seen;
        if (options->seconds > 0 && (double)(now - began) > options->seconds * 1000)
            return REAL_TIME;
        if (seen.absent) {
            if (!options->prefix && now - began > START_MS)
                return REAL_TIME;
            continue;
        }
        if (!seen.computing && now - changed > BLOCKED_MS)
            return REAL_BLOCKED;
        if (!options->prefix && now - polls > POLLS_MS)
            return REAL_BLOCKED;
        if (options->runaway_seconds > 0 && (double)(now - changed) > options->runaway_seconds * 1000)
            return REAL_RUNS_ON;
    }
}

/* --- the end ------------------------------------------------------------------------------------------------------------- */

static bool gone(pid_t pid) { return pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH); }

static bool all_gone(struct real_run *run) {
    bool all = !mpiexec_is_there(run);
    for (unsigned rank = 0; rank < run->options.ranks; rank++)
        all &= gone(run->state->rank[rank].watcher) && gone(run->state->rank[rank].child);
    return all;
}

/* The watchers end the ranks, and mpiexec ends with them; what does not is ended here, by its number. */
static void end_processes(struct real_run *run) {
    if (!run->state)
        return;
    atomic_store(&run->state->stop, 1);
    int64_t began = now_ms();
    while (!all_gone(run) && now_ms() - began < STOP_MS)
        sleep_ms(LOOK_MS);
    if (run->mpiexec) {
        kill(run->mpiexec, SIGTERM);
        for (began = now_ms(); mpiexec_is_there(run) && now_ms() - began < STOP_MS;)
            sleep_ms(LOOK_MS);
    }
    if (run->mpiexec) {
        kill(run->mpiexec, SIGKILL);
        waitpid(run->mpiexec, &run->mpiexec_status, 0);
        run->mpiexec = 0;
    }
}

void real_run_stop(struct real_run *run) {
    end_processes(run);
    if (run->state)
        munmap(run->state, run->state_bytes);
    run->state = NULL;
    remove_folder(run);
}

/* --- what it leaves ------------------------------------------------------------------------------------------------------ */

char *real_run_output(const struct real_run *run, unsigned rank, int stream, size_t *size) {
    char path[PATH_MAX];
    file_of(run, stream == 1 ? "out" : "err", (int)rank, path);
    return whole_file_content(path, size);
}

char *real_run_complaint(const struct real_run *run) {
    char path[PATH_MAX];
    size_t size;
    file_of(run, "mpiexec", -1, path);
    char *text = whole_file_content(path, &size);
    while (size && text[size - 1] == '\n')
        text[--size] = 0;
    const char *line = strrchr(text, '\n');
    char *last = strdup(line ? line + 1 : text);
    free(text);
    return last;
}

/* "CHOICE", or "@NUMBER CHOICE" in the place of an earlier one. */
static bool read_line(struct choices *choices, char *line) {
    if (*line != '@')
        return choice_read(choices, line);
    char *rest;
    unsigned long long number = strtoull(line + 1, &rest, 10);
    if (*rest != ' ' || number >= choices->count || !choice_read(choices, rest + 1))
        return false;
    free(choices->choice[number].number);
    choices->choice[number] = choices->choice[--choices->count];
    return true;
}

bool real_run_record(const struct real_run *run, unsigned rank, struct choices *choices) {
    char path[PATH_MAX], *line = NULL;
    size_t room = 0;
    file_of(run, "record", (int)rank, path);
    FILE *file = fopen(path, "re");
    bool readable = file != NULL;
    for (ssize_t length; readable && (length = getline(&line, &room, file)) > 0;) {
        bool whole = line[length - 1] == '\n';
        line[length - 1] = 0;
        if (!whole)
            break; /* the rank was ended while it wrote */
        readable = read_line(choices, line);
    }
    free(line);
    if (file)
        fclose(file);
    return readable;
}
