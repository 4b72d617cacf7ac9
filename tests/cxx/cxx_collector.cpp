/* explore: ranks=4 verdict=race-free */
/* explore: ranks=3 verdict=found class=race-output args=list */
/* Rank 0 takes what the others send in any order: sorted, it is always the same; as it came, it is not. */
#include <algorithm>
#include <iostream>
#include <mpi.h>
#include <string>
#include <vector>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != 0) {
        std::string text = "from " + std::to_string(rank) + " with text that no small string has room for";
        MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    std::vector<std::string> came;
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Status status;
        int size;
        MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_CHAR, &size);
        std::string text(static_cast<size_t>(size), ' ');
        MPI_Recv(&text[0], size, MPI_CHAR, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        came.push_back(text);
    }
    if (argc == 1)
        std::sort(came.begin(), came.end());
    for (const std::string &text : came)
        std::cout << text << '\n';
    MPI_Finalize();
}
