/* Attributes: what MPI predefines, copies on MPI_Comm_dup, deletes on MPI_Comm_free and on MPI_Finalize, where those of
 * MPI_COMM_SELF go first, the last one set first, and the callbacks may still call MPI (MPI-3.1 sections 6.7 and 8.7.1). The
 * deprecated names do the same. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=found class=crash args=wrong mpiexec=no */
#include <assert.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>

static int copies, deletes;
static char order[8];

static int copy(MPI_Comm old, int keyval, void *extra, void *value, void *result, int *flag) {
    (void)keyval;
    assert(old == MPI_COMM_WORLD && extra == &copies);
    copies++;
    *(void **)result = (char *)value + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete (MPI_Comm communicator, int keyval, void *value, void *extra) {
    int rank, finalized;
    (void)keyval, (void)extra, (void)value;
    MPI_Comm_rank(communicator, &rank);
    MPI_Finalized(&finalized);
    assert(!finalized);
    deletes++;
    return MPI_SUCCESS;
}

static int note_order(MPI_Comm communicator, int keyval, void *value, void *extra) {
    (void)keyval, (void)extra;
    order[strlen(order)] = (char)(intptr_t)value;
    MPI_Barrier(communicator);
    return MPI_SUCCESS;
}

static void check_predefined(void) {
    int *value, flag, size;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    assert(flag && *value >= 32767);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag);
    assert(flag);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag);
    assert(flag);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
    assert(flag);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
    assert(!flag || *value >= size);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
    assert(!flag || *value == 0);
    MPI_Attr_get(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
    assert(flag && *value >= MPI_ERR_LASTCODE);
}

static void check_copies(void) {
    int keyval, none, flag;
    char place[3], *value;
    MPI_Comm copied;
    MPI_Comm_create_keyval(copy, delete, &keyval, &copies);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &none, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, place);
    MPI_Comm_set_attr(MPI_COMM_WORLD, none, place);
    MPI_Comm_dup(MPI_COMM_WORLD, &copied);
    assert(copies == 1);
    MPI_Comm_get_attr(copied, keyval, &value, &flag);
    assert(flag && value == place + 1);
    MPI_Comm_get_attr(copied, none, &value, &flag);
    assert(!flag);
    MPI_Comm_set_attr(copied, keyval, place);
    assert(deletes == 1); /* of the value replaced */
    MPI_Comm_free(&copied);
    assert(deletes == 2);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, none);
    assert(deletes == 3);
    MPI_Comm_free_keyval(&none);
    MPI_Comm_free_keyval(&keyval); /* the attribute of MPI_COMM_WORLD still needs it */
    assert(keyval == MPI_KEYVAL_INVALID);
}

static void set_for_finalize(void) {
    int keyval[3];
    for (int i = 0; i < 3; i++) {
        MPI_Keyval_create(MPI_NULL_COPY_FN, note_order, &keyval[i], NULL);
        MPI_Attr_put(MPI_COMM_SELF, keyval[i], (void *)(intptr_t)('a' + i));
        MPI_Keyval_free(&keyval[i]);
    }
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    check_predefined();
    check_copies();
    set_for_finalize();
    MPI_Finalize();
    assert(strcmp(order, strcmp(mode, "wrong") ? "cba" : "abc") == 0);
    assert(deletes == 4);
    return 0;
}
