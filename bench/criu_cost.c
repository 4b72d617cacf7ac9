/* What checkpoints of whole processes cost: dumps a process after MPI_Init, restores it, wakes the copy, dumps that, ends it.
 * Prints medians in microseconds (first dump, dump of a copy, restore, end) and the bytes of an image; or the reason why it cannot.
 * Arguments: how often, and an empty folder for the image. */
#include "ckpt/criu.h"
#include "ckpt/criu_sleep.h"

#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REGION ((void *)0x200000000000)
enum { REGION_BYTES = 1 << 16, MOST = 1000 };

static double microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *sample, int count) {
    qsort(sample, (size_t)count, sizeof *sample, compare);
    return sample[count / 2];
}

static void be_a_rank(int socket, int argc, char **argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i < 3; i++)
        dup2(open("/dev/null", O_RDWR), i);
    MPI_Init(&argc, &argv);
    mmap(REGION, REGION_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    char byte;
    while (criu_sleep(socket, REGION, REGION_BYTES, &byte, 1) == 1)
        ;
    _exit(0);
}

static _Noreturn void give_up(const char *why) {
    printf("%s\n", why);
    exit(1);
}

static double dump(const struct criu *criu, pid_t rank, int socket, const char *image) {
    double begin = microseconds();
    char *error = criu_dump(criu, rank, image, &socket, 1);
    if (error)
        give_up(error);
    return microseconds() - begin;
}

/* Until the copy has been woken and sleeps again. Our end of its socket goes to *line. */
static double restore(const struct criu *criu, const char *image, int socket, int region, struct criu_copy *copy, int *line) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        give_up("cannot make a socket");
    double begin = microseconds();
    char *error = criu_restore(criu, image, &(struct criu_inherit){socket, pair[1]}, 1, copy);
    if (error)
        give_up(error);
    close(pair[1]);
    if (!criu_wake(pair[0], region, "w", 1) || !criu_asleep(pair[0]))
        give_up("a restored process does not run");
    *line = pair[0];
    return microseconds() - begin;
}

static long long image_bytes(const char *image) {
    long long bytes = 0;
    DIR *listing = opendir(image);
    struct stat status;
    for (struct dirent *entry; listing && (entry = readdir(listing));)
        if (fstatat(dirfd(listing), entry->d_name, &status, 0) == 0 && S_ISREG(status.st_mode))
            bytes += status.st_size;
    closedir(listing);
    return bytes;
}

int main(int argc, char **argv) {
    if (argc < 3)
        give_up("usage: criu_cost COUNT FOLDER");
    int count = atoi(argv[1]) < MOST ? atoi(argv[1]) : MOST, pair[2];
    const char *image = argv[2];
    char *error;
    struct criu *criu = criu_find(getenv("CRIU"), &error);
    if (!criu)
        give_up(error);
    int region = memfd_create("region", MFD_CLOEXEC);
    if (region < 0 || ftruncate(region, REGION_BYTES) != 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0)
        give_up("cannot make a socket");
    pid_t rank = fork();
    if (rank == 0) {
        close(pair[0]);
        be_a_rank(pair[1], argc, argv);
    }
    close(pair[1]);
    if (!criu_asleep(pair[0]))
        give_up("MPI_Init does not work");
    static double first[MOST], dumped[MOST], restored[MOST], ended[MOST];
    for (int i = 0; i < count; i++)
        first[i] = dump(criu, rank, pair[1], image);
    for (int i = 0; i < count; i++) {
        struct criu_copy copy;
        int line;
        restored[i] = restore(criu, image, pair[1], region, &copy, &line);
        dumped[i] = dump(criu, copy.process, pair[1], image);
        double begin = microseconds();
        criu_end(&copy);
        ended[i] = microseconds() - begin;
        close(line);
    }
    printf("%.0f %.0f %.0f %.0f %lld\n", median(first, count), median(dumped, count), median(restored, count),
           median(ended, count), image_bytes(image));
    kill(rank, SIGKILL);
    waitpid(rank, NULL, 0);
    criu_free(criu);
    return 0;
}
