/* A message that ends within the last element of the receive's type: only what it holds is written, and the memory that the type
 * would cover beyond need not be there (MPI-3.1 3.2.4: the message may be shorter than the buffer). */
/* explore: ranks=2 verdict=race-free */
#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, numbers[4] = {1, 2, 3, 4};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(numbers, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Datatype far; /* 3 numbers, 1 far behind, 1 farther still */
        MPI_Type_indexed(3, (int[]){3, 1, 1}, (int[]){0, 5, 1 << 20}, MPI_INT, &far);
        MPI_Type_commit(&far);
        int place[7] = {-1, -1, -1, -1, -1, -1, -1};
        MPI_Status status;
        MPI_Recv(place, 1, far, 0, 0, MPI_COMM_WORLD, &status);
        assert(place[0] == 1 && place[1] == 2 && place[2] == 3 && place[5] == 4);
        assert(place[3] == -1 && place[4] == -1 && place[6] == -1);
        int elements, count;
        MPI_Get_elements(&status, far, &elements);
        MPI_Get_count(&status, far, &count);
        assert(elements == 4 && count == MPI_UNDEFINED);
        MPI_Type_free(&far);
    }
    MPI_Finalize();
    return 0;
}
