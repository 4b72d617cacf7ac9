// What is said of a C++ program uses its own names, not the linker's: with namespaces, classes and what templates stand for.
/* explore: ranks=3 verdict=found class=race-output says=app::Exchange<int>::collect args=member */
/* explore: ranks=3 verdict=found class=race-output says=app::collect_all<long args=function */
/* explore: ranks=3 verdict=found class=race-output says=namespace)::collect_hidden args=hidden */
/* explore: ranks=3 verdict=found class=crash says=app::Exchange<int>::fail args=crash */
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <vector>

static void collect_one(long *value) {
    MPI_Recv(value, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::printf("%ld\n", *value);
}

namespace app {

template <class T> struct Exchange {
    std::vector<T> values;
    void collect();
    void fail();
};

template <class T> __attribute__((noinline)) void Exchange<T>::collect() {
    for (T &value : values) {
        long got;
        MPI_Recv(&got, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        value = static_cast<T>(got);
        std::printf("%ld\n", got);
    }
}

template <class T> __attribute__((noinline)) void Exchange<T>::fail() { *reinterpret_cast<volatile T *>(8) = values[0]; }

template <class T> __attribute__((noinline)) void collect_all(T *first) {
    for (int i = 0; i < 2; i++) {
        MPI_Recv(first + i, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        std::printf("%ld\n", static_cast<long>(first[i]));
    }
}

} // namespace app

namespace {

__attribute__((noinline)) void collect_hidden() {
    long value[2];
    MPI_Recv(&value[0], 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::printf("%ld\n", value[0]);
    collect_one(&value[1]);
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "member";
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    app::Exchange<int> exchange{std::vector<int>(2)};
    long number = rank, numbers[2];
    if (rank > 0)
        MPI_Send(&number, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
    else if (std::strcmp(what, "function") == 0)
        app::collect_all(numbers);
    else if (std::strcmp(what, "hidden") == 0)
        collect_hidden();
    else if (std::strcmp(what, "crash") == 0)
        exchange.fail();
    else
        exchange.collect();
    MPI_Finalize();
}
