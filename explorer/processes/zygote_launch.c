#include "explorer/processes/zygote_launch.h"

#include "ckpt/page_tree.h"
#include "explorer/containers/memory.h"
#include "models/mpi/lookups/symbol_lookups.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { PAGES_MOST = 1 << 26, SPILLED_MOST = 1 << 24, NODES_MOST = 1 << 26, PARKINGS = 64 };

_Static_assert(PARKINGS * sizeof(struct parking) % PAGE_BYTES == 0, "the page store begins on a page");

static bool fail(char **error, const char *format, const char *detail) {
    if (asprintf(error, format, detail) < 0)
        *error = NULL;
    return false;
}

/* --- the shared region ----------------------------------------------------------------------------------------------- */

/* There may be limits of address space, and of the size of a file, which shared memory is: pages get a small part of what they
 * say. */
static uint64_t room_for_pages(void) {
    enum { PARTS = 16 };
    static const int limited[] = {RLIMIT_AS, RLIMIT_FSIZE};
    uint64_t room = UINT64_MAX;
    for (size_t i = 0; i < sizeof limited / sizeof *limited; i++) {
        struct rlimit limit;
        if (getrlimit(limited[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur / PARTS < room)
            room = limit.rlim_cur / PARTS;
    }
    return room;
}

/* Unless their content has to stay, there may be many more pages than memory has room for. */
static uint32_t page_capacity(const struct executors_options *options) {
    const bool stay = options->backend->keeps_pages && options->saved;
    uint64_t pages = options->memory_bytes / PAGE_BYTES, room = room_for_pages() / PAGE_BYTES;
    if (options->spill_dir)
        return SPILLED_MOST;
    if (!stay && pages < room)
        pages = room;
    return pages < 4096 ? 4096 : pages > PAGES_MOST ? PAGES_MOST : (uint32_t)pages;
}

static uint32_t node_capacity(uint64_t memory_bytes) {
    uint64_t nodes = memory_bytes / TREE_NODE_BYTES;
    return nodes < 65536 ? 65536 : nodes > NODES_MOST ? NODES_MOST : (uint32_t)nodes;
}

/* A rank's memory is kept in the store and held by each executor. */
static uint64_t arena_share(const struct executors_options *options) {
    if (options->arena_bytes)
        return options->arena_bytes;
    uint64_t share = options->memory_bytes / (options->jobs + 1);
    return share < (64u << 20) ? 64u << 20 : share;
}

/* A file without a name: it goes when the last process goes. Its number is high, out of the way of a program that closes what
 * it did not open. */
static bool open_spill(struct launch *launch, const char *directory, char **error) {
    enum { HIGH = 800 };
    int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0)
        return fail(error, "cannot make a file for --spill: %s", strerror(errno));
    launch->spill = fcntl(file, F_DUPFD_CLOEXEC, HIGH);
    if (launch->spill < 0)
        launch->spill = file;
    else
        close(file);
    return true;
}

static bool make_region(struct launch *launch, int *descriptor, const struct executors_options *options, char **error) {
    uint32_t pages = page_capacity(options), nodes = node_capacity(options->memory_bytes);
    struct channel head = {
        .version = CHANNEL_VERSION,
        .ranks = options->world,
        .program = options->number,
        .alone = options->ranks == options->world,
        .executors = options->executors,
        .tracker = (uint32_t)options->tracker,
        .explorer_pid = getpid(),
        .arena_bytes = arena_share(options),
        .parkings = PARKINGS,
        .keeps_pages = options->backend->keeps_pages,
        .keeps_threads = options->backend->sleeps,
        .keeps_final = options->race_on_state,
        .timed = getenv(STEP_TIMES_VARIABLE) != NULL,
        .mailbox_stride = mailbox_bytes(),
    };
    enum block_keeping keeping = options->backend->keeps_pages ? KEEP_CONTENT : KEEP_NAMES;
    head.parkings_at = 4096 + (options->executors + 1) * head.mailbox_stride;
    head.pages_at = head.parkings_at + PARKINGS * sizeof(struct parking);
    head.nodes_at = head.pages_at + block_store_bytes(PAGE_BYTES, pages, keeping);
    head.layout_at =
        (head.nodes_at + block_store_bytes(TREE_NODE_BYTES, nodes, KEEP_CONTENT) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    head.bytes = head.layout_at + sizeof(struct memory_layout);
    *descriptor = memfd_create("explore", 0);
    if (*descriptor < 0 || ftruncate(*descriptor, (off_t)head.bytes) != 0)
        return fail(error, "cannot make shared memory: %s", strerror(errno));
    void *map = mmap(NULL, head.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, *descriptor, 0);
    if (map == MAP_FAILED)
        return fail(error, "cannot map shared memory: %s", strerror(errno));
    launch->channel = map;
    *launch->channel = head;
    for (uint32_t i = 0; i <= options->executors; i++)
        atomic_store(&channel_mailbox(launch->channel, i)->command, 1);
    struct block_store *store = block_store_format((char *)map + head.pages_at, PAGE_BYTES, pages, keeping);
    block_store_allow_spill(store, launch->spill);
    block_store_format((char *)map + head.nodes_at, TREE_NODE_BYTES, nodes, KEEP_CONTENT);
    return true;
}

/* --- the program's input --------------------------------------------------------------------------------------------- */

/* Copies all that `from` has: from where it stands on, and without moving that if it is a regular file. */
static bool copy_input(int from, int to, const struct executors_options *options) {
    char block[65536];
    off_t at = lseek(from, 0, SEEK_CUR);
    for (;;) {
        ssize_t got = at < 0 ? read(from, block, sizeof block) : pread(from, block, sizeof block, at);
        if (got < 0 && errno == EINTR && !(options->interrupt && *options->interrupt))
            continue;
        if (got <= 0)
            return got == 0;
        if (write(to, block, (size_t)got) != got)
            return false;
        at += at < 0 ? 0 : got;
    }
}

/* Only a regular file is sure to end, and not meant for somebody else. */
static bool is_given(const struct executors_options *options) {
    struct stat status;
    return options->input || (fstat(0, &status) == 0 && S_ISREG(status.st_mode));
}

/* A memory file, so that nobody changes what rank 0 reads. */
static bool make_input(struct launch *launch, const struct executors_options *options, char **error) {
    launch->input = memfd_create(STREAM_NAME_INPUT, MFD_CLOEXEC);
    if (launch->input < 0)
        return fail(error, "cannot start the program: %s", strerror(errno));
    if (!is_given(options))
        return true;
    bool own = !options->input || strcmp(options->input, "-") == 0;
    int from = own ? 0 : open(options->input, O_RDONLY | O_CLOEXEC);
    bool copied = from >= 0 && copy_input(from, launch->input, options);
    int cause = errno;
    if (!own && from >= 0)
        close(from);
    if (!copied && asprintf(error, "cannot read the input %s: %s", own ? "(stdin)" : options->input, strerror(cause)) < 0)
        *error = NULL;
    return copied;
}

/* --- the program's process ------------------------------------------------------------------------------------------- */

static void set_preload(const char *library, bool with_mpi) {
    const char *others = getenv("LD_PRELOAD"), *mpi = with_mpi ? ":" MPI_LIBRARY : "";
    char *value;
    if (asprintf(&value, "%s%s%s%s", library, mpi, others ? ":" : "", others ? others : "") >= 0)
        setenv("LD_PRELOAD", value, 1);
}

/* What an outer mpiexec or batch system says about processes would be believed by MPICH. */
static void drop_launcher_variables(void) {
    static const char *const prefix[] = {"PMI_", "PMIX_", "HYDRA_", "HYDI_", "MPI_LOCAL", "OMPI_", "PMI2_"};
    for (char **variable = environ; *variable;) {
        bool drop = false;
        for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
            drop = drop || strncmp(*variable, prefix[i], strlen(prefix[i])) == 0;
        char *equals = strchr(*variable, '=');
        if (!drop || !equals) {
            variable++;
            continue;
        }
        char *name = strndup(*variable, (size_t)(equals - *variable));
        unsetenv(name);
        free(name);
    }
}

static void set_environment(const struct executors_options *options, int region, bool with_mpi) {
    char number[16];
    snprintf(number, sizeof number, "%d", region);
    drop_launcher_variables();
    set_preload(options->library, with_mpi);
    setenv(CHANNEL_VARIABLE, number, 1);
    if (options->log_allocations || options->race_on_state)
        setenv(ALLOCATION_LOG_VARIABLE, "1", 1);
    setenv("LD_BIND_NOW", "1", 1);
    setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
    setenv("UCX_TLS", "self", 1);
    setenv("UCX_MODULES", "none", 1);
    setenv("UCX_MEM_EVENTS", "no", 1);
    setenv("UCX_LOG_LEVEL", "fatal", 1);
    setenv("OMP_NUM_THREADS", "1", !options->backend->sleeps); /* where threads can be kept: as many as the user wants */
    setenv("OMP_WAIT_POLICY", "passive", 1);                   /* threads that run in turn gain nothing by looking around */
}

/* No core files; and a stack of finite size, which the kernel also wants to know to lay out memory in its usual way. */
static void limit_resources(void) {
    struct rlimit no_core = {0, 0}, stack;
    setrlimit(RLIMIT_CORE, &no_core);
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur > STACK_BYTES_MOST) {
        stack.rlim_cur = STACK_BYTES_MOST;
        setrlimit(RLIMIT_STACK, &stack);
    }
}

/* Everything between fork and exec. */
static _Noreturn void become_program(const struct executors_options *options, const struct launch *launch, int region, int line,
                                     int failure, pid_t explorer) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != explorer)
        _exit(3);
    /* A terminal's Ctrl-C is for the explorer alone. And CRIU wants the leader of the session in our process id namespace, which
     * the explorer's need not be: whatever entered a container may be outside. */
    setsid();
    personality(ADDR_NO_RANDOMIZE | (unsigned)personality(0xffffffff));
    limit_resources();
    char input_path[64];
    snprintf(input_path, sizeof input_path, "/proc/self/fd/%d", launch->input);
    int input = open(input_path, O_RDONLY); /* from its beginning, and only to be read */
    dup2(input, 0);
    dup2(launch->output[0], 1);
    dup2(launch->output[1], 2);
    close(input);
    close_range(3, ~0u,
                CLOSE_RANGE_CLOEXEC); /* what the explorer happened to be given, maybe from outside its mount namespace */
    fcntl(region, F_SETFD, 0);
    fcntl(launch->spill, F_SETFD, 0);
    if (line >= 0)
        dup2(line, CHANNEL_LINE);
    set_environment(options, region, launch->lacks_mpi);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGINT, SIG_IGN);
    execv(options->program, options->argv);
    int code = errno;
    (void)!write(failure, &code, sizeof code);
    _exit(127);
}

