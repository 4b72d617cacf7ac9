/* Rank 0 takes the messages of ranks 1 and 2 in either order, and after the first one goes through history A or B, chosen by who
 * sent it. It then forgets who it was and blocks in a receive from rank 3: that is where states are to meet.
 *
 *     histories --list           every pair and its relation, one a line
 *     histories PAIR HISTORIES   HISTORIES: which history follows rank 1's message and which follows rank 2's, of
 *                                a, b and n (nothing happens)
 */
#include "tests/memory/histories.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pair *const tables[] = {
    memory_pairs, library_pairs, mpi_pairs, process_pairs,
#ifdef WITH_CXX
    cxx_pairs,
#endif
};
enum { TABLES = sizeof tables / sizeof *tables };

static void list_pairs(void) {
    for (int table = 0; table < TABLES; table++)
        for (const struct pair *pair = tables[table]; pair->name; pair++)
            printf("%s %s\n", pair->name, pair->relation == SAME ? "same" : "different");
}

static const struct pair *find_pair(const char *name) {
    for (int table = 0; table < TABLES; table++)
        for (const struct pair *pair = tables[table]; pair->name; pair++)
            if (strcmp(pair->name, name) == 0)
                return pair;
    fprintf(stderr, "histories: no pair is called %s\n", name);
    exit(2);
}

static void go_through(const struct pair *pair, char which) {
    if (which == 'a')
        pair->a();
    if (which == 'b' && pair->b)
        pair->b();
}

/* A frame of its own, so that nothing of the source stays in main's. */
static __attribute__((noinline)) void receive_one(const struct pair *pair, const char *histories) {
    MPI_Status status;
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    go_through(pair, histories[status.MPI_SOURCE - 1]);
}

static void meet(void) { receive_one(find_pair("heap_nothing"), "nn"); }

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list_pairs();
        return 0;
    }
    if (argc != 3)
        return 2;
    const struct pair *pair = find_pair(argv[1]);
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        receive_one(pair, argv[2]);
        MPI_Recv(NULL, 0, MPI_INT, 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        meet();
    } else {
        MPI_Send(NULL, 0, MPI_INT, 0, rank == 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    _Exit(0); /* what the histories left behind must not speak at exit */
}
