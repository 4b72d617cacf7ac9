/* Starts a process: refused, as its effects cannot be taken back. */
/* explore: ranks=2 verdict=cannot-run */
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    MPI_Finalize();
    return 0;
}
