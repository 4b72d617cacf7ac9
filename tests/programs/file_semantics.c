/* What POSIX says of files, in one program: every expectation is from the standard or the Linux manual, so it must hold under the
 * explorer as under mpiexec. Each rank works in a directory of its own and leaves nothing behind. */
/* explore: ranks=2 verdict=race-free */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

#define CHECK(condition)                                                              \
    do                                                                                \
        if (!(condition)) {                                                           \
            fprintf(stderr, "line %d: %s (errno %d)\n", __LINE__, #condition, errno); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                             \
        }                                                                             \
    while (0)
#define FAILS(call, error) CHECK((errno = 0, (call) == -1) && errno == (error))

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static int holds(const char *name, const char *text) {
    char found[256] = "";
    int descriptor = open(name, O_RDONLY);
    CHECK(descriptor >= 0);
    ssize_t size = read(descriptor, found, sizeof found - 1);
    CHECK(close(descriptor) == 0);
    return size == (ssize_t)strlen(text) && memcmp(found, text, strlen(text)) == 0;
}

static int exists(const char *name) { return access(name, F_OK) == 0; }

static void opening(void) {
    struct stat status;
    FAILS(open("absent", O_RDONLY), ENOENT);
    FAILS(open("absent/file", O_WRONLY | O_CREAT, 0600), ENOENT);
    FAILS(open("", O_RDONLY), ENOENT);
    int descriptor = open("file", O_WRONLY | O_CREAT | O_EXCL, 0640);
    CHECK(descriptor >= 0 && write(descriptor, "abc", 3) == 3);
    FAILS(read(descriptor, &status, 1), EBADF);
    CHECK(close(descriptor) == 0);
    FAILS(close(descriptor), EBADF);
    FAILS(write(descriptor, "x", 1), EBADF);
    FAILS(open("file", O_WRONLY | O_CREAT | O_EXCL, 0600), EEXIST);
    FAILS(open("file/below", O_RDONLY), ENOTDIR);
    FAILS(open("file/", O_RDONLY), ENOTDIR);
    FAILS(open("file", O_RDONLY | O_DIRECTORY), ENOTDIR);
    FAILS(open(".", O_WRONLY), EISDIR);
    CHECK(stat("file", &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 3 && status.st_nlink == 1);
    CHECK((status.st_mode & 0777) == (0640 & 0755));
    descriptor = open("file", O_RDONLY);
    FAILS(write(descriptor, "x", 1), EBADF);
    FAILS(ftruncate(descriptor, 0), EINVAL);
    CHECK(fcntl(descriptor, F_GETFL) % 4 == O_RDONLY);
    close(descriptor);
    CHECK(holds("file", "abc"));
    descriptor = open("file", O_WRONLY | O_TRUNC);
    CHECK(descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_size == 0);
    close(descriptor);
    CHECK(unlink("file") == 0 && !exists("file"));
    FAILS(unlink("file"), ENOENT);
}

static void offsets(void) {
    int descriptor = open("file", O_RDWR | O_CREAT, 0600), second;
    char text[32] = "";
    CHECK(write(descriptor, "0123456789", 10) == 10 && lseek(descriptor, 0, SEEK_CUR) == 10);
    CHECK(lseek(descriptor, -3, SEEK_END) == 7 && read(descriptor, text, 10) == 3 && memcmp(text, "789", 3) == 0);
    CHECK(read(descriptor, text, 1) == 0);
    FAILS(lseek(descriptor, -11, SEEK_END), EINVAL);
    FAILS(lseek(descriptor, 0, 77), EINVAL);
    CHECK(pwrite(descriptor, "xy", 2, 4) == 2 && lseek(descriptor, 0, SEEK_CUR) == 10);
    CHECK(pread(descriptor, text, 4, 3) == 4 && memcmp(text, "3xy6", 4) == 0);
    CHECK(lseek(descriptor, 14, SEEK_SET) == 14 && write(descriptor, "!", 1) == 1);
    CHECK(pread(descriptor, text, 32, 8) == 7 && memcmp(text, "89\0\0\0\0!", 7) == 0);
    CHECK(ftruncate(descriptor, 2) == 0 && ftruncate(descriptor, 4) == 0);
    CHECK(pread(descriptor, text, 32, 0) == 4 && memcmp(text, "01\0\0", 4) == 0);
    CHECK(lseek(descriptor, 0, SEEK_CUR) == 15);
    CHECK(posix_fallocate(descriptor, 0, 6) == 0 && lseek(descriptor, 0, SEEK_END) == 6);
    /* A duplicate shares the offset, another open has its own. */
    second = dup(descriptor);
    CHECK(second >= 0 && lseek(second, 1, SEEK_SET) == 1 && lseek(descriptor, 0, SEEK_CUR) == 1);
    close(second);
    second = open("file", O_RDWR | O_APPEND);
    CHECK(lseek(second, 0, SEEK_CUR) == 0 && write(second, "end", 3) == 3 && lseek(second, 0, SEEK_CUR) == 9);
    CHECK(pread(descriptor, text, 3, 6) == 3 && memcmp(text, "end", 3) == 0);
    struct iovec piece[2] = {{"ab", 2}, {"cde", 3}}, target[2] = {{text, 3}, {text + 10, 8}};
    CHECK(writev(second, piece, 2) == 5 && lseek(descriptor, 9, SEEK_SET) == 9 && readv(descriptor, target, 2) == 5);
    CHECK(memcmp(text, "abc", 3) == 0 && memcmp(text + 10, "de", 2) == 0);
    CHECK(fsync(second) == 0 && fdatasync(second) == 0 && flock(second, LOCK_EX) == 0);
    close(second);
    close(descriptor);
    CHECK(truncate("file", 3) == 0);
    struct stat status;
    CHECK(stat("file", &status) == 0 && status.st_size == 3);
    FAILS(truncate("absent", 0), ENOENT);
    FAILS(truncate(".", 0), EISDIR);
    CHECK(unlink("file") == 0);
}

static void descriptors(void) {
    int first = open("file", O_RDWR | O_CREAT, 0600), copy = fcntl(first, F_DUPFD, 500);
    CHECK(copy == 500 && fcntl(copy, F_GETFD) == 0 && fcntl(copy, F_SETFD, FD_CLOEXEC) == 0);
    CHECK(fcntl(copy, F_GETFD) == FD_CLOEXEC && fcntl(first, F_GETFD) == 0);
    CHECK(dup2(first, 501) == 501 && dup2(501, 501) == 501 && close(500) == 0);
    FAILS(dup2(500, 501), EBADF);
    FAILS(dup3(first, first, 0), EINVAL);
    FAILS(dup2(first, -1), EBADF);
    CHECK(write(501, "x", 1) == 1 && close(501) == 0);
    /* The lowest free descriptor is taken. */
    close(first);
    CHECK(open("file", O_RDONLY) == first && holds("file", "x"));
    CHECK(dup(first) > first && !isatty(first) && errno == ENOTTY);
    for (int descriptor = first; descriptor < 64; descriptor++)
        close(descriptor);
    unlink("file");
}

static void names(void) {
    write_text("a", "A");
    write_text("b", "B");
    CHECK(rename("a", "b") == 0 && !exists("a") && holds("b", "A"));
    FAILS(rename("a", "c"), ENOENT);
    CHECK(rename("b", "b") == 0);
    /* A file outlives its name. */
    int descriptor = open("b", O_RDWR);
    struct stat status;
    CHECK(unlink("b") == 0 && write(descriptor, "lives", 5) == 5 && fstat(descriptor, &status) == 0);
    CHECK(status.st_nlink == 0 && status.st_size == 5 && !exists("b"));
    write_text("b", "new");
    CHECK(pwrite(descriptor, "L", 1, 0) == 1 && holds("b", "new"));
    close(descriptor);
    /* It moves with its open descriptors. */
    descriptor = open("b", O_RDWR);
    CHECK(rename("b", "c") == 0 && write(descriptor, "N", 1) == 1 && holds("c", "New"));
    close(descriptor);
    CHECK(chmod("c", 0600) == 0 && stat("c", &status) == 0 && (status.st_mode & 07777) == 0600);
    struct utimbuf times = {1000, 2000};
    CHECK(utime("c", &times) == 0 && stat("c", &status) == 0 && status.st_mtime == 2000);
    CHECK(unlink("c") == 0);
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* What is in a directory, sorted, without "." and "..". */
static const char *listing(const char *name) {
    static char text[512];
    char *list[16];
    int count = 0;
    DIR *directory = opendir(name);
    CHECK(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            list[count++] = strdup(entry->d_name);
    CHECK(closedir(directory) == 0);
    qsort(list, (size_t)count, sizeof *list, compare);
    text[0] = 0;
    for (int i = 0; i < count; i++) {
        strcat(strcat(text, list[i]), " ");
        free(list[i]);
    }
    return text;
}

static void directories(void) {
    char path[4096], before[4096];
    CHECK(mkdir("d", 0700) == 0);
    FAILS(mkdir("d", 0700), EEXIST);
    FAILS(mkdir("absent/d", 0700), ENOENT);
    FAILS(rmdir("absent"), ENOENT);
    write_text("d/one", "1");
    write_text("d/two", "2");
    CHECK(mkdir("d/sub", 0700) == 0);
    CHECK(strcmp(listing("d"), "one sub two ") == 0 && strcmp(listing("."), "d ") == 0);
    FAILS(rmdir("d"), ENOTEMPTY);
    FAILS(rmdir("d/one"), ENOTDIR);
    FAILS(unlink("d/one/"), ENOTDIR);
    FAILS(rename("d", "d/sub/d"), EINVAL);
    FAILS(rename("d/one", "d/sub"), EISDIR);
    FAILS(rename("d/sub", "d/one"), ENOTDIR);
    CHECK(unlink("d/one") == 0 && strcmp(listing("d"), "sub two ") == 0);
    int directory = open("d", O_RDONLY | O_DIRECTORY), file = openat(directory, "three", O_WRONLY | O_CREAT, 0600);
    CHECK(directory >= 0 && file >= 0 && write(file, "3", 1) == 1);
    FAILS(read(directory, path, 1), EISDIR);
    CHECK(unlinkat(directory, "two", 0) == 0 && faccessat(directory, "three", R_OK, 0) == 0);
    CHECK(getcwd(before, sizeof before) && fchdir(directory) == 0 && holds("three", "3") && holds("../d/./three", "3"));
    CHECK(getcwd(path, sizeof path) && strncmp(path, before, strlen(before)) == 0 && strcmp(path + strlen(before), "/d") == 0);
    CHECK(chdir("..") == 0 && close(file) == 0 && close(directory) == 0);
    FAILS(chdir("d/three"), ENOTDIR);
    CHECK(rename("d", "e") == 0 && !exists("d") && holds("e/three", "3") && strcmp(listing("e"), "sub three ") == 0);
    CHECK(rmdir("e/sub") == 0 && unlink("e/three") == 0 && strcmp(listing("e"), "") == 0 && rmdir("e") == 0);
    CHECK(strcmp(listing("."), "") == 0);
}

static void nameless_files(void) {
    char name[] = "temporary.XXXXXX", text[8] = "";
    int descriptor = mkstemp(name);
    CHECK(descriptor >= 0 && exists(name) && write(descriptor, "x", 1) == 1 && close(descriptor) == 0);
    CHECK(holds(name, "x") && unlink(name) == 0);
    FILE *file = tmpfile();
    CHECK(file && fputs("hello", file) >= 0 && fseek(file, 1, SEEK_SET) == 0 && fgets(text, 4, file));
    CHECK(strcmp(text, "ell") == 0 && fclose(file) == 0);
}

static void mappings(void) {
    write_text("file", "mapped");
    int descriptor = open("file", O_RDWR);
    char *copy = mmap(NULL, 6, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    CHECK(copy != MAP_FAILED && memcmp(copy, "mapped", 6) == 0);
    copy[0] = 'M';
    CHECK(holds("file", "mapped") && munmap(copy, 6) == 0);
    CHECK(close(descriptor) == 0 && unlink("file") == 0);
}

static void devices(void) {
    char bytes[16];
    struct stat status;
    int null = open("/dev/null", O_RDWR), zero = open("/dev/zero", O_RDONLY), chance = open("/dev/urandom", O_RDONLY);
    CHECK(write(null, "x", 1) == 1 && read(null, bytes, 1) == 0 && fstat(null, &status) == 0 && S_ISCHR(status.st_mode));
    memset(bytes, 1, sizeof bytes);
    CHECK(read(zero, bytes, 16) == 16 && bytes[15] == 0 && read(chance, bytes, 16) == 16);
    CHECK(close(null) == 0 && close(zero) == 0 && close(chance) == 0);
    FAILS(lseek(1, 0, SEEK_CUR), ESPIPE);
}

static void (*const parts[])(void) = {opening, offsets, descriptors, names, directories, nameless_files, mappings, devices};

int main(int argc, char **argv) {
    char folder[] = "/tmp/file_semantics.XXXXXX";
    int rank;
    umask(022);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        parts[i]();
        MPI_Barrier(MPI_COMM_WORLD); /* the files' state is kept and restored here */
    }
    CHECK(chdir("/") == 0 && rmdir(folder) == 0);
    MPI_Finalize();
    return 0;
}
