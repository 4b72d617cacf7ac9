/* What is wrong shows in code of the C++ library that is compiled into the program, inlined or as a function of its own. The
 * place is the line of the program that comes to it. */
/* explore: ranks=2 verdict=found class=crash says=(cxx_headers.cpp:25) args=inlined */
/* explore: ranks=2 verdict=found class=crash says=(cxx_headers.cpp:26) args=called */
/* explore: ranks=2 verdict=race-free args=fine */
#include <mpi.h>

#include <cstdio>
#include <string>
#include <vector>

using numbers = std::vector<int>;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const std::string how = argc > 1 ? argv[1] : "fine";
    numbers of(size), all(size);
    of[rank] = rank;
    MPI_Allreduce(of.data(), all.data(), size, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int &(numbers::*volatile get)(size_t) = &numbers::at;
    const size_t next = how == "fine" ? (rank + 1) % size : rank + 1;
    const int value = how == "called" ? 0 : all.at(next);
    const int again = (all.*get)(next);
    std::printf("%d %d %d\n", rank, value, again);
    MPI_Finalize();
}
