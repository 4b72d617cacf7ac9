/* What is read and written must be of the view's elementary type (MPI-3.1 section 13.6.3), unless that is MPI_BYTE, as it is at first.
 *
 *   pairs      the etype is a struct of an int and a float: two of each, however the buffer's type says so
 *   first      as the file was opened anything goes, and with an etype of bytes
 *   float, read, begin, later, shared   MPI_FLOAT where the etype is MPI_INT
 *   swapped    the struct the other way round */
/* explore: ranks=2 verdict=race-free args=pairs */
/* explore: ranks=2 verdict=race-free args=first */
/* explore: ranks=2 verdict=found class=type-mismatch args=float says=MPI_FLOAT */
/* explore: ranks=2 verdict=found class=type-mismatch args=read says=MPI_INT */
/* explore: ranks=2 verdict=found class=type-mismatch args=begin says=File_set_view */
/* explore: ranks=2 verdict=found class=type-mismatch args=later says=elementary */
/* explore: ranks=2 verdict=found class=type-mismatch args=shared says=elementary */
/* explore: ranks=2 verdict=found class=type-mismatch args=swapped says=elementary */
#include <mpi.h>
#include <string.h>

struct pair {
    int count;
    float weight;
};

static MPI_Datatype pair_type(MPI_Datatype first, MPI_Datatype second) {
    const int ones[] = {1, 1};
    const MPI_Aint places[] = {0, sizeof(int)};
    MPI_Datatype made;
    MPI_Type_create_struct(2, ones, places, (MPI_Datatype[]){first, second}, &made);
    MPI_Type_commit(&made);
    return made;
}

int main(int argc, char **argv) {
    int rank;
    MPI_File file;
    MPI_Request request;
    struct pair pairs[2] = {{1, 2}, {3, 4}};
    float number = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *what = argv[1];
    MPI_File_open(MPI_COMM_WORLD, "types.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_Datatype pair = pair_type(MPI_INT, MPI_FLOAT), swapped = pair_type(MPI_FLOAT, MPI_INT), two;
    MPI_Type_contiguous(2, pair, &two);
    MPI_Type_commit(&two);
    if (strcmp(what, "first") == 0) {
        MPI_File_write_at(file, 16 * rank, pairs, 1, two, MPI_STATUS_IGNORE);
        MPI_File_set_view(file, 32, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
        MPI_File_set_view(file, 32, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
        MPI_File_write_at(file, 4 * rank, &number, 1, MPI_FLOAT, MPI_STATUS_IGNORE);
    } else if (strcmp(what, "pairs") == 0 || strcmp(what, "swapped") == 0) {
        MPI_File_set_view(file, 0, strcmp(what, "pairs") == 0 ? pair : swapped, two, "native", MPI_INFO_NULL);
        MPI_File_write_at(file, 2 * rank, pairs, 1, two, MPI_STATUS_IGNORE);
        MPI_File_write_at_all(file, 2 * rank, pairs, 2, pair, MPI_STATUS_IGNORE);
    } else {
        MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
        MPI_File_write_at(file, rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    }
    if (strcmp(what, "float") == 0)
        MPI_File_write_at_all(file, rank, &number, 1, MPI_FLOAT, MPI_STATUS_IGNORE);
    if (strcmp(what, "read") == 0)
        MPI_File_read_at(file, rank, &number, 1, MPI_FLOAT, MPI_STATUS_IGNORE);
    if (strcmp(what, "shared") == 0)
        MPI_File_write_ordered(file, &number, 1, MPI_FLOAT, MPI_STATUS_IGNORE);
    if (strcmp(what, "begin") == 0) {
        MPI_File_read_all_begin(file, &number, 1, MPI_FLOAT);
        MPI_File_read_all_end(file, &number, MPI_STATUS_IGNORE);
    }
    if (strcmp(what, "later") == 0) {
        MPI_File_iwrite_at(file, rank, &number, 1, MPI_FLOAT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    MPI_Type_free(&two);
    MPI_Type_free(&swapped);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
