/* Where a collective receives a block from each, no place may be written twice (MPI-3.1 5.5, 5.7, 5.8). Blocks of columns that lie
 * between each other have no byte in common. A datatype to receive with must not have entries that overlap either (4.1.11), one
 * to send with may. */
/* explore: ranks=3 verdict=found class=invalid-argument args=type_received says=overlap */
/* explore: ranks=3 verdict=found class=invalid-argument args=type_received_twice says=overlap */
/* explore: ranks=3 verdict=race-free args=type_received_once */
/* explore: ranks=3 verdict=race-free args=type_sent */
/* explore: ranks=3 verdict=found class=invalid-argument args=gatherv says=overlap */
/* explore: ranks=3 verdict=race-free args=gatherv_apart */
/* explore: ranks=3 verdict=race-free args=gatherv_columns */
/* explore: ranks=3 verdict=race-free args=gatherv_empty */
/* explore: ranks=3 verdict=found class=invalid-argument args=allgatherv says=overlap */
/* explore: ranks=3 verdict=found class=invalid-argument args=alltoallv says=overlap */
/* explore: ranks=3 verdict=race-free args=alltoallv_given */
/* explore: ranks=3 verdict=found class=invalid-argument args=neighbours says=overlap */
/* explore: ranks=3 verdict=race-free args=neighbours_apart */
/* explore: ranks=2 verdict=race-free args=neighbours_none */
/* explore: ranks=3 verdict=found class=invalid-argument args=ring_halo_inside says=overlap */
/* explore: ranks=3 verdict=race-free args=ring_halo */
/* explore: ranks=3 verdict=found class=invalid-argument args=ring_gather_inside says=overlap */
/* explore: ranks=3 verdict=race-free args=ring_gather */
/* explore: ranks=2 verdict=race-free args=row_halo_inside */
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

/* Blocks of two integers, the second beginning in the first; narrow: two integers, of which the next begins in the second. */
static void use_type(const char *what, int rank) {
    MPI_Datatype overlapping, narrow, pair;
    int lengths[2] = {2, 2}, displacements[2] = {0, 1}, numbers[8] = {0};
    MPI_Type_indexed(2, lengths, displacements, MPI_INT, &overlapping);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, sizeof(int), &narrow);
    MPI_Type_commit(&overlapping);
    MPI_Type_commit(&narrow);
    bool received = strcmp(what, "type_received") == 0, twice = strcmp(what, "type_received_twice") == 0;
    if (rank == 0 && strcmp(what, "type_sent") == 0)
        MPI_Send(numbers, 1, overlapping, 1, 0, MPI_COMM_WORLD);
    else if (rank == 0)
        MPI_Send(numbers, received || twice ? 4 : 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1 && strcmp(what, "type_sent") == 0)
        MPI_Recv(numbers, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == 1)
        MPI_Recv(numbers, twice ? 2 : 1, received ? overlapping : narrow, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&overlapping);
    MPI_Type_free(&narrow);
    MPI_Type_free(&pair);
}

/* In a row that is open at its ends nothing comes into the blocks of the neighbours that the ends do not have. */
static void exchange_with_neighbours(const char *what) {
    int ranks, given[4] = {1, 2, 3, 4}, taken[4];
    int closed = strcmp(what, "neighbours_none") != 0;
    const int two[2] = {2, 2}, apart[2] = {0, 2}, overlapping[2] = {0, 1};
    MPI_Comm row;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &closed, 0, &row);
    MPI_Neighbor_alltoallv(given, two, apart, MPI_INT, taken, two, strstr(what, "apart") ? apart : overlapping, MPI_INT, row);
    MPI_Comm_free(&row);
}

/* Borders of one array are sent, and halos around them received; `inside`: the first halo is a border. In a row of two, rank 0
 * receives nothing there, and rank 1 does not send what lies there. */
static void exchange_halo(const char *what) {
    int ranks, closed = what[1] == 'i', cells[4] = {-1, 1, 2, -1};
    bool inside = strstr(what, "inside") != NULL, gather = strstr(what, "gather") != NULL;
    const int one[2] = {1, 1};
    MPI_Comm line;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &closed, 0, &line);
    const int borders[2] = {1, 2}, halos[2] = {!inside ? 0 : gather ? 1 : 2, 3};
    if (gather)
        MPI_Neighbor_allgatherv(&cells[1], 1, MPI_INT, cells, one, halos, MPI_INT, line);
    else
        MPI_Neighbor_alltoallv(cells, one, borders, MPI_INT, cells, one, halos, MPI_INT, line);
    MPI_Comm_free(&line);
}

int main(int argc, char **argv) {
    int given[6] = {1, 2, 3, 4, 5, 6}, taken[12];
    const int apart[3] = {0, 2, 4}, overlapping[3] = {0, 1, 4}, two[3] = {2, 2, 2};
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "";
    const int *to = strstr(what, "apart") || strstr(what, "given") ? apart : overlapping;
    if (strcmp(what, "gatherv_columns") == 0) {
        MPI_Datatype column, narrow;
        const int one[3] = {1, 1, 1}, next[3] = {0, 1, 2};
        MPI_Type_vector(2, 1, 3, MPI_INT, &column);
        MPI_Type_create_resized(column, 0, sizeof(int), &narrow);
        MPI_Type_commit(&narrow);
        MPI_Gatherv(given, 2, MPI_INT, taken, one, next, narrow, 0, MPI_COMM_WORLD);
        MPI_Type_free(&narrow);
        MPI_Type_free(&column);
    } else if (strcmp(what, "gatherv_empty") == 0) {
        const int empty[3] = {2, 0, 2}, inside[3] = {0, 1, 4};
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Gatherv(given, rank == 1 ? 0 : 2, MPI_INT, taken, empty, inside, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (strncmp(what, "type", 4) == 0) {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        use_type(what, rank);
    } else if (strncmp(what, "gatherv", 7) == 0) {
        MPI_Gatherv(given, 2, MPI_INT, taken, two, to, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (strcmp(what, "allgatherv") == 0) {
        MPI_Allgatherv(given, 2, MPI_INT, taken, two, to, MPI_INT, MPI_COMM_WORLD);
    } else if (strcmp(what, "alltoallv") == 0) {
        MPI_Alltoallv(given, two, apart, MPI_INT, taken, two, to, MPI_INT, MPI_COMM_WORLD);
    } else if (strcmp(what, "alltoallv_given") == 0) {
        MPI_Alltoallv(given, two, overlapping, MPI_INT, taken, two, to, MPI_INT, MPI_COMM_WORLD);
    } else if (strncmp(what, "neighbours", strlen("neighbours")) == 0) {
        exchange_with_neighbours(what);
    } else if (what[0] == 'r') {
        exchange_halo(what);
    }
    MPI_Finalize();
    return 0;
}
