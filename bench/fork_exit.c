/* What a step would cost if each were a process: forks and reaps a child that changes 40 KB and exits, after MPI_Init. Prints
 * the microseconds for one. The argument is the number of children. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 40 * 1024 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    int children = argc > 1 ? atoi(argv[1]) : 200;
    MPI_Init(&argc, &argv);
    char *memory = calloc(BYTES, 1);
    double begin = seconds();
    for (int i = 0; i < children; i++) {
        pid_t child = fork();
        if (child == 0) {
            memset(memory, i, BYTES);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    printf("%.1f\n", (seconds() - begin) / children * 1e6);
    free(memory);
    MPI_Finalize();
    return 0;
}
