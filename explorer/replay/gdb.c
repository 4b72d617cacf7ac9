#include "explorer/replay/gdb.h"

#include "explorer/containers/memory.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_GDB = 127, CANNOT_RUN = 3 };

static _Noreturn void become_gdb(pid_t process, char *const *words) {
    char number[16];
    size_t count = 0;
    while (words && words[count])
        count++;
    char **line = memory_take_zeroed((count + 5) * sizeof *line), **at = line;
    snprintf(number, sizeof number, "%d", (int)process);
    *at++ = "gdb";
    *at++ = "-q";
    *at++ = "-p";
    *at++ = number;
    for (size_t i = 0; i < count; i++)
        *at++ = words[i];
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    execvp(line[0], line);
    _exit(NO_GDB);
}

int gdb_attach(pid_t process, char *const *words) {
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
    int status = NO_GDB << 8;
    sigaction(SIGINT, &ignored, &before);
    pid_t gdb = fork();
    if (gdb == 0)
        become_gdb(process, words);
    if (gdb > 0)
        while (waitpid(gdb, &status, 0) < 0)
            ;
    sigaction(SIGINT, &before, NULL);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != NO_GDB)
        return WIFEXITED(status) ? WEXITSTATUS(status) : CANNOT_RUN;
    fputs("explore: gdb cannot be started: is it installed?\n", stderr);
    return CANNOT_RUN;
}
