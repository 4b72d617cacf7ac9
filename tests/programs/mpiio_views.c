/* explore: ranks=2 verdict=race-free */
/* What file views, pointers and the forms of access do, step by step: each expectation is from MPI-3.1 sections 13.2 to 13.4, and holds
 * under mpiexec too. Each rank has a file of its own, and then both share one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static void require(int holds, const char *what) {
    if (holds)
        return;
    fprintf(stderr, "not so: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define REQUIRE(condition) require(condition, #condition)

static int count_of(MPI_Status *status) {
    int count = -1;
    MPI_Get_count(status, MPI_INT, &count);
    return count;
}

static MPI_Offset position_of(MPI_File file) {
    MPI_Offset at = -1;
    MPI_File_get_position(file, &at);
    return at;
}

/* Individual file pointers, offsets, sizes and the end of the file. */
static void pointers(MPI_File file) {
    int numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7}, got[8] = {0};
    MPI_Offset size, at;
    MPI_Status status;
    MPI_File_set_size(file, 0); /* it may be there from a run that was interrupted */
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write(file, numbers, 4, MPI_INT, &status);
    REQUIRE(count_of(&status) == 4 && position_of(file) == 4);
    MPI_File_write_at(file, 6, numbers + 6, 2, MPI_INT, &status);
    REQUIRE(position_of(file) == 4);
    MPI_File_get_size(file, &size);
    REQUIRE(size == 8 * sizeof(int));
    MPI_File_seek(file, -2, MPI_SEEK_END);
    REQUIRE(position_of(file) == 6);
    MPI_File_seek(file, -4, MPI_SEEK_CUR);
    MPI_File_read(file, got, 6, MPI_INT, &status);
    REQUIRE(got[0] == 2 && got[1] == 3 && got[4] == 6 && got[5] == 7);
    MPI_File_read_at(file, 7, got, 3, MPI_INT, &status);
    REQUIRE(count_of(&status) == 1 && got[0] == 7);
    MPI_File_get_byte_offset(file, 3, &at);
    REQUIRE(at == 3 * sizeof(int));
    MPI_File_set_size(file, 3 * sizeof(int));
    MPI_File_preallocate(file, 2 * sizeof(int));
    MPI_File_get_size(file, &size);
    REQUIRE(size == 3 * sizeof(int));
}

/* Every other pair of numbers, from the second byte on. */
static void views(MPI_File file) {
    int numbers[6] = {10, 11, 12, 13, 14, 15}, got[6] = {0}, raw[10];
    MPI_Datatype pairs, etype, filetype;
    MPI_Offset at, displacement;
    char datarep[MPI_MAX_DATAREP_STRING];
    MPI_Type_vector(1, 2, 4, MPI_INT, &etype);
    MPI_Type_create_resized(etype, 0, 4 * sizeof(int), &pairs);
    MPI_Type_commit(&pairs);
    MPI_File_set_size(file, 0);
    MPI_File_set_view(file, 1, MPI_INT, pairs, "native", MPI_INFO_NULL);
    MPI_File_write(file, numbers, 6, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_get_byte_offset(file, 3, &at);
    REQUIRE(at == 1 + 5 * sizeof(int));
    MPI_File_seek(file, 1, MPI_SEEK_SET);
    MPI_File_read(file, got, 3, MPI_INT, MPI_STATUS_IGNORE);
    REQUIRE(got[0] == 11 && got[1] == 12 && got[2] == 13);
    MPI_Type_free(&etype);
    MPI_File_get_view(file, &displacement, &etype, &filetype, datarep);
    REQUIRE(displacement == 1 && etype == MPI_INT && strcmp(datarep, "native") == 0);
    MPI_Type_free(&filetype);
    MPI_Type_free(&pairs);
    MPI_File_set_view(file, 1, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_read(file, raw, 10, MPI_INT, MPI_STATUS_IGNORE);
    REQUIRE(raw[1] == 11 && raw[4] == 12 && raw[9] == 15);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
    MPI_File_write(file, numbers, 1, MPI_INT, MPI_STATUS_IGNORE);
    unsigned char bytes[4];
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_read(file, bytes, 4, MPI_BYTE, MPI_STATUS_IGNORE);
    REQUIRE(bytes[0] == 0 && bytes[3] == 10);
}

static void nonblocking(MPI_File file) {
    int numbers[4] = {1, 2, 3, 4}, got[4] = {0};
    MPI_Request request[2];
    MPI_Status status[2];
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_iwrite(file, numbers, 2, MPI_INT, &request[0]);
    MPI_File_iwrite_at(file, 2, numbers + 2, 2, MPI_INT, &request[1]);
    MPI_Waitall(2, request, status);
    REQUIRE(count_of(&status[0]) == 2 && count_of(&status[1]) == 2);
    MPI_File_iread_at(file, 0, got, 4, MPI_INT, &request[0]);
    MPI_Wait(&request[0], &status[0]);
    REQUIRE(count_of(&status[0]) == 4 && got[3] == 4);
}

/* Both ranks, one file: collective accesses, in the order in which they are called. */
static void together(MPI_File file) {
    int number = 100 + rank, got[2] = {0}, other = (rank + 1) % ranks;
    MPI_Status status;
    MPI_Request request;
    MPI_Offset shared;
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(file, rank, &number, 1, MPI_INT, &status);
    MPI_File_read_at_all(file, other, got, 1, MPI_INT, &status);
    REQUIRE(got[0] == 100 + other);
    number += 100;
    MPI_File_write_at_all_begin(file, rank, &number, 1, MPI_INT);
    MPI_File_write_at_all_end(file, &number, &status);
    REQUIRE(count_of(&status) == 1);
    MPI_File_iread_at_all(file, other, got, 1, MPI_INT, &request);
    MPI_Wait(&request, &status);
    REQUIRE(got[0] == 200 + other && count_of(&status) == 1);
    MPI_File_seek_shared(file, ranks, MPI_SEEK_SET);
    MPI_File_write_ordered(file, &number, 1, MPI_INT, &status);
    MPI_File_get_position_shared(file, &shared);
    REQUIRE(shared == 2 * ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(file, -ranks, MPI_SEEK_CUR);
    MPI_File_read_ordered(file, got, 1, MPI_INT, &status);
    REQUIRE(got[0] == 200 + rank);
}

int main(int argc, char **argv) {
    char name[32];
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(name, sizeof name, "views.%d", rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    pointers(file);
    views(file);
    nonblocking(file);
    MPI_File_close(&file);
    MPI_File_open(MPI_COMM_WORLD, "views.both", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    together(file);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
