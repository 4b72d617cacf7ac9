/* Rank 0 keeps a log of who came when, which nothing depends on. Told to ignore it, explore sees one state for each set of ranks that
 * have come: 2^7 of them, where the log makes one of each order (7! = 5040 at the end), and a budget that fits
 * the first. What it counts, and prints, is not ignored. */
/* explore: ranks=8 verdict=race-free states=2000 args=ignore */
/* explore: ranks=8 verdict=undecided states=2000 args=heed */
#include "explore.h"

#include <stdio.h>
#include <string.h>

static int log_of_sources[64];

int main(int argc, char **argv) {
    int rank, ranks, count = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    explore_ignore(log_of_sources, sizeof log_of_sources);
    if (argc > 1 && strcmp(argv[1], "heed") == 0)
        explore_heed(log_of_sources);
    if (rank != 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        for (int i = 1; i < ranks; i++) {
            MPI_Recv(&log_of_sources[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            count++;
        }
        printf("%d messages\n", count);
    }
    MPI_Finalize();
    return 0;
}
