/* Packing into less room than it takes, and unpacking more than is left: MPICH packs a part, or goes on behind the buffer. With a "+" the
 * room is just right. "returned": the program has errors returned, and deals with them. */
/* explore: ranks=1 verdict=race-free args=pack+ */
/* explore: ranks=1 verdict=found class=invalid-argument says=MPI_Pack args=pack mpiexec=no */
/* explore: ranks=1 verdict=race-free args=unpack+ */
/* explore: ranks=1 verdict=found class=invalid-argument says=MPI_Unpack args=unpack mpiexec=no */
/* explore: ranks=1 verdict=race-free args=vector+ */
/* explore: ranks=1 verdict=found class=invalid-argument says=MPI_Pack args=vector mpiexec=no */
/* explore: ranks=1 verdict=race-free args=external+ */
/* explore: ranks=1 verdict=found class=invalid-argument says=MPI_Pack_external args=external mpiexec=no */
/* explore: ranks=1 verdict=race-free args=unpack_external+ */
/* explore: ranks=1 verdict=found class=invalid-argument says=MPI_Unpack_external args=unpack_external mpiexec=no */
/* explore: ranks=1 verdict=race-free args=large+ */
/* explore: ranks=1 verdict=found class=invalid-argument says=MPI_Pack_c args=large mpiexec=no */
/* explore: ranks=1 verdict=race-free args=returned mpiexec=no */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { INT_BYTES = sizeof(int), PAIR_BYTES = 2 * INT_BYTES };

static int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static char room[64];

static void pack(int bytes) {
    int at = 0;
    MPI_Pack(numbers, 1, MPI_INT, room, bytes, &at, MPI_COMM_WORLD);
    MPI_Pack(numbers + 1, 2, MPI_INT, room, bytes, &at, MPI_COMM_WORLD);
    assert(at == INT_BYTES + PAIR_BYTES);
}

static void unpack(int bytes) {
    int at = INT_BYTES;
    MPI_Unpack(room, bytes, &at, numbers, 2, MPI_INT, MPI_COMM_WORLD);
    assert(at == INT_BYTES + PAIR_BYTES);
}

/* Its gaps take no room. */
static void pack_vector(int bytes) {
    MPI_Datatype every_third;
    int at = 0;
    MPI_Type_vector(3, 1, 3, MPI_INT, &every_third);
    MPI_Type_commit(&every_third);
    MPI_Pack(numbers, 1, every_third, room, bytes, &at, MPI_COMM_WORLD);
    assert(at == INT_BYTES + PAIR_BYTES);
    MPI_Type_free(&every_third);
}

static void pack_external(MPI_Aint bytes) {
    MPI_Aint at = INT_BYTES;
    MPI_Pack_external("external32", numbers, 2, MPI_INT, room, bytes, &at);
    assert(at == INT_BYTES + PAIR_BYTES);
}

static void unpack_external(MPI_Aint bytes) {
    MPI_Aint at = INT_BYTES;
    MPI_Unpack_external("external32", room, bytes, &at, numbers, 2, MPI_INT);
    assert(at == INT_BYTES + PAIR_BYTES);
}

static void pack_large(MPI_Count bytes) {
    MPI_Count at = INT_BYTES;
    MPI_Pack_c(numbers, 2, MPI_INT, room, bytes, &at, MPI_COMM_WORLD);
    assert(at == INT_BYTES + PAIR_BYTES);
}

static void have_errors_returned(void) {
    int at = 0, class;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int error = MPI_Pack(numbers, 2, MPI_INT, room, PAIR_BYTES - 1, &at, MPI_COMM_WORLD);
    assert(error != MPI_SUCCESS && at == 0);
    MPI_Error_class(error, &class);
    printf("%d\n", class == MPI_ERR_ARG);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "pack+";
    size_t length = strcspn(what, "+");
    int bytes = INT_BYTES + PAIR_BYTES - (what[length] != '+');
#define IS(name) (length == sizeof name - 1 && strncmp(what, name, length) == 0)
    if (IS("pack"))
        pack(bytes);
    if (IS("unpack"))
        unpack(bytes);
    if (IS("vector"))
        pack_vector(bytes);
    if (IS("external"))
        pack_external(bytes);
    if (IS("unpack_external"))
        unpack_external(bytes);
    if (IS("large"))
        pack_large(bytes);
    if (IS("returned"))
        have_errors_returned();
    MPI_Finalize();
    return 0;
}
