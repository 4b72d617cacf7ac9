/* A collective access that is in progress comes neither before nor after another one (MPI-3.1 section 13.6.1): what ranks write to the
 * same bytes meanwhile may be there in the end or not. Of one that is complete everybody knows. The argument:
 *
 *     beside        rank 1 writes by itself while the collective access of rank 0 is in progress
 *     behind        ... when it is complete
 *     together      a second collective access begins while the first is in progress, and is complete only after a third
 *     in_turn       ... when it is complete */
/* explore: ranks=2 args=beside verdict=found class=race-output */
/* explore: ranks=2 args=behind verdict=race-free */
/* explore: ranks=2 args=together verdict=found class=race-output */
/* explore: ranks=2 args=in_turn verdict=race-free */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 8 };

static const char *how = "";
static int is(const char *what) { return strcmp(how, what) == 0; }

/* Only rank `writer` writes anything. */
static void begin_writing(MPI_File file, int rank, int writer, char *bytes, MPI_Request *request) {
    MPI_File_iwrite_at_all(file, 0, bytes, rank == writer ? BYTES : 0, MPI_CHAR, request);
}

static void finish(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

static void write_beside(MPI_File file, int rank, char *bytes) {
    MPI_Request request;
    begin_writing(file, rank, 0, bytes, &request);
    if (is("behind"))
        finish(&request);
    if (rank == 1)
        MPI_File_write_at(file, 0, bytes, BYTES, MPI_CHAR, MPI_STATUS_IGNORE);
    finish(&request);
}

static void write_together(MPI_File file, int rank, char *bytes) {
    MPI_Request first, second;
    begin_writing(file, rank, 0, bytes, &first);
    if (is("in_turn"))
        finish(&first);
    begin_writing(file, rank, 1, bytes, &second);
    finish(&first);
    MPI_File_write_at_all(file, 0, bytes, 0, MPI_CHAR, MPI_STATUS_IGNORE);
    finish(&second);
}

int main(int argc, char **argv) {
    int rank;
    char bytes[BYTES + 1] = {0}, read[BYTES + 1] = {0};
    MPI_File file;
    MPI_Init(&argc, &argv);
    how = argc > 1 ? argv[1] : "beside";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(bytes, 'a' + rank, BYTES);
    MPI_File_open(MPI_COMM_WORLD, "mpiio_in_progress.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    if (is("beside") || is("behind"))
        write_beside(file, rank, bytes);
    else
        write_together(file, rank, bytes);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_read_at(file, 0, read, BYTES, MPI_CHAR, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("%s\n", read);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
