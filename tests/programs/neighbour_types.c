/* A block of a neighbourhood all-to-all must have the types that it is received with, as in all other collectives (MPI-3.1 section
 * 7.6.2). In a ring each process gives its two neighbours a double and two ints, blocking and not; the argument says in which call
 * rank 1 takes something else that is as long: `equal`, `counts`, `types`, `later` (nonblocking), or `none`. */
/* explore: ranks=3 verdict=race-free args=none */
/* explore: ranks=2 verdict=race-free args=none */
/* explore: ranks=3 verdict=found class=type-mismatch args=equal says=MPI_FLOAT */
/* explore: ranks=3 verdict=found class=type-mismatch args=counts says=MPI_FLOAT */
/* explore: ranks=3 verdict=found class=type-mismatch args=types says=MPI_DOUBLE */
/* explore: ranks=3 verdict=found class=type-mismatch args=later says=MPI_DOUBLE */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, size, given[4] = {1, 2, 3, 4}, taken[4], ones[2] = {1, 1}, places[2] = {0, 1};
    double numbers[2] = {1, 2}, more[2];
    MPI_Aint offsets[2] = {0, sizeof(double)};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, ones, 0, &ring);
    const char *wrong = rank == 1 ? argv[1] : "none";
    MPI_Datatype type = strcmp(wrong, "equal") == 0 ? MPI_FLOAT : MPI_INT;
    MPI_Neighbor_alltoall(given, 1, MPI_INT, taken, 1, type, ring);
    type = strcmp(wrong, "counts") == 0 ? MPI_FLOAT : MPI_INT;
    MPI_Neighbor_alltoallv(given, ones, places, MPI_INT, taken, ones, places, type, ring);

    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Datatype send_types[2] = {MPI_DOUBLE, MPI_DOUBLE}, types[2] = {MPI_DOUBLE, MPI_DOUBLE};
    if (strcmp(wrong, "types") == 0)
        types[1] = pair;
    MPI_Neighbor_alltoallw(numbers, ones, offsets, send_types, more, ones, offsets, types, ring);
    if (strcmp(wrong, "later") == 0)
        types[0] = pair;
    MPI_Request request;
    MPI_Ineighbor_alltoallw(numbers, ones, offsets, send_types, more, ones, offsets, types, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&pair);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
