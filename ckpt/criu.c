#include "ckpt/criu.h"

#include "ckpt/criu_command.h"
#include "ckpt/criu_folder.h"
#include "ckpt/criu_room.h"
#include "ckpt/criu_sleep.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESS_FILE "explore-process" /* in an image's directory, written last: see struct image_process */

enum {
    DUMP_SECONDS = 120,                       /* CRIU's own limit, which some of what it waits for knows nothing of */
    DUMP_SECONDS_MOST = 3 * DUMP_SECONDS / 2, /* then it is ended */
};

struct criu {
    char *command;
    struct room_facts facts;
};

__attribute__((format(printf, 1, 2))) static char *sentence(const char *format, ...) {
    char *text;
    va_list list;
    va_start(list, format);
    int length = vasprintf(&text, format, list);
    va_end(list);
    assert(length >= 0);
    return text;
}

/* --- what an image's directory tells beside CRIU's own files --------------------------------------------------------------- */

/* As text, a line each:
 *
 *     350                   number of the process in its namespace
 *     4 socket:[1504554]    its descriptors with an end outside
 */
struct image_process {
    pid_t number;
    size_t outside_count;
    struct {
        int number;
        char link[32]; /* what CRIU knows it by */
    } outside[CRIU_INHERIT_MOST];
};

static bool process_write(const struct image_process *process, int directory) {
    int file = openat(directory, PROCESS_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
    if (!stream)
        return false;
    fprintf(stream, "%d\n", (int)process->number);
    for (size_t i = 0; i < process->outside_count; i++)
        fprintf(stream, "%d %s\n", process->outside[i].number, process->outside[i].link);
    return fclose(stream) == 0;
}

static bool process_read(struct image_process *process, int directory) {
    *process = (struct image_process){0};
    int file = openat(directory, PROCESS_FILE, O_RDONLY | O_CLOEXEC), number;
    FILE *stream = file >= 0 ? fdopen(file, "r") : NULL;
    if (!stream)
        return false;
    bool ok = fscanf(stream, "%d", &number) == 1;
    process->number = number;
    for (size_t i = 0; ok && i < CRIU_INHERIT_MOST; i++) {
        if (fscanf(stream, "%d %31s", &process->outside[i].number, process->outside[i].link) != 2)
            break;
        process->outside_count++;
    }
    fclose(stream);
    return ok;
}

/* The process's number in its own namespace: the last of the line NSpid. */
static pid_t inner_number(pid_t process) {
    char path[64], line[256];
    int number = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *status = fopen(path, "re");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "NSpid:", 6) == 0)
            number = atoi(strrchr(line, '\t') + 1);
    if (status)
        fclose(status);
    return number;
}

/* NULL, or what is wrong. */
static char *process_examine(struct image_process *found, pid_t process, const int *outside, size_t count) {
    *found = (struct image_process){.number = inner_number(process), .outside_count = count};
    if (found->number < 0)
        return sentence("process %d cannot be checkpointed: there is none", (int)process);
    assert(count <= CRIU_INHERIT_MOST);
    for (size_t i = 0; i < count; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)process, outside[i]);
        found->outside[i].number = outside[i];
        ssize_t length = readlink(path, found->outside[i].link, sizeof found->outside[i].link - 1);
        if (length <= 0)
            return sentence("process %d cannot be checkpointed: its descriptor %d is not open", (int)process, outside[i]);
    }
    return NULL;
}

/* --- dump ------------------------------------------------------------------------------------------------------------------ */

/* CRIU must be in the namespaces of the process: else it would take them for a part of what is to be checkpointed. */
static _Noreturn void dump_there(const struct criu_command *command, pid_t process) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid(); /* a terminal's Ctrl-C is for the explorer alone */
    int there = (int)syscall(SYS_pidfd_open, process, 0);
    if (there < 0 || setns(there, CLONE_NEWPID | CLONE_NEWNS) != 0) {
        command_note(command, "cannot enter the namespaces of the process");
        _exit(1);
    }
    alarm(DUMP_SECONDS_MOST);
    pid_t criu = fork(); /* only a child is in the new process id namespace */
    if (criu == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        command_execute(command);
    }
    int status;
    bool ok = criu > 0 && waitpid(criu, &status, 0) == criu && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    _exit(ok ? 0 : 1);
}

static bool dump_run(const struct criu_command *command, pid_t process) {
    pid_t helper = fork();
    if (helper == 0)
        dump_there(command, process);
    int status = -1;
    while (helper > 0 && waitpid(helper, &status, 0) < 0 && errno == EINTR)
        ;
    if (helper > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        errno = ETIMEDOUT;
        command_note(command, "criu dump");
    }
    return helper > 0 && status == 0;
}

