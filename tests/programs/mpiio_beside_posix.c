/* A file that was on the disk can be read by MPI-IO and by other calls. What MPI-IO writes is not what a rank's own calls see, nor the
 * other way round: refused, in either order. */
/* explore: ranks=2 verdict=race-free args=read */
/* explore: ranks=2 verdict=cannot-run says=MPI-IO args=write mpiexec=no */
/* explore: ranks=2 verdict=cannot-run says=MPI-IO args=prepare mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *mode = "read";
static int is(const char *wanted) { return strcmp(mode, wanted) == 0; }

static void read_by_stdio(const char *name) {
    char first = 0;
    FILE *stream = fopen(name, "r");
    if (stream && fread(&first, 1, 1, stream) == 1)
        printf("%c\n", first);
    if (stream)
        fclose(stream);
}

int main(int argc, char **argv) {
    int rank;
    char start[4] = "";
    MPI_File file;
    mode = argc > 1 ? argv[1] : mode;
    const char *name = is("read") ? "/etc/passwd" : "beside_posix.out";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (is("prepare") && rank == 0)
        fclose(fopen(name, "w"));
    MPI_Barrier(MPI_COMM_WORLD);
    int access = is("write") ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
    if (MPI_File_open(MPI_COMM_WORLD, name, access, MPI_INFO_NULL, &file) == MPI_SUCCESS) {
        MPI_File_read_at(file, 0, start, 4, MPI_CHAR, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }
    if (!is("prepare") && rank == 0)
        read_by_stdio(name);
    printf("%.4s\n", start);
    MPI_Finalize();
    return 0;
}
