/* What all must give alike to the collective calls on a file (MPI-3.1 sections 13.2.1, 13.2.3, 13.3, 13.4.4 and 13.6.1):
 *
 *   amode, name            MPI_File_open
 *   extent, representation MPI_File_set_view: of the etype the extent alone, as in `size`, where one int takes as much as a double
 *   offset, whence         MPI_File_seek_shared
 *   resize, preallocate    the sizes
 *   atomicity
 *   size, fine             nothing is wrong */
/* explore: ranks=2 verdict=race-free args=fine */
/* explore: ranks=2 verdict=race-free args=size */
/* explore: ranks=2 verdict=found class=collective-mismatch args=amode says=modes */
/* explore: ranks=2 verdict=found class=collective-mismatch args=name says=disagreements.other */
/* explore: ranks=2 verdict=found class=collective-mismatch args=extent says=extents */
/* explore: ranks=2 verdict=found class=collective-mismatch args=representation says=external32 */
/* explore: ranks=2 verdict=found class=collective-mismatch args=offset says=offsets */
/* explore: ranks=2 verdict=found class=collective-mismatch args=whence says=MPI_SEEK_CUR */
/* explore: ranks=2 verdict=found class=collective-mismatch args=resize says=sizes */
/* explore: ranks=2 verdict=found class=collective-mismatch args=preallocate says=sizes */
/* explore: ranks=2 verdict=found class=collective-mismatch args=atomicity says=atomicity */
#include <mpi.h>
#include <string.h>

static const char *what;
static int rank;

/* Is this what rank 1 does otherwise than rank 0? */
static int differs(const char *in) { return rank == 1 && strcmp(what, in) == 0; }

static void set_view(MPI_File file) {
    MPI_Datatype wide;
    MPI_Type_create_resized(MPI_INT, 0, sizeof(double), &wide);
    MPI_Type_commit(&wide);
    MPI_Datatype type = differs("size") ? MPI_DOUBLE : differs("extent") ? MPI_INT : wide;
    MPI_File_set_view(file, 0, type, type, differs("representation") ? "external32" : "native", MPI_INFO_NULL);
    MPI_Type_free(&wide);
}

int main(int argc, char **argv) {
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    what = argv[1];
    MPI_File_open(MPI_COMM_WORLD, differs("name") ? "disagreements.other" : "disagreements.out",
                  MPI_MODE_CREATE | (differs("amode") ? MPI_MODE_WRONLY : MPI_MODE_RDWR), MPI_INFO_NULL, &file);
    MPI_File_set_size(file, differs("resize") ? 0 : 64);
    MPI_File_preallocate(file, differs("preallocate") ? 96 : 128);
    MPI_File_set_atomicity(file, differs("atomicity"));
    set_view(file);
    MPI_File_seek_shared(file, differs("offset") ? 1 : 0, differs("whence") ? MPI_SEEK_CUR : MPI_SEEK_SET);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