/* What dump and restore have in common. */
static void add_common(struct criu_command *command, const char *verb, int directory) {
    command_add(command, "%s", verb);
    command_add(command, "--images-dir");
    command_add(command, "/proc/self/fd/%d", command_pass(command, directory));
    command_add(command, "--shell-job"); /* its session may be led by one that is not part of the image */
    command_add(command, "--manage-cgroups=ignore");
    command_add(command, "-v1");
}

char *criu_dump(const struct criu *criu, pid_t process, const char *directory, const int *outside, size_t outside_count) {
    struct image_process image;
    char *error = process_examine(&image, process, outside, outside_count);
    if (error)
        return error;
    mkdir(directory, 0700);
    int folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return sentence("cannot write a checkpoint to %s: %s", directory, strerror(errno));
    struct criu_command command;
    bool ok = command_begin(&command, criu->command);
    add_common(&command, "dump", folder);
    command_add(&command, "--leave-running");
    command_add(&command, "--timeout"); /* its own 10 s are not enough on a machine that has much else to do */
    command_add(&command, "%d", DUMP_SECONDS);
    command_add(&command, "--tree");
    command_add(&command, "%d", (int)image.number);
    for (size_t i = 0; i < outside_count; i++)
        if (strncmp(image.outside[i].link, "socket:", 7) == 0) {
            command_add(&command, "--external");
            command_add(&command, "unix%s", image.outside[i].link + 7);
        }
    if (!ok || !dump_run(&command, process))
        error = command_explain(&command, "CRIU cannot checkpoint the process");
    else if (!process_write(&image, folder))
        error = sentence("cannot write a checkpoint to %s: %s", directory, strerror(errno));
    command_end(&command);
    close(folder);
    return error;
}

/* --- restore --------------------------------------------------------------------------------------------------------------- */

static const char *outside_link(const struct image_process *image, int number) {
    for (size_t i = 0; i < image->outside_count; i++)
        if (image->outside[i].number == number)
            return image->outside[i].link;
    return NULL;
}

/* The keeper's only child. */
static pid_t child_of(pid_t keeper) {
    char path[64];
    int child = -1;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)keeper, (int)keeper);
    FILE *children = fopen(path, "re");
    if (children && fscanf(children, "%d", &child) != 1)
        child = -1;
    if (children)
        fclose(children);
    return child;
}

static char *restore(const struct criu *criu, const char *directory, int folder, const struct criu_inherit *inherit,
                     size_t count, struct criu_copy *copy) {
    struct image_process image;
    if (!process_read(&image, folder))
        return sentence("%s holds no complete checkpoint", directory);
    for (size_t i = 0; i < count; i++)
        if (!outside_link(&image, inherit[i].number))
            return sentence("the process in %s has no descriptor %d with an end outside", directory, inherit[i].number);
    assert(count <= CRIU_INHERIT_MOST);
    struct criu_command command;
    bool ok = command_begin(&command, criu->command);
    add_common(&command, "restore", folder);
    command_add(&command, "--restore-detached");
    command_add(&command, "--restore-sibling"); /* a child of the keeper: a parent-death signal must not come when CRIU ends */
    for (size_t i = 0; i < count; i++) {
        command_add(&command, "--inherit-fd");
        int number = command_pass(&command, inherit[i].here);
        command_add(&command, "fd[%d]:%s", number, outside_link(&image, inherit[i].number));
    }
    char *error = NULL;
    copy->room = ok ? room_open(&command, image.number, &criu->facts) : -1;
    if (copy->room < 0)
        error = command_explain(&command, "CRIU cannot restore the process");
    else
        copy->process = child_of(copy->room);
    command_end(&command);
    return error;
}

char *criu_restore(const struct criu *criu, const char *directory, const struct criu_inherit *inherit, size_t inherit_count,
                   struct criu_copy *copy) {
    *copy = (struct criu_copy){-1, -1};
    int folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return sentence("cannot read the checkpoint in %s: %s", directory, strerror(errno));
    char *error = restore(criu, directory, folder, inherit, inherit_count, copy);
    close(folder);
    return error;
}

void criu_end(const struct criu_copy *copy) { room_close(copy->room); }

/* --- the explorer's part of criu_sleep.h ----------------------------------------------------------------------------------- */

bool criu_asleep(int socket) {
    char byte;
    ssize_t received;
    do
        received = recv(socket, &byte, 1, 0);
    while (received < 0 && errno == EINTR);
    return received == 1;
}

