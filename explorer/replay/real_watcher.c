#include "explorer/replay/real_watcher.h"

#include "models/mpi/enforce/run_state.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 50, CANNOT = 127 };

static int open_pid(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

static struct run_state *map_state(const char *folder) {
    char path[PATH_MAX];
    struct stat status;
    snprintf(path, sizeof path, "%s/state", folder);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0 || (size_t)status.st_size < sizeof(struct run_state))
        return NULL;
    void *mapped = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return mapped == MAP_FAILED ? NULL : mapped;
}

/* mpiexec tells each process its rank; the names are those of the process managers of MPICH and its relatives. */
static int rank_of_process(void) {
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return atoi(getenv(names[i]));
    return -1;
}

static bool redirect(const char *folder, const char *name, int rank, int descriptor) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.%d", folder, name, rank);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return file >= 0 && dup2(file, descriptor) == descriptor;
}

static _Noreturn void become_program(const struct run_state *state, int rank, pid_t watcher, char **argv) {
    const char *folder = argv[2], *library = argv[3], *others = getenv("LD_PRELOAD");
    char preload[PATH_MAX * 2];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != watcher)
        _exit(CANNOT);
    if (state->keeps_output && (!redirect(folder, "out", rank, 1) || !redirect(folder, "err", rank, 2)))
        _exit(CANNOT);
    snprintf(preload, sizeof preload, "%s%s%s", library, others && *others ? ":" : "", others && *others ? others : "");
    if (setenv("LD_PRELOAD", preload, 1) != 0 || setenv(REAL_RUN_FOLDER, folder, 1) != 0)
        _exit(CANNOT);
    execvp(argv[4], &argv[4]);
    dprintf(2, "explore: cannot run %s\n", argv[4]);
    _exit(CANNOT);
}

/* Until the program has ended, or must. */
static int wait_for(const struct run_state *state, pid_t program) {
    struct pollfd ends[] = {{open_pid(program), POLLIN, 0}, {open_pid(state->explorer), POLLIN, 0}};
    int status;
    bool told = false;
    while (waitpid(program, &status, WNOHANG) == 0) {
        bool must = atomic_load(&state->stop) || ends[1].fd < 0 || (ends[1].revents & POLLIN);
        if (must && !told)
            kill(program, SIGKILL);
        told |= must;
        poll(ends, must ? 1 : 2, LOOK_MS);
    }
    return status;
}

int real_watcher(int argc, char **argv) {
    int rank = rank_of_process();
    struct run_state *state = argc > 4 ? map_state(argv[2]) : NULL;
    if (!state || state->version != RUN_STATE_VERSION || rank < 0 || (uint32_t)rank >= state->ranks)
        return CANNOT;
    struct rank_state *own = &state->rank[rank];
    pid_t watcher = getpid();
    own->watcher = (int32_t)watcher;
    pid_t program = fork();
    if (program == 0)
        become_program(state, rank, watcher, argv);
    if (program < 0)
        return CANNOT;
    own->child = (int32_t)program;
    int status = wait_for(state, program);
    /* What a debugger has left: the program ends with it. */
    if (own->pid && own->pid != own->child && atomic_load(&state->stop))
        kill(own->pid, SIGKILL);
    own->status = status;
    atomic_store(&own->ended, 1);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
