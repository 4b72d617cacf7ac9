/* A communicator duplicated while other work goes on, topology and all. Argument "early": it is used before its request is
 * complete, which is an error, though it mostly goes well. Two duplications may be under way at once and complete in any
 * order. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=2 verdict=found class=invalid-argument args=early */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, ranks, kind, relation, sum, one = 1;
    MPI_Comm ring, copy[2];
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
    MPI_Comm_idup(ring, &copy[0], &request[0]);
    MPI_Comm_idup_with_info(ring, MPI_INFO_NULL, &copy[1], &request[1]);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, ring);
    assert(sum == ranks);
    if (argc > 1)
        MPI_Barrier(copy[0]);
    MPI_Wait(&request[rank % 2], MPI_STATUS_IGNORE);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++) {
        MPI_Topo_test(copy[i], &kind);
        MPI_Comm_compare(ring, copy[i], &relation);
        assert(kind == MPI_CART && relation == MPI_CONGRUENT);
    }
    /* Messages of one do not get into the other. */
    int previous, next, got[2];
    MPI_Cart_shift(copy[0], 0, 1, &previous, &next);
    MPI_Request sent[2];
    const int value[] = {10 + rank, 20 + rank};
    for (int i = 0; i < 2; i++)
        MPI_Isend(&value[i], 1, MPI_INT, next, 0, copy[i], &sent[i]);
    for (int i = 1; i >= 0; i--)
        MPI_Recv(&got[i], 1, MPI_INT, previous, 0, copy[i], MPI_STATUS_IGNORE);
    assert(got[0] == 10 + previous && got[1] == 20 + previous);
    MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&copy[0]);
    MPI_Comm_free(&copy[1]);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