static bool start_program(struct launch *launch, int region, const struct executors_options *options, char **error) {
    int failure[2], line[2] = {-1, -1};
    launch->output[0] = memfd_create(STREAM_NAME_OUT, MFD_CLOEXEC);
    launch->output[1] = memfd_create(STREAM_NAME_ERROR, MFD_CLOEXEC);
    if (launch->output[0] < 0 || launch->output[1] < 0 || pipe2(failure, O_CLOEXEC) != 0)
        return fail(error, "cannot start the program: %s", strerror(errno));
    if (options->backend->sleeps && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) != 0)
        return fail(error, "cannot start the program: %s", strerror(errno));
    launch->line = line[0];
    pid_t explorer = getpid();
    fflush(NULL);
    launch->zygote = fork();
    if (launch->zygote == 0)
        become_program(options, launch, region, line[1], failure[1], explorer);
    close(failure[1]);
    if (line[1] >= 0)
        close(line[1]);
    int code = 0;
    bool failed = launch->zygote < 0 || read(failure[0], &code, sizeof code) == sizeof code;
    close(failure[0]);
    return !failed || fail(error, "cannot run the program: %s", strerror(code ? code : errno));
}

static const struct launch nothing = {.spill = -1, .line = -1, .region = -1, .input = -1, .output = {-1, -1}};

