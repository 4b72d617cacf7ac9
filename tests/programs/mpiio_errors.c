/* explore: ranks=2 verdict=race-free */
/* What MPI_File_open and its kin return where they cannot do what they are asked to, by default and with a handler of the program's
 * own (MPI-3.1 sections 13.2.1 and 13.7). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int calls;

static void count_call(MPI_File *file, int *code, ...) {
    (void)file, (void)code;
    calls++;
}

static int class_of(int code) {
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

static void require(int holds, const char *what) {
    if (holds)
        return;
    fprintf(stderr, "not so: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define REQUIRE(condition) require(condition, #condition)

static int open_as(const char *name, int amode, MPI_File *file) {
    return class_of(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, file));
}

int main(int argc, char **argv) {
    MPI_File file, other;
    MPI_Errhandler handler, got;
    int rank, value = 5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    REQUIRE(open_as("errors.none", MPI_MODE_RDONLY, &file) == MPI_ERR_NO_SUCH_FILE && file == MPI_FILE_NULL);
    REQUIRE(open_as("errors.nowhere/file", MPI_MODE_CREATE | MPI_MODE_RDWR, &file) == MPI_ERR_NO_SUCH_FILE);
    REQUIRE(open_as("errors.out", MPI_MODE_RDONLY | MPI_MODE_RDWR, &file) == MPI_ERR_AMODE);
    REQUIRE(open_as("errors.out", MPI_MODE_RDONLY | MPI_MODE_CREATE, &file) == MPI_ERR_AMODE);
    REQUIRE(open_as("errors.out", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, &file) == MPI_SUCCESS);
    MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    REQUIRE(file == MPI_FILE_NULL);
    REQUIRE(open_as("errors.out", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, &file) == MPI_ERR_FILE_EXISTS);

    MPI_File_get_errhandler(MPI_FILE_NULL, &got);
    REQUIRE(got == MPI_ERRORS_RETURN);
    REQUIRE(open_as("errors.out", MPI_MODE_RDONLY, &file) == MPI_SUCCESS);
    REQUIRE(class_of(MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE)) == MPI_ERR_READ_ONLY);
    MPI_File_create_errhandler(count_call, &handler);
    MPI_File_set_errhandler(file, handler);
    MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    REQUIRE(calls == 1);
    REQUIRE(class_of(MPI_File_seek(file, -1, MPI_SEEK_SET)) == MPI_ERR_ARG && calls == 2);
    MPI_File_call_errhandler(file, MPI_ERR_IO);
    REQUIRE(calls == 3);
    MPI_Errhandler_free(&handler);
    MPI_File_close(&file);

    REQUIRE(open_as("errors.out", MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, &file) == MPI_SUCCESS);
    REQUIRE(MPI_File_f2c(MPI_File_c2f(file)) == file);
    MPI_File_close(&file);
    REQUIRE(open_as("errors.out", MPI_MODE_RDONLY, &other) == MPI_ERR_NO_SUCH_FILE);
    if (rank == 0)
        REQUIRE(class_of(MPI_File_delete("errors.out", MPI_INFO_NULL)) == MPI_ERR_NO_SUCH_FILE);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
