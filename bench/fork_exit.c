/* What a step would cost if each were a process: forks and reaps a child that changes PAGES pages and exits, after MPI_Init.
 * Prints the microseconds for one. The arguments: number of children, megabytes of memory, PAGES. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES_A_MEGABYTE = 256 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    int children = atoi(argv[1]);
    long pages = atol(argv[2]) * PAGES_A_MEGABYTE, changed = atol(argv[3]);
    MPI_Init(&argc, &argv);
    char *memory = malloc((size_t)pages * PAGE);
    memset(memory, 1, (size_t)pages * PAGE);
    double begin = seconds();
    for (int i = 0; i < children; i++) {
        pid_t child = fork();
        if (child == 0) {
            for (long k = 0; k < changed; k++)
                memory[k * (pages / changed) * PAGE] = 2;
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    printf("%.1f\n", (seconds() - begin) / children * 1e6);
    free(memory);
    MPI_Finalize();
    return 0;
}