static bool start(struct launch *launch, const struct executors_options *options, char **error) {
    int region = -1;
    bool ok = (!options->spill_dir || open_spill(launch, options->spill_dir, error)) && make_input(launch, options, error) &&
              make_region(launch, &region, options, error) && start_program(launch, region, options, error);
    if (options->backend->sleeps)
        launch->region = region;
    else if (region >= 0)
        close(region);
    return ok;
}

static bool says_something(const char *line) { return line[strspn(line, " \t\r=-*#")] != 0; }

/* The last line that the program wrote to stderr, to say why it ended. */
static char *last_words(const struct launch *launch) {
    size_t size;
    char *text = launch_output(launch, 2, &size), *newline = text, *line = text;
    while (newline) {
        newline = strrchr(text, '\n');
        line = newline ? newline + 1 : text;
        if (says_something(line))
            break;
        if (newline)
            *newline = 0;
    }
    char *copy = strdup(line);
    free(text);
    return copy;
}

static bool ended_early(struct launch *launch, int status, char **error) {
    char *words = last_words(launch), *sentence = NULL;
    launch->lacks_mpi = strstr(words, "libexplore_mpi.so: undefined symbol: MPI") != NULL;
    const char *said = *words ? "; it said: " : "";
    int made =
        WIFSIGNALED(status)
            ? asprintf(&sentence, "the program is killed by signal %d (%s) before MPI_Init%s%s", WTERMSIG(status),
                       strsignal(WTERMSIG(status)), said, words)
            : asprintf(&sentence, "the program ends with exit status %d before it calls MPI_Init%s%s: is it an MPI program?",
                       WEXITSTATUS(status), said, words);
    free(words);
    launch->zygote = 0;
    *error = made < 0 ? NULL : sentence;
    return false;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool never_initialised(const struct executors_options *options, char **error) {
    char limit[32];
    snprintf(limit, sizeof limit, "%.3g s", options->start_seconds);
    return fail(error, "the program did not call MPI_Init within %s; is it an MPI program? --time sets another limit", limit);
}

/* A script's interpreter, nice, env …: what is checked, and what a witness is of, would not be what runs. */
static bool is_itself(const struct launch *launch, const struct executors_options *options, char **error) {
    char link[64], other[PATH_MAX] = "";
    struct stat given, running;
    snprintf(link, sizeof link, "/proc/%d/exe", (int)launch->zygote);
    if (stat(options->program, &given) != 0 || stat(link, &running) != 0 ||
        (given.st_dev == running.st_dev && given.st_ino == running.st_ino))
        return true;
    (void)!readlink(link, other, sizeof other - 1);
    return fail(error, "the program runs another one in its place, %s: give that one to explore", other);
}

static bool wait_for_init(struct launch *launch, const struct executors_options *options, char **error) {
    struct mailbox *mailbox = channel_mailbox(launch->channel, 0);
    double begin = seconds_now();
    while (!channel_wait(mailbox, 1, 20, SPIN_SHORT)) {
        int status;
        if (waitpid(launch->zygote, &status, WNOHANG) == launch->zygote)
            return ended_early(launch, status, error);
        if (options->interrupt && *options->interrupt)
            return fail(error, "%s", "interrupted before the program called MPI_Init");
        if (options->start_seconds > 0 && seconds_now() - begin > options->start_seconds)
            return never_initialised(options, error);
    }
    if (mailbox->status == STATUS_READY)
        return is_itself(launch, options, error);
    char text[sizeof mailbox->text];
    memcpy(text, mailbox->text, sizeof text);
    text[sizeof text - 1] = 0;
    return fail(error, "%s", text);
}

bool launch(struct launch *launch, const struct executors_options *options, char **error) {
    *launch = nothing;
    if (start(launch, options, error) && wait_for_init(launch, options, error))
        return true;
    if (!launch->lacks_mpi)
        return false;
    launch_stop(launch);
    free(*error);
    *error = NULL;
    launch->lacks_mpi = true;
    return start(launch, options, error) && wait_for_init(launch, options, error);
}

char *launch_output(const struct launch *launch, int stream, size_t *size) {
    struct stat information;
    int file = launch->output[stream - 1];
    *size = fstat(file, &information) == 0 ? (size_t)information.st_size : 0;
    char *text = memory_take(*size + 1);
    ssize_t got = *size ? pread(file, text, *size, 0) : 0;
    *size = got > 0 ? (size_t)got : 0;
    text[*size] = 0;
    return text;
}

void launch_stop(struct launch *launch) {
    if (launch->zygote > 0) {
        kill(launch->zygote, SIGKILL);
        waitpid(launch->zygote, NULL, 0);
    }
    for (int i = 0; i < 2; i++)
        if (launch->output[i] >= 0)
            close(launch->output[i]);
    if (launch->spill >= 0)
        close(launch->spill);
    if (launch->line >= 0)
        close(launch->line);
    if (launch->region >= 0)
        close(launch->region);
    if (launch->input >= 0)
        close(launch->input);
    if (launch->channel)
        munmap(launch->channel, launch->channel->bytes);
    *launch = nothing;
}
