/* Random calls on a few files of the working directory, some of which are there already; what each call of a rank says goes into its
 * log-RANK.txt. Ranks take turns, with a barrier after each. Run under the explorer and without it, the logs must be equal: see
 * random_files.
 *
 *     random_files SEED CALLS
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {
    "a",       "b",         "d",    "d/x",    "d/y",   "d/sub",    "d/sub/z",    "link",         "link/",
    "dirlink", "dirlink/y", "m",    "m/x",    "m/n",   "m/n/q",    "./a",        "d/../b",       "a/b",
    "no/way",  "dangling",  "m/",   "../out", "d/./x", "loop",     "b/",         "dirlink/../a", ".",
    "..",      "d/.",       "m/..", "m/n/..", "only",  "closed/x", "closed/new", "closed"};
enum { NAMES = sizeof names / sizeof *names, SLOTS = 6, BYTES = 64, TURN = 20 };

static int slot[SLOTS] = {-1, -1, -1, -1, -1, -1}, folder = -1;
static unsigned long long state;
static char home[4096];
static FILE *record;

static unsigned below(unsigned most) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % most;
}

static void say(const char *what, const char *name, long result) {
    fprintf(record, "%s %s: %ld", what, name, result);
    if (result < 0)
        fprintf(record, " %s", strerrorname_np(errno));
    fputc('\n', record);
}

static void say_bytes(const char *bytes, long size) {
    for (long i = 0; i < size; i++)
        fputc(bytes[i] ? bytes[i] : '.', record);
    fputc('\n', record);
}

static void say_status(const struct stat *status) {
    fprintf(record, "mode %o", status->st_mode);
    if (S_ISREG(status->st_mode))
        fprintf(record, " size %ld links %ld", (long)status->st_size, (long)status->st_nlink);
    fputc('\n', record);
}

static int is_directory(const char *name) {
    struct stat status;
    return stat(name, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Only what the program has made itself may be renamed. */
static int may_be_renamed(const char *name) {
    struct stat status;
    if (lstat(name, &status) != 0)
        return 1;
    return S_ISREG(status.st_mode) || (S_ISDIR(status.st_mode) && folder < 0 && name[0] == 'm' && strncmp(home, "/in m", 5));
}

static void open_one(const char *name) {
    static const int more[] = {0,          O_CREAT,    O_CREAT | O_TRUNC, O_CREAT | O_EXCL, O_TRUNC, O_APPEND | O_CREAT,
                               O_NOFOLLOW, O_DIRECTORY};
    int *at = &slot[below(SLOTS)], flags = (int)below(3) | more[below(8)];
    if ((flags & O_TRUNC) && (flags & 3) == O_RDONLY)
        flags |= O_RDWR;
    if (*at >= 0)
        say("close", "", close(*at));
    int relative = folder >= 0 && below(3) == 0;
    *at = openat(relative ? folder : AT_FDCWD, name, flags, 0644);
    say(relative ? "openat" : "open", name, *at >= 0 ? 0 : -1);
    if (*at >= 0 && is_directory(name)) { /* offsets in directories are the file system's own */
        close(*at);
        *at = -1;
    }
}

