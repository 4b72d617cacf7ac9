/* A system call that nobody has said how to answer could reach outside the local state: it is refused. */
/* explore: ranks=2 verdict=cannot-run says=number */
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    syscall(SYS_setns, -1, 0);
    MPI_Finalize();
    return 0;
}
