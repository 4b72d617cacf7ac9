/* Functions of MPI-1 that later versions of the standard replaced and removed, and that MPICH still has. They do what their
 * successors do. */
/* explore: ranks=2 verdict=race-free */
#include <assert.h>
#include <mpi.h>
#include <stddef.h>

static int deleted;

static int on_delete(MPI_Comm communicator, int keyval, void *value, void *extra) {
    (void)communicator, (void)keyval, (void)extra;
    deleted += *(int *)value;
    return MPI_SUCCESS;
}

static void attributes(void) {
    int keyval, found, value = 7, *stored;
    MPI_Keyval_create(MPI_NULL_COPY_FN, on_delete, &keyval, NULL);
    MPI_Attr_put(MPI_COMM_WORLD, keyval, &value);
    MPI_Attr_get(MPI_COMM_WORLD, keyval, &stored, &found);
    assert(found && stored == &value);
    MPI_Attr_delete(MPI_COMM_WORLD, keyval);
    assert(deleted == 7);
    MPI_Attr_get(MPI_COMM_WORLD, keyval, &stored, &found);
    assert(!found);
    MPI_Keyval_free(&keyval);
    assert(keyval == MPI_KEYVAL_INVALID);
}

static int told;

static void on_error(MPI_Comm *communicator, int *code, ...) {
    assert(*communicator == MPI_COMM_WORLD);
    MPI_Error_class(*code, &told);
}

static void error_handlers(void) {
    MPI_Errhandler handler, got;
    MPI_Errhandler_get(MPI_COMM_WORLD, &got);
    assert(got == MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_create(on_error, &handler);
    MPI_Errhandler_set(MPI_COMM_WORLD, handler);
    MPI_Send(NULL, 0, MPI_INT, 99, 0, MPI_COMM_WORLD);
    assert(told == MPI_ERR_RANK);
    MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
}

/* Sends what two places hold, by their absolute addresses, and receives it in one piece. */
static void datatypes(int rank) {
    int apart[6] = {1, 2, 3, 4, 5, 6}, together[2] = {0};
    MPI_Aint from[2], extent, lower, upper;
    MPI_Datatype pair, type[2] = {MPI_INT, MPI_INT}, list, strided;
    MPI_Address(&apart[1], &from[0]);
    MPI_Address(&apart[4], &from[1]);
    MPI_Type_struct(2, (int[]){1, 1}, from, type, &pair);
    MPI_Type_commit(&pair);
    MPI_Sendrecv(MPI_BOTTOM, 1, pair, 1 - rank, 0, together, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(together[0] == 2 && together[1] == 5);
    MPI_Type_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){4, 12}, MPI_INT, &list);
    MPI_Type_extent(list, &extent);
    MPI_Type_lb(list, &lower);
    MPI_Type_ub(list, &upper);
    assert(extent == 16 && lower == 4 && upper == 20);
    MPI_Type_hvector(3, 1, 8, MPI_INT, &strided);
    MPI_Type_extent(strided, &extent);
    assert(extent == 20);
    MPI_Type_free(&pair);
    MPI_Type_free(&list);
    MPI_Type_free(&strided);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    attributes();
    error_handlers();
    datatypes(rank);
    MPI_Finalize();
    return 0;
}
