/* Data representations of the program's own can be registered, each name once (MPI-3.1 section 13.5.3). MPICH takes none that
 * convert, and no view by them: errors that a right program may meet, and deals with. The argument: what goes wrong.
 *
 *     twice    the name of one that there is
 *     known    that of a predefined one
 *     extents  no function that tells extents
 *     unnamed  the empty name */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 args=twice verdict=found class=invalid-argument says=already mpiexec=no */
/* explore: ranks=2 args=known verdict=found class=invalid-argument says=already mpiexec=no */
/* explore: ranks=2 args=extents verdict=found class=invalid-argument says=pointer mpiexec=no */
/* explore: ranks=2 args=unnamed verdict=found class=invalid-argument says=characters mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
    if (!(condition))      \
    fprintf(stderr, "line %d: " #condition "\n", __LINE__), abort()

static const char *what = "";
static int is(const char *wanted) { return strcmp(what, wanted) == 0; }

static int tell_extent(MPI_Datatype type, MPI_Aint *extent, void *extra) {
    MPI_Aint lower_bound;
    (void)extra;
    return MPI_Type_get_extent(type, &lower_bound, extent);
}

static int convert(void *memory, MPI_Datatype type, int count, void *file, MPI_Offset position, void *extra) {
    (void)memory, (void)type, (void)count, (void)file, (void)position, (void)extra;
    return MPI_SUCCESS;
}

static int class_of(int error) {
    int class;
    MPI_Error_class(error, &class);
    return class;
}

static int add(const char *name, MPI_Datarep_extent_function *extent) {
    return MPI_Register_datarep(name, MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent, NULL);
}

static void use(void) {
    MPI_File file;
    MPI_File_open(MPI_COMM_SELF, "own_datarep.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    REQUIRE(class_of(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "plain", MPI_INFO_NULL)) == MPI_ERR_UNSUPPORTED_DATAREP);
    REQUIRE(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) == MPI_SUCCESS);
    MPI_File_close(&file);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : what;
    REQUIRE(add("plain", tell_extent) == MPI_SUCCESS);
    REQUIRE(class_of(MPI_Register_datarep("own", convert, convert, tell_extent, NULL)) == MPI_ERR_CONVERSION);
    REQUIRE(add("own", tell_extent) == MPI_SUCCESS);
    REQUIRE(MPI_Register_datarep_c("wide", MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C, tell_extent, NULL) ==
            MPI_SUCCESS);
    use();
    if (is("twice"))
        add("plain", tell_extent);
    if (is("known"))
        add("external32", tell_extent);
    if (is("extents"))
        add("other", NULL);
    if (is("unnamed"))
        add("", tell_extent);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN); /* the program deals with errors itself */
    REQUIRE(class_of(add("plain", tell_extent)) == MPI_ERR_DUP_DATAREP);
    MPI_Finalize();
    return 0;
}
