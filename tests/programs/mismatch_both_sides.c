/* What a rank finds wrong with what another one brings to a collective without data, or about a communicator, is told with both
 * calls: rank 0's is in near_side, which finds it, all others' in far_side. Equal amounts, edges, groups and values of `high` are
 * asked for by MPI-3.1 sections 5.1, 7.5.4, 6.4.2 and 6.6.2. With `_right` both say the same.
 *
 *     gather     rank 0 gathers 4 integers of each, of which rank 1 gives none
 *     igather    the same, not blocking, with a wait of both in main
 *     exchange   MPI_Alltoallv: rank 0 expects an integer of rank 1
 *     edges      rank 1 names no edge to rank 0, which names one from it
 *     groups     rank 1 passes another group than rank 0 */
/* explore: ranks=2 verdict=found class=collective-mismatch says=far_side args=gather */
/* explore: ranks=2 verdict=race-free args=gather_right */
/* explore: ranks=2 verdict=found class=collective-mismatch says=far_side args=igather */
/* explore: ranks=2 verdict=race-free args=igather_right */
/* explore: ranks=2 verdict=found class=collective-mismatch says=far_side args=exchange */
/* explore: ranks=2 verdict=race-free args=exchange_right */
/* explore: ranks=2 verdict=found class=collective-mismatch says=far_side args=edges */
/* explore: ranks=2 verdict=race-free args=edges_right */
/* explore: ranks=2 verdict=found class=collective-mismatch says=far_side args=groups */
/* explore: ranks=2 verdict=race-free args=groups_right */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 4 };

static const char *what = "";
static bool right;
static int rank, given[EACH], taken[2 * EACH], counts[2] = {EACH, EACH}, places[2] = {0, EACH};
static MPI_Request request = MPI_REQUEST_NULL;
static MPI_Comm made = MPI_COMM_NULL;

static bool is(const char *wanted) { return strncmp(what, wanted, strlen(wanted)) == 0; }

static MPI_Group group_of(bool whole) {
    MPI_Group all, first;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (whole)
        return all;
    MPI_Group_incl(all, 1, &rank, &first);
    MPI_Group_free(&all);
    return first;
}

static __attribute__((noinline)) void near_side(void) {
    if (is("gather"))
        MPI_Gatherv(given, EACH, MPI_INT, taken, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    else if (is("igather"))
        MPI_Igatherv(given, EACH, MPI_INT, taken, counts, places, MPI_INT, 0, MPI_COMM_WORLD, &request);
    else if (is("exchange"))
        MPI_Alltoallv(given, (const int[]){0, 0}, places, MPI_INT, taken, (const int[]){0, 1}, places, MPI_INT, MPI_COMM_WORLD);
    else if (is("edges"))
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, (const int[]){1}, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &made);
    else if (is("groups")) {
        MPI_Group group = group_of(true);
        MPI_Comm_create(MPI_COMM_WORLD, group, &made);
        MPI_Group_free(&group);
    }
}

static __attribute__((noinline)) void far_side(void) {
    if (is("gather"))
        MPI_Gatherv(given, right ? EACH : 0, MPI_INT, NULL, NULL, NULL, MPI_INT, 0, MPI_COMM_WORLD);
    else if (is("igather"))
        MPI_Igatherv(given, right ? EACH : 0, MPI_INT, NULL, NULL, NULL, MPI_INT, 0, MPI_COMM_WORLD, &request);
    else if (is("exchange"))
        MPI_Alltoallv(given, (const int[]){right, 0}, places, MPI_INT, taken, (const int[]){0, 0}, places, MPI_INT,
                      MPI_COMM_WORLD);
    else if (is("edges"))
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, right, (const int[]){0}, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &made);
    else if (is("groups")) {
        MPI_Group group = group_of(right);
        MPI_Comm_create(MPI_COMM_WORLD, group, &made);
        MPI_Group_free(&group);
    }
}

int main(int argc, char **argv) {
    what = argc > 1 ? argv[1] : what;
    right = strstr(what, "_right") != NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        near_side();
    else
        far_side();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    MPI_Finalize();
    return 0;
}
