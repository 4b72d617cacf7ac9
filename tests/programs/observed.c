/* Rank 0 adds up what the others send, in the order of arrival, and prints nothing. Integers add up to the same; these
 * doubles do not (1e16 + 1 + 1 is 1e16 or 1e16 + 2), nor does the order of arrival, and the observation says so. */
/* explore: ranks=4 verdict=race-free args=integers */
/* explore: ranks=4 verdict=found class=race-output args=doubles says=total */
/* explore: ranks=4 verdict=found class=race-output args=sources says=sources */
#include "explore.h"

#include <string.h>

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double value = rank == 1 ? 1e16 : 1;
    if (rank != 0) {
        MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    } else {
        double total = 0;
        long long sum = 0;
        int source[3] = {0};
        for (int i = 1; i < ranks; i++) {
            MPI_Status status;
            MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            total += value;
            sum += (long long)value;
            source[i - 1] = status.MPI_SOURCE;
        }
        explore_observe_int("sum", sum);
        if (argc > 1 && strcmp(argv[1], "doubles") == 0)
            explore_observe_double("total", total);
        if (argc > 1 && strcmp(argv[1], "sources") == 0)
            explore_observe("sources", source, sizeof source);
    }
    MPI_Finalize();
    return 0;
}
