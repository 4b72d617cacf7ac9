/* A file is closed while an access of the process's to it is not complete, which nobody may do (MPI-3.1 section 13.2.2): neither an
 * access of its own, nor one of all, nor a split one; told is where it was begun. Nor may it be synchronised, be seen otherwise, or
 * become shorter meanwhile (13.6.1, 13.3, 13.2.4). Of one whose request was `freed` nobody learns when it is complete. With `waited`, `tested` and `ended` it is complete before, and with `other` it is one
 * to another file. */
/* explore: ranks=2 verdict=found class=invalid-argument says=MPI_File_iwrite_at args=own mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=MPI_File_iread_at_all args=all mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=MPI_File_write_at_all_begin args=split mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=MPI_File_iwrite_at args=sync mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=MPI_File_iwrite_at args=view mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=MPI_File_iwrite_at args=size mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=MPI_File_iwrite_at args=freed mpiexec=no */
/* explore: ranks=2 verdict=found class=exit-status args=handled mpiexec=no */
/* explore: ranks=2 verdict=race-free args=waited */
/* explore: ranks=2 verdict=race-free args=tested */
/* explore: ranks=2 verdict=race-free args=ended */
/* explore: ranks=2 verdict=race-free args=other */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static const char *what;

static int is(const char *word) { return strcmp(what, word) == 0; }

static MPI_File open_file(const char *name) {
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    return file;
}

int main(int argc, char **argv) {
    int rank, number = 0, complete = 0, error;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    what = argv[1];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File file = open_file("closed"), beside = open_file("beside");
    if (is("handled"))
        MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
    const MPI_Offset place = rank * (MPI_Offset)sizeof number;
    const int is_split = is("split") || is("ended");
    if (is("all"))
        MPI_File_iread_at_all(file, place, &number, 1, MPI_INT, &request);
    else if (is_split)
        MPI_File_write_at_all_begin(file, place, &number, 1, MPI_INT);
    else
        MPI_File_iwrite_at(is("other") ? beside : file, place, &number, 1, MPI_INT, &request);
    if (is("ended"))
        MPI_File_write_at_all_end(file, &number, MPI_STATUS_IGNORE);
    if (is("freed"))
        MPI_Request_free(&request);
    if (is("waited"))
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    while (is("tested") && !complete)
        MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
    if (is("sync") || is("other"))
        MPI_File_sync(file);
    if (is("view") || is("other"))
        MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    if (is("size") || is("other"))
        MPI_File_set_size(file, 0);
    error = MPI_File_close(&file);
    if (error != MPI_SUCCESS)
        exit(error);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&beside);
    MPI_Finalize();
    return 0;
}
