/* Logical operators are for integers and logicals (MPI-3.1 section 5.9.2), which all of them are used for first. MPICH takes them for
 * floating-point numbers too, and aborts for some types. "returned": the error goes to a handler, and the program goes on. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=race-free args=returned mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=apply args=all */
/* explore: ranks=2 verdict=found class=invalid-argument says=apply args=local */
/* explore: ranks=2 verdict=found class=invalid-argument says=apply args=accumulate */
/* explore: ranks=2 verdict=found class=invalid-argument says=apply args=either */
#include <assert.h>
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

static void use_rightly(int rank) {
    const MPI_Op op[] = {MPI_LAND, MPI_LOR, MPI_LXOR};
    const int expected[] = {0, 1, 1};
    for (int i = 0; i < 3; i++) {
        int result;
        bool truth = rank != 0, together;
        MPI_Allreduce(&rank, &result, 1, MPI_INT, op[i], MPI_COMM_WORLD);
        MPI_Allreduce(&truth, &together, 1, MPI_C_BOOL, op[i], MPI_COMM_WORLD);
        assert(result == expected[i] && together == expected[i]);
    }
}

static void accumulate(void) {
    double cell = 0, one = 1;
    MPI_Win window;
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_LOR, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void use_returned(void) {
    const MPI_Datatype type[] = {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL};
    long double given = 1, result = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 4; i++) {
        int error = MPI_Allreduce(&given, &result, 1, type[i], MPI_LAND, MPI_COMM_WORLD);
        MPI_Error_class(error, &error);
        assert(error == MPI_ERR_OP);
    }
}

int main(int argc, char **argv) {
    int rank;
    const char *how = argc > 1 ? argv[1] : "";
    double given = 1, result = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    use_rightly(rank);
    if (strcmp(how, "returned") == 0)
        use_returned();
    if (strcmp(how, "all") == 0)
        MPI_Allreduce(&given, &result, 1, MPI_DOUBLE, MPI_LAND, MPI_COMM_WORLD);
    if (strcmp(how, "local") == 0)
        MPI_Reduce_local(&given, &result, 1, MPI_DOUBLE, MPI_LOR);
    if (strcmp(how, "accumulate") == 0)
        accumulate();
    if (strcmp(how, "either") == 0)
        MPI_Scan(&given, &result, 1, MPI_DOUBLE, MPI_LXOR, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
