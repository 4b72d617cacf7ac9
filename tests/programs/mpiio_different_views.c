/* The shared file pointer needs the same view everywhere (MPI-3.1 section 13.4.4). Rank 1 has another one, from another place on
 * ("displacement") or with gaps, or makes the same one otherwise ("same"). Then "shared", "ordered" and "begin" use that pointer; "at"
 * does not, and "again" has all set one view first. */
/* explore: ranks=2 verdict=race-free args=same-ordered */
/* explore: ranks=3 verdict=race-free args=displacement-at */
/* explore: ranks=3 verdict=race-free args=gaps-again */
/* explore: ranks=2 verdict=found class=invalid-argument args=displacement-ordered says=views */
/* explore: ranks=2 verdict=found class=invalid-argument args=displacement-shared says=views */
/* explore: ranks=2 verdict=found class=invalid-argument args=gaps-ordered says=File_set_view */
/* explore: ranks=3 verdict=found class=invalid-argument args=gaps-begin says=views */
#include <mpi.h>
#include <string.h>

static const char *what;
static int rank;

static int has(const char *part) { return strstr(what, part) != NULL; }
static int differs(const char *part) { return rank == 1 && has(part); }

static void set_view(MPI_File file) {
    MPI_Datatype gaps;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gaps);
    MPI_Type_commit(&gaps);
    MPI_Datatype one;
    MPI_Type_contiguous(1, MPI_INT, &one);
    MPI_Type_commit(&one);
    MPI_Datatype etype = differs("same") ? one : MPI_INT;
    MPI_File_set_view(file, differs("displacement") ? 4 : 0, etype, differs("gaps") ? gaps : etype, "native", MPI_INFO_NULL);
    MPI_Type_free(&one);
    MPI_Type_free(&gaps);
}

static void write_with(MPI_File file) {
    if (has("at"))
        MPI_File_write_at(file, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (has("shared"))
        MPI_File_write_shared(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (has("ordered") || has("again"))
        MPI_File_write_ordered(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (has("begin")) {
        MPI_File_read_ordered_begin(file, &rank, 1, MPI_INT);
        MPI_File_read_ordered_end(file, &rank, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv) {
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    what = argv[1];
    MPI_File_open(MPI_COMM_WORLD, "different_views.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    set_view(file);
    if (has("again"))
        MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    write_with(file);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
