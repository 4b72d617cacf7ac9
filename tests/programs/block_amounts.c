/* Where members give each other blocks, each must be as long as it is taken to be (MPI-3.1 sections 5.5 to 5.8: "the amount of data
 * sent must be equal to the amount of data received, pairwise"), unlike a message, which may be shorter than its buffer. Rank 1
 * gives, or is told to take, one number less than the others have it; in its twin, `…_right`, none does. A root that
 * gathers in place gives nothing, which is right; so does one with no number and no room for any. The call that gives too little is
 * named, too: in `less` and `types` it is that of give_other(). */
/* explore: ranks=3 verdict=found class=collective-mismatch args=gatherv says=expected */
/* explore: ranks=3 verdict=found class=collective-mismatch args=less says=give_other */
/* explore: ranks=3 verdict=found class=type-mismatch args=types says=give_other */
/* explore: ranks=3 verdict=race-free args=gatherv_right */
/* explore: ranks=3 verdict=race-free args=gatherv_in_place */
/* explore: ranks=3 verdict=race-free args=gatherv_root_has_none */
/* explore: ranks=3 verdict=found class=collective-mismatch args=gatherv_root_gives_none says=expected */
/* explore: ranks=3 verdict=found class=collective-mismatch args=scatterv says=expected */
/* explore: ranks=3 verdict=race-free args=scatterv_right */
/* explore: ranks=3 verdict=found class=collective-mismatch args=allgatherv says=expected */
/* explore: ranks=3 verdict=race-free args=allgatherv_right */
/* explore: ranks=3 verdict=found class=collective-mismatch args=alltoallv says=expected */
/* explore: ranks=3 verdict=race-free args=alltoallv_right */
/* explore: ranks=3 verdict=found class=collective-mismatch args=allgather_total says=36 */
/* explore: ranks=3 verdict=found class=invalid-argument args=scatterv_nothing says=null */
/* explore: ranks=3 verdict=found class=collective-mismatch args=bcast says=12 */
/* explore: ranks=3 verdict=found class=collective-mismatch args=reduce says=counts */
/* explore: ranks=3 verdict=race-free args=reduce_right */
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

enum { EACH = 3, RANKS = 3 };

static int all[RANKS * EACH * RANKS];

/* To a root that expects EACH integers. */
__attribute__((noinline)) static void give_other(const int own[], int amount, MPI_Datatype type) {
    MPI_Gatherv(own, amount, type, NULL, NULL, NULL, MPI_INT, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int rank;
    int own[EACH] = {1, 2, 3}, given[RANKS * EACH] = {0};
    int counts[RANKS] = {EACH, EACH, EACH}, places[RANKS] = {0, EACH, 2 * EACH};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *what = argc > 1 ? argv[1] : "";
    bool right = strstr(what, "_") != NULL;
    int mine = rank == 1 && !right ? EACH - 1 : EACH;
    if (strcmp(what, "gatherv_in_place") == 0) {
        MPI_Gatherv(rank == 0 ? MPI_IN_PLACE : own, EACH, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (strncmp(what, "gatherv_root", strlen("gatherv_root")) == 0) {
        counts[0] = strstr(what, "has_none") ? 0 : EACH;
        MPI_Gatherv(own, rank == 0 ? 0 : EACH, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (rank == 1 && strcmp(what, "less") == 0) {
        give_other(own, EACH - 1, MPI_INT);
    } else if (rank == 1 && strcmp(what, "types") == 0) {
        give_other(own, EACH, MPI_FLOAT);
    } else if (strcmp(what, "less") == 0 || strcmp(what, "types") == 0) {
        MPI_Gatherv(own, EACH, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (strncmp(what, "gatherv", strlen("gatherv")) == 0) {
        MPI_Gatherv(own, mine, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (strcmp(what, "scatterv_nothing") == 0) { /* the counts were made by another rank than the root */
        MPI_Scatterv(all, rank == 1 ? counts : NULL, rank == 1 ? places : NULL, MPI_INT, given, mine, MPI_INT, 0,
                     MPI_COMM_WORLD);
    } else if (strncmp(what, "scatterv", strlen("scatterv")) == 0) {
        counts[1] = right ? EACH : EACH + 1;
        places[2] = EACH * 2 + 1;
        MPI_Scatterv(all, counts, places, MPI_INT, given, mine, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (strncmp(what, "allgatherv", strlen("allgatherv")) == 0) {
        MPI_Allgatherv(own, mine, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    } else if (strncmp(what, "alltoallv", strlen("alltoallv")) == 0) {
        const int sent[RANKS] = {mine, mine, mine};
        MPI_Alltoallv(given, sent, places, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    } else if (strcmp(what, "allgather_total") == 0) {
        MPI_Allgather(own, EACH, MPI_INT, all, RANKS * EACH, MPI_INT, MPI_COMM_WORLD);
    } else if (strcmp(what, "bcast") == 0) {
        MPI_Bcast(own, mine, MPI_INT, 0, MPI_COMM_WORLD);
    } else {
        counts[2] = mine;
        MPI_Reduce_scatter(given, all, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
