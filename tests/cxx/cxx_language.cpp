/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=found class=crash|abort|exit-status args=throw */
/* What C++ brings along: exceptions thrown and caught between MPI calls, containers, static objects with constructors before
 * MPI_Init and destructors after MPI_Finalize, the C++ bindings of MPI-2 if MPICH has them. An exception that nobody catches ends
 * the program. */
#include <iostream>
#include <map>
#include <memory>
#include <mpi.h>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

struct Farewell {
    std::string text = "constructed before main, with room on the heap";
    ~Farewell() { std::cout << text.size() << " letters\n"; }
};
static Farewell farewell;

static int checked(int value, int most) {
    if (value > most)
        throw std::runtime_error("too much");
    return value;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::map<std::string, int> by_name;
    std::unordered_map<int, std::unique_ptr<std::vector<int>>> by_number;
    for (int i = 0; i < 20; i++) {
        by_name["name " + std::to_string(i)] = i;
        by_number[i] = std::make_unique<std::vector<int>>(static_cast<size_t>(i), rank);
    }
    int caught = 0;
    try {
        MPI_Barrier(MPI_COMM_WORLD);
        checked(rank, 0);
    } catch (const std::runtime_error &error) {
        caught = 1;
        MPI_Barrier(MPI_COMM_SELF);
    }
    int total = 0;
    MPI_Allreduce(&caught, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (total != ranks - 1)
        return 2;
    if (argc > 1)
        checked(rank, 1);
#ifdef MPI_CXX_BINDINGS
    int sent = rank, received = -1;
    MPI::COMM_WORLD.Sendrecv(&sent, 1, MPI::INT, (rank + 1) % ranks, 3, &received, 1, MPI::INT, (rank + ranks - 1) % ranks, 3);
    if (received != (rank + ranks - 1) % ranks)
        return 3;
#endif
    std::vector<int> &list = *by_number[7];
    std::cout << std::accumulate(list.begin(), list.end(), by_name["name 3"]) << std::endl;
    MPI_Finalize();
}
