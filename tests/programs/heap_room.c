/* What a call sends, or a collective brings, goes on behind the heap block that was allocated for it: too large a count, or one
 * for all where each was asked for. Nothing else than the neighbouring block would tell. `…_right`: the same with the count
 * that fits; a receive may have a larger count than what comes. `freed_…`: the block was freed before. */
/* explore: ranks=2 verdict=found class=invalid-argument args=send says=heap */
/* explore: ranks=2 verdict=race-free args=send_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=middle says=heap */
/* explore: ranks=2 verdict=found class=invalid-argument args=bcast says=heap */
/* explore: ranks=2 verdict=race-free args=bcast_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=alltoall says=heap */
/* explore: ranks=2 verdict=race-free args=alltoall_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=gather says=heap */
/* explore: ranks=2 verdict=race-free args=gather_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=gatherv says=heap */
/* explore: ranks=2 verdict=race-free args=gatherv_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=reduce says=heap */
/* explore: ranks=2 verdict=race-free args=reduce_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=receive says=heap */
/* explore: ranks=2 verdict=race-free args=receive_right */
/* explore: ranks=2 verdict=race-free args=larger_right */
/* explore: ranks=2 verdict=race-free args=apart_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=neighbours says=heap */
/* explore: ranks=2 verdict=race-free args=neighbours_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=ring says=heap */
/* explore: ranks=2 verdict=race-free args=ring_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=varying says=heap */
/* explore: ranks=2 verdict=race-free args=varying_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=freed_source says=freed */
/* explore: ranks=2 verdict=found class=invalid-argument args=freed_target says=freed */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 2, NUMBERS = 4096, EACH = NUMBERS / RANKS };

/* One message from two blocks: displacements lead from one to the other. */
static void send_from_both(int rank, int *first, int *second, int *room) {
    MPI_Aint at[2];
    MPI_Datatype both;
    MPI_Get_address(first, &at[0]);
    MPI_Get_address(second, &at[1]);
    const MPI_Aint from_first[2] = {0, at[1] - at[0]};
    MPI_Type_create_hindexed_block(2, 1, from_first, MPI_INT, &both);
    MPI_Type_commit(&both);
    if (rank == 0)
        MPI_Send(first, 1, both, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(room, 2 * NUMBERS, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&both);
}

static void send_from(int rank, const int *from, int count, int *room) {
    if (rank == 0)
        MPI_Send(from, count, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(room, 2 * NUMBERS, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Each is the other's only neighbour: in a ring on both sides, in a row on one. */
static void exchange_with_neighbour(const char *what, bool right, const int *given, int *taken) {
    int ranks = RANKS, closed = what[0] == 'r';
    MPI_Comm line;
    const int counts[2] = {NUMBERS, NUMBERS}, places[2] = {0, right ? 0 : 1};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &closed, 0, &line);
    if (what[0] == 'n')
        MPI_Neighbor_allgather(given, right ? EACH : NUMBERS, MPI_INT, taken, right ? EACH : NUMBERS, MPI_INT, line);
    else if (what[0] == 'r')
        MPI_Neighbor_alltoall(given, right ? EACH : NUMBERS, MPI_INT, taken, right ? EACH : NUMBERS, MPI_INT, line);
    else /* one of the two blocks is there */
        MPI_Neighbor_alltoallv(given, counts, places, MPI_INT, taken, counts, (int[]){0, 0}, MPI_INT, line);
    MPI_Comm_free(&line);
}

/* Where a block was, of which the volatile pointer keeps the compiler from knowing. */
static int *freed_place(void) {
    int *volatile place = malloc(NUMBERS * sizeof *place);
    free(place);
    return place;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *what = argc > 1 ? argv[1] : "";
    bool right = strstr(what, "right") != NULL;
    int *given = calloc(NUMBERS, sizeof *given), *taken = calloc(NUMBERS, sizeof *taken);
    static int room[2 * NUMBERS];
    int all = right ? EACH : NUMBERS, more = right ? NUMBERS : NUMBERS + 1;
    const int counts[RANKS] = {EACH, EACH}, places[RANKS] = {0, right ? EACH : EACH + 1};
    if (strncmp(what, "send", 4) == 0)
        send_from(rank, given, more, room);
    else if (strncmp(what, "middle", 6) == 0)
        send_from(rank, given + EACH, NUMBERS, room);
    else if (strncmp(what, "bcast", 5) == 0)
        MPI_Bcast(rank == 0 ? given : room, more, MPI_INT, 0, MPI_COMM_WORLD);
    else if (strncmp(what, "alltoall", 8) == 0)
        MPI_Alltoall(given, all, MPI_INT, taken, all, MPI_INT, MPI_COMM_WORLD);
    else if (strncmp(what, "gatherv", 7) == 0)
        MPI_Gatherv(given, EACH, MPI_INT, taken, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    else if (strncmp(what, "gather", 6) == 0)
        MPI_Gather(room, all, MPI_INT, taken, all, MPI_INT, 0, MPI_COMM_WORLD);
    else if (strncmp(what, "reduce", 6) == 0)
        MPI_Reduce(room, taken, more, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    else if (strncmp(what, "receive", 7) == 0)
        send_from(rank, room, more, taken);
    else if (strncmp(what, "larger", 6) == 0)
        send_from(rank, given, NUMBERS, taken);
    else if (what[0] == 'n' || strncmp(what, "ring", 4) == 0 || what[0] == 'v')
        exchange_with_neighbour(what, right, given, taken);
    else if (strcmp(what, "freed_source") == 0)
        send_from(rank, freed_place(), NUMBERS, room);
    else if (strcmp(what, "freed_target") == 0)
        send_from(rank, given, NUMBERS, freed_place());
    else
        send_from_both(rank, given, taken, room);
    free(given);
    free(taken);
    MPI_Finalize();
    return 0;
}
