/* Closes what /proc/self/fd says is open, as programs do before they start others: it tells of the rank's descriptors, and they are the
 * same however often a rank's step is run. */
/* explore: ranks=2 verdict=race-free mpiexec=no */
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int open_descriptors(void) {
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    if (!directory)
        return -1;
    for (struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(directory);
    closedir(directory);
    return count;
}

int main(int argc, char **argv) {
    int rank;
    char target[64], link[16];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int before = open_descriptors(), descriptor = open("/dev/null", O_RDONLY);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(target, sizeof target, "/proc/self/fd/%d", descriptor);
    if (before < 3 || open_descriptors() != before + 1 || readlink(target, link, sizeof link) != 9)
        return 1;
    int again = open("/dev/stdout", O_WRONLY);
    if (again < 0 || write(again, "output\n", 7) != 7)
        return 1;
    close(again);
    close(descriptor);
    MPI_Finalize();
    return open_descriptors() == before ? 0 : 1;
}
