/* Waits by the processor's cycle counter for what in reality takes half a minute, and prints it: it must be the same each time,
 * whichever message comes first and wherever the step is executed. */
/* explore: ranks=3 verdict=race-free needs=closed-cycles time=20s step-time=5s mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <x86intrin.h>

int main(int argc, char **argv) {
    int rank;
    unsigned processor;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++) {
        if (rank == 0) {
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (unsigned long long begin = __rdtsc(); __rdtsc() < begin + 100000000000u;)
                ;
            printf("%llu\n", (unsigned long long)(__rdtsc() + __rdtscp(&processor)));
            printf("%u\n", processor);
        } else {
            MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        for (int i = 0; i < 2; i++)
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
