#include "ckpt/criu_room.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 };

/* --- the keeper: process 1 of the room, a fork of the explorer that makes system calls only ------------------------------- */

static bool write_file(const char *path, const void *bytes, size_t size) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool written = file >= 0 && write(file, bytes, size) == (ssize_t)size;
    if (file >= 0)
        close(file);
    return written;
}

/* Numbers for CRIU and its helpers far from those of the process and its threads, which must be free. */
static bool keep_numbers_free(pid_t process) {
    const char *last = process < 10000 ? "20000" : "1000";
    return write_file("/proc/sys/kernel/ns_last_pid", last, strlen(last));
}

static bool furnish(const struct criu_command *restore, pid_t process, const struct room_facts *facts) {
    const char *failed = NULL;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        failed = "cannot make mounts private";
    else if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        failed = "cannot mount /proc";
    else if (facts->cover_run && mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") != 0)
        failed = "cannot mount a tmpfs on /run";
    else if (facts->cover_run && facts->bytes && !write_file("/run/criu.kdat", facts->bytes, facts->size))
        failed = "cannot write /run/criu.kdat";
    else if (!keep_numbers_free(process))
        failed = "cannot choose process numbers";
    if (failed)
        command_note(restore, failed);
    return !failed;
}

static bool run_command(const struct criu_command *restore) {
    pid_t child = fork();
    if (child == 0)
        command_execute(restore);
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Ends as the process ends; whatever else is in the room goes with it. */
static _Noreturn void keep(pid_t process) {
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, 0)) != process;)
        if (ended < 0 && errno != EINTR)
            _exit(127);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static _Noreturn void keeper_run(const struct criu_command *restore, pid_t process, const struct room_facts *facts, int line) {
    /* If the explorer ended before this, its end of the line is closed; if it ends later, the kernel kills us. */
    char byte;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (read(line, &byte, 1) != 1)
        _exit(127);
    for (int signal = 1; signal < NSIG; signal++)
        (void)!sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    setsid(); /* a terminal's Ctrl-C is for the explorer alone */
    if (!furnish(restore, process, facts) || !run_command(restore) || write(line, &byte, 1) != 1)
        _exit(127);
    syscall(SYS_close_range, 0u, ~0u, 0u);
    keep(process);
}

/* --- the explorer's side ------------------------------------------------------------------------------------------------- */

static bool furnished(int line) {
    struct pollfd answer = {.fd = line, .events = POLLIN};
    char byte = 0;
    int ready;
    if (send(line, &byte, 1, MSG_NOSIGNAL) != 1)
        return false;
    do
        ready = poll(&answer, 1, PATIENCE_MS);
    while (ready < 0 && errno == EINTR);
    return ready == 1 && read(line, &byte, 1) == 1;
}

pid_t room_open(const struct criu_command *restore, pid_t process, const struct room_facts *facts) {
    int line[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) != 0) {
        command_note(restore, "cannot make a socket");
        return -1;
    }
    pid_t keeper = (pid_t)syscall(SYS_clone, SIGCHLD | CLONE_NEWPID | CLONE_NEWNS, 0, 0, 0, 0);
    if (keeper == 0) {
        close(line[0]);
        keeper_run(restore, process, facts, line[1]);
    }
    if (keeper < 0)
        command_note(restore, "cannot make a process id namespace");
    close(line[1]);
    bool ok = keeper > 0 && furnished(line[0]);
    close(line[0]);
    if (ok)
        return keeper;
    if (keeper > 0)
        room_close(keeper);
    return -1;
}

void room_close(pid_t keeper) {
    kill(keeper, SIGKILL);
    while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
        ;
}
