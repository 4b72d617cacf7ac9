#include "ckpt/criu_command.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OUT_OF_THE_WAY = 200, LOG_MOST = 1 << 16 };

bool command_begin(struct criu_command *command, const char *program) {
    *command = (struct criu_command){.log = memfd_create("criu-log", MFD_CLOEXEC)};
    command_add(command, "%s", program);
    return command->log >= 0;
}

void command_end(struct criu_command *command) {
    for (size_t i = 0; i < command->arguments; i++)
        free(command->argument[i]);
    if (command->log >= 0)
        close(command->log);
}

void command_add(struct criu_command *command, const char *format, ...) {
    assert(command->arguments < COMMAND_ARGUMENTS);
    va_list list;
    va_start(list, format);
    int length = vasprintf(&command->argument[command->arguments], format, list);
    va_end(list);
    assert(length >= 0);
    command->arguments++;
}

int command_pass(struct criu_command *command, int descriptor) {
    assert(command->passed_count < COMMAND_PASSED);
    command->passed[command->passed_count] = descriptor;
    return COMMAND_FIRST_PASSED + (int)command->passed_count++;
}

/* First all up, then down to their numbers: so none takes the place of another. */
static bool place_descriptors(const struct criu_command *command) {
    int source[COMMAND_PASSED], input = open("/dev/null", O_RDONLY);
    for (size_t i = 0; i < command->passed_count; i++)
        source[i] = fcntl(command->passed[i], F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
    if (dup2(input, 0) != 0 || dup2(command->log, 1) != 1 || dup2(command->log, 2) != 2)
        return false;
    syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
    for (size_t i = 0; i < command->passed_count; i++)
        if (dup2(source[i], COMMAND_FIRST_PASSED + (int)i) < 0)
            return false;
    return true;
}

void command_execute(const struct criu_command *command) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (!place_descriptors(command))
        command_note(command, "cannot pass descriptors on");
    else
        execvp(command->argument[0], command->argument);
    command_note(command, command->argument[0]);
    _exit(127);
}

void command_note(const struct criu_command *command, const char *what) {
    dprintf(command->log, "Error (explore): %s: %s\n", what, strerror(errno));
}

/* CRIU's complaint that it may not raise its own limit of open files precedes many a success. */
static bool is_error(const char *line) { return strstr(line, "Error") && !strstr(line, "RLIMIT_NOFILE"); }

char *command_explain(const struct criu_command *command, const char *what) {
    char *log = calloc(LOG_MOST + 1, 1), *sentence;
    assert(log);
    if (pread(command->log, log, LOG_MOST, 0) < 0)
        *log = 0;
    const char *reason = *log ? log : "it said nothing";
    char *next = log;
    for (char *line; (line = strsep(&next, "\n"));)
        if (is_error(line)) {
            const char *place = strstr(line, "): ");
            reason = place ? place + 3 : line;
            break;
        }
    int length = asprintf(&sentence, "%s: %s", what, reason);
    assert(length >= 0);
    free(log);
    return sentence;
}
