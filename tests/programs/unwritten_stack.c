/* What a function leaves unset on the stack is garbage of MPI_Init, and not to be relied on; but it is the same in whichever
 * executor a rank runs, so that no rank seems to be nondeterministic. */
/* explore: ranks=3 verdict=race-free */
#include <mpi.h>
#include <string.h>

enum { BYTES = 200000 };

/* Where later calls will have their locals: nothing here is written. */
__attribute__((noinline)) static unsigned sum_of_garbage(void) {
    unsigned char garbage[BYTES];
    unsigned sum = 0;
    __asm__ volatile("" : : "r"(garbage) : "memory");
    for (int i = 0; i < BYTES; i++)
        sum = sum * 31 + garbage[i];
    return sum;
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    volatile unsigned sum = sum_of_garbage();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 20; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    (void)sum;
    MPI_Finalize();
    return 0;
}