bool criu_wake(int socket, int region_file, const void *message, size_t size) {
    struct iovec piece = {(void *)message, size};
    union criu_ancillary ancillary = {
        .header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))}};
    memcpy(CMSG_DATA(&ancillary.header), &region_file, sizeof region_file);
    struct msghdr header = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &ancillary, .msg_controllen = sizeof ancillary.bytes};
    return sendmsg(socket, &header, MSG_NOSIGNAL) == (ssize_t)size;
}

/* --- is there one that works? ---------------------------------------------------------------------------------------------- */

/* The path of an executable, malloc'd, or NULL. */
static char *look_beside(const char *folder, const char *relative) {
    char *path = sentence("%s/%s", folder, relative), *resolved = NULL;
    if (access(path, X_OK) == 0)
        resolved = realpath(path, NULL);
    free(path);
    return resolved;
}

static char *look_along(const char *folders) {
    char *copy = strdup(folders), *rest = copy, *found = NULL;
    assert(copy);
    for (char *folder; !found && (folder = strsep(&rest, ":"));)
        found = look_beside(folder, "criu");
    free(copy);
    return found;
}

static char *look(void) {
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    static const char *const beside[] = {"criu/criu", "../criu/criu", "../lib/explore/criu/criu"};
    char *found = NULL;
    for (size_t i = 0; !found && i < sizeof beside / sizeof *beside; i++)
        found = look_beside(self, beside[i]);
    if (!found && getenv("PATH"))
        found = look_along(getenv("PATH"));
    return found ? found : look_along("/usr/local/sbin:/usr/sbin:/sbin"); /* not in every user's PATH */
}

/* cat, between the ends of a socket. */
static pid_t start_echo(int socket, pid_t caller) {
    pid_t child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
    if (getppid() != caller || dup2(socket, 0) != 0 || dup2(socket, 1) != 1)
        _exit(127);
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 2);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    execlp("cat", "cat", NULL);
    _exit(127);
}

static bool echoes(int socket) {
    char byte = 'e';
    return send(socket, &byte, 1, MSG_NOSIGNAL) == 1 && recv(socket, &byte, 1, 0) == 1;
}

/* Kept for the rooms to come, which cannot share a file with this one. */
static void keep_facts(struct criu *criu, const struct criu_copy *copy) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/root/run/criu.kdat", (int)copy->room);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0)
        return;
    if (fstat(file, &status) == 0 && status.st_size > 0 && (criu->facts.bytes = malloc((size_t)status.st_size))) {
        criu->facts.size = (size_t)status.st_size;
        if (read(file, criu->facts.bytes, criu->facts.size) != status.st_size) {
            free(criu->facts.bytes);
            criu->facts.bytes = NULL;
        }
    }
    close(file);
}

static char *try_restore(struct criu *criu, const char *directory) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return sentence("cannot make a socket: %s", strerror(errno));
    struct criu_copy copy;
    char *error = criu_restore(criu, directory, &(struct criu_inherit){0, pair[1]}, 1, &copy);
    close(pair[1]);
    if (!error) {
        if (!echoes(pair[0]))
            error = sentence("CRIU does not work here: a restored process does not run");
        else if (criu->facts.cover_run)
            keep_facts(criu, &copy);
        criu_end(&copy);
    }
    close(pair[0]);
    return error;
}

static char *try_dump(const struct criu *criu, const char *directory) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return sentence("cannot make a socket: %s", strerror(errno));
    pid_t child = start_echo(pair[1], getpid());
    close(pair[1]);
    char *error = NULL;
    if (child < 0 || !echoes(pair[0]))
        error = sentence("cannot start a process to try CRIU with");
    else
        error = criu_dump(criu, child, directory, (const int[]){0}, 1);
    close(pair[0]);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    return error;
}

static char *try(struct criu *criu) {
    struct image_folder folder;
    char *error = image_folder_make(&folder, NULL);
    if (error)
        return error;
    if (!(error = try_dump(criu, folder.path)))
        error = try_restore(criu, folder.path);
    image_folder_remove(&folder);
    return error;
}

struct criu *criu_find(const char *command, char **error) {
    struct criu *criu = calloc(1, sizeof *criu);
    assert(criu);
    criu->command = command ? strdup(command) : look();
    struct statfs run;
    criu->facts.cover_run = statfs("/run", &run) == 0 && run.f_type != TMPFS_MAGIC;
    *error = NULL;
    if (!criu->command)
        *error = sentence("CRIU is not installed");
    else if (geteuid() != 0)
        *error = sentence("CRIU takes root here, to make namespaces and to look into processes");
    else
        *error = try(criu);
    if (!*error)
        return criu;
    criu_free(criu);
    return NULL;
}

void criu_free(struct criu *criu) {
    if (!criu)
        return;
    free(criu->command);
    free(criu->facts.bytes);
    free(criu);
}

const char *criu_command(const struct criu *criu) { return criu->command; }
