/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=found class=race-output args=order */
/* std::random_device may ask the processor: the rank must get the same numbers each time it is executed. */
#include <iostream>
#include <mpi.h>
#include <random>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, first = 0, second = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    std::mt19937 numbers(std::random_device{}());
    std::uniform_int_distribution<> digit(0, 9);
    int drawn = digit(numbers);
    MPI_Barrier(MPI_COMM_WORLD);
    std::cout << "drawn: " << drawn << "\n";
    if (argc > 1) {
        MPI_Request request[2];
        if (rank == 0) {
            MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request[0]);
            MPI_Irecv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request[1]);
        }
        MPI_Request sent;
        int number = 2 + rank;
        MPI_Isend(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &sent);
        if (rank == 0)
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        std::cout << first << " " << second << std::endl;
    }
    MPI_Finalize();
    return 0;
}