static void on_descriptor(int descriptor) {
    char bytes[BYTES];
    long size = below(BYTES), at = below(100);
    struct stat status;
    memset(bytes, 'A' + (int)below(26), sizeof bytes);
    switch (below(10)) {
    case 0:
    case 1: say("write", "", write(descriptor, bytes, (size_t)size)); break;
    case 2:
        size = read(descriptor, bytes, (size_t)size);
        say("read", "", size);
        say_bytes(bytes, size);
        break;
    case 3: say("pwrite", "", pwrite(descriptor, bytes, (size_t)size, at)); break;
    case 4:
        size = pread(descriptor, bytes, (size_t)size, at);
        say("pread", "", size);
        say_bytes(bytes, size);
        break;
    case 5: say("lseek", "", lseek(descriptor, at - 30, (int)below(3))); break;
    case 6: say("ftruncate", "", ftruncate(descriptor, at)); break;
    case 7:
        say("fstat", "", fstat(descriptor, &status));
        if (descriptor >= 0)
            say_status(&status);
        break;
    case 8: {
        int *to = &slot[below(SLOTS)];
        int copy = dup(descriptor);
        say("dup", "", copy >= 0 ? 0 : -1);
        if (copy >= 0) {
            close(*to);
            *to = copy;
        }
        break;
    }
    default: say("fchmod", "", fchmod(descriptor, 0600 + below(64)));
    }
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void list(const char *name) {
    char *entry[64];
    int count = 0;
    DIR *directory = opendir(name);
    say("opendir", name, directory ? 0 : -1);
    if (!directory)
        return;
    for (struct dirent *next; (next = readdir(directory));)
        entry[count++] = strdup(next->d_name);
    closedir(directory);
    qsort(entry, (size_t)count, sizeof *entry, compare);
    for (int i = 0; i < count; free(entry[i++]))
        fprintf(record, " %s", entry[i]);
    fputc('\n', record);
}

static void where(void) {
    char path[4096];
    if (getcwd(path, sizeof path))
        fprintf(record, "in %s\n", strncmp(path, home, strlen(home)) ? "?" : path + strlen(home));
    else
        say("getcwd", "", -1);
}

static void on_name(const char *name) {
    struct stat status;
    char text[256];
    const char *other = names[below(NAMES)];
    long result;
    switch (below(13)) {
    case 0: say("unlink", name, unlink(name)); break;
    case 1: say("mkdir", name, mkdir(name, 0755)); break;
    case 2: say("rmdir", name, rmdir(name)); break;
    case 3:
    case 4:
        if (may_be_renamed(name)) {
            fprintf(record, "to %s ", other);
            say("rename", name, rename(name, other));
        }
        break;
    case 5:
    case 6:
        result = below(2) ? stat(name, &status) : lstat(name, &status);
        say("stat", name, result);
        if (result == 0)
            say_status(&status);
        break;
    case 7: say("access", name, access(name, (int)below(8))); break;
    case 8: say("truncate", name, truncate(name, below(90))); break;
    case 9: list(name); break;
    case 10:
        result = readlink(name, text, sizeof text);
        say("readlink", name, result);
        if (result > 0)
            say_bytes(text, result);
        break;
    case 11:
        if (!chdir(below(2) ? name : home))
            where();
        break;
    default:
        if (folder >= 0)
            close(folder);
        folder = open(name, O_RDONLY | O_DIRECTORY);
        say("folder", name, folder >= 0 ? 0 : -1);
    }
}

static void call_one(void) {
    const char *name = names[below(NAMES)];
    switch (below(4)) {
    case 0: open_one(name); break;
    case 1:
    case 2: on_descriptor(slot[below(SLOTS)]); break;
    default: on_name(name);
    }
}

/* What others may remove must not be open, nor the working directory. Now and then files are. */
static void leave(void) {
    bool closes = below(8) > 0;
    for (int i = 0; closes && i < SLOTS; i++) {
        if (slot[i] >= 0)
            close(slot[i]);
        slot[i] = -1;
    }
    if (folder >= 0)
        close(folder);
    folder = -1;
    if (chdir(home) != 0)
        say("chdir", home, -1);
    fflush(record);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc != 3 || !getcwd(home, sizeof home))
        return 2;
    int rank, ranks;
    char log[32];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15u + 1 + (unsigned)rank;
    umask(022);
    snprintf(log, sizeof log, "log-%d.txt", rank);
    record = fopen(log, "w");
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 0; turn < atoi(argv[2]) / TURN; turn++) {
        for (int call = 0; turn % ranks == rank && call < TURN; call++)
            call_one();
        if (turn % ranks == rank && ranks > 1)
            leave();
        if (turn + 1 < atoi(argv[2]) / TURN) /* the last turn ends with MPI_Finalize */
            MPI_Barrier(MPI_COMM_WORLD);
    }
    fclose(record);
    MPI_Finalize();
    return 0;
}
