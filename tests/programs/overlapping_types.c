/* What a collective receives, or an access to a window changes, must not be written twice by one datatype (MPI-3.1 4.1.11, 5.5, 11.3):
 * `twin` has entries that overlap, of `narrow` the next element begins inside the one before. What is only read may overlap, and one
 * narrow element does not. */
/* explore: ranks=3 verdict=found class=invalid-argument args=bcast_twin says=overlap */
/* explore: ranks=3 verdict=found class=invalid-argument args=bcast_narrow says=overlap */
/* explore: ranks=3 verdict=race-free args=bcast_narrow_one */
/* explore: ranks=3 verdict=race-free args=bcast_twin_root */
/* explore: ranks=3 verdict=found class=invalid-argument args=scatter_twin says=overlap */
/* explore: ranks=3 verdict=race-free args=scatter_narrow_one */
/* explore: ranks=3 verdict=race-free args=scatter_twin_root */
/* explore: ranks=3 verdict=found class=invalid-argument args=gather_twin says=overlap */
/* explore: ranks=3 verdict=found class=invalid-argument args=gather_narrow_one says=overlap */
/* explore: ranks=3 verdict=race-free args=gather_column_one */
/* explore: ranks=3 verdict=found class=invalid-argument args=allgather_narrow_one says=overlap */
/* explore: ranks=3 verdict=race-free args=allgather_column_one */
/* explore: ranks=3 verdict=found class=invalid-argument args=neighbours_narrow_one says=overlap */
/* explore: ranks=2 verdict=race-free args=neighbours_narrow_one */
/* explore: ranks=3 verdict=race-free args=neighbours_column_one */
/* explore: ranks=3 verdict=found class=invalid-argument args=put_twin says=overlap */
/* explore: ranks=3 verdict=found class=invalid-argument args=put_narrow says=overlap */
/* explore: ranks=3 verdict=race-free args=put_narrow_one */
/* explore: ranks=3 verdict=found class=invalid-argument args=sum_twin says=overlap */
/* explore: ranks=3 verdict=found class=invalid-argument args=get_twin says=overlap */
/* explore: ranks=3 verdict=race-free args=get_target_twin */
#include <mpi.h>
#include <string.h>

static const char *what;
static MPI_Datatype type;
static int rank, elements, number[12], other[12];

static int has(const char *part) { return strstr(what, part) != NULL; }

/* All are of four integers, or two if there is but one element. */
static void make_type(void) {
    const int lengths[2] = {2, 2}, displacements[2] = {0, 1};
    MPI_Datatype part;
    elements = has("narrow") && !has("one") ? 2 : 1;
    if (has("twin"))
        MPI_Type_indexed(2, lengths, displacements, MPI_INT, &part);
    else if (has("column"))
        MPI_Type_vector(2, 1, 3, MPI_INT, &part);
    else
        MPI_Type_contiguous(2, MPI_INT, &part);
    MPI_Type_create_resized(part, 0, sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&part);
}

static void use_collective(void) {
    const int integers = has("one") ? 2 : 4, is_root = rank == 0;
    if (has("bcast"))
        MPI_Bcast(number, is_root == has("root") ? elements : integers, is_root == has("root") ? type : MPI_INT, 0,
                  MPI_COMM_WORLD);
    else if (has("scatter") && has("root"))
        MPI_Scatter(number, elements, type, other, integers, MPI_INT, 0, MPI_COMM_WORLD);
    else if (has("scatter"))
        MPI_Scatter(number, integers, MPI_INT, other, elements, type, 0, MPI_COMM_WORLD);
    else if (has("allgather"))
        MPI_Allgather(number, integers, MPI_INT, other, elements, type, MPI_COMM_WORLD);
    else if (has("gather"))
        MPI_Gather(number, integers, MPI_INT, other, elements, type, 0, MPI_COMM_WORLD);
}

/* In a row of two, nobody has two neighbours. */
static void use_neighbours(void) {
    const int open = 0;
    int ranks;
    MPI_Comm row;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &open, 0, &row);
    MPI_Neighbor_allgather(number, 2, MPI_INT, other, 1, type, row);
    MPI_Comm_free(&row);
}

static void use_window(void) {
    const int integers = has("one") ? 2 : 4;
    MPI_Win window;
    MPI_Win_create(other, sizeof other, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0 && has("put"))
        MPI_Put(number, integers, MPI_INT, 1, 0, elements, type, window);
    if (rank == 0 && has("sum"))
        MPI_Accumulate(number, integers, MPI_INT, 1, 0, elements, type, MPI_SUM, window);
    if (rank == 0 && has("get_target"))
        MPI_Get(number, integers, MPI_INT, 1, 0, elements, type, window);
    else if (rank == 0 && has("get"))
        MPI_Get(number, elements, type, 1, 0, integers, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    what = argv[1];
    make_type();
    if (has("neighbours"))
        use_neighbours();
    else if (has("put") || has("get") || has("sum"))
        use_window();
    else
        use_collective();
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
