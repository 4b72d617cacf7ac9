/* A key of attributes that is freed exists until no attribute has it (MPI-3.1 section 6.7.2): with a copy of its handle an attribute
 * may still be read, and deleted, and the last time is the last.
 *
 *   attached                       that is so of communicators, windows and datatypes, predefined ones too
 *   comm, copied, win, type, int   of these it is used once more: `copied` is a communicator that has got its attribute from another,
 *                                  `int` is MPI_INT
 *   unused                         freed before anything was set */
/* explore: ranks=1 verdict=race-free args=attached */
/* explore: ranks=1 verdict=found class=invalid-argument args=comm says=keyval */
/* explore: ranks=1 verdict=found class=invalid-argument args=copied says=keyval */
/* explore: ranks=1 verdict=found class=invalid-argument args=win says=keyval */
/* explore: ranks=1 verdict=found class=invalid-argument args=type says=keyval */
/* explore: ranks=1 verdict=found class=invalid-argument args=int says=keyval */
/* explore: ranks=1 verdict=found class=invalid-argument args=unused says=keyval */
#include <assert.h>
#include <mpi.h>
#include <string.h>

static int place;

static void of_communicators(int again) {
    MPI_Comm copy;
    void *value;
    int flag, keyval, kept;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, kept = keyval, &place);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm_delete_attr(MPI_COMM_SELF, kept);
    MPI_Comm_get_attr(copy, kept, &value, &flag);
    assert(flag && value == &place);
    MPI_Comm_free(&copy);
    if (again)
        MPI_Comm_get_attr(MPI_COMM_SELF, kept, &value, &flag);
}

static void of_one_communicator(int again) {
    int keyval, kept;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, kept = keyval, &place);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, kept);
    if (again)
        MPI_Comm_delete_attr(MPI_COMM_WORLD, kept);
}

static void of_windows(int again) {
    MPI_Win window;
    int keyval, kept;
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyval, NULL);
    MPI_Win_set_attr(window, kept = keyval, &place);
    MPI_Win_free_keyval(&keyval);
    MPI_Win_delete_attr(window, kept);
    if (again)
        MPI_Win_set_attr(window, kept, &place);
    MPI_Win_free(&window);
}

static void of_type(MPI_Datatype type, int again) {
    void *value;
    int flag, keyval, kept;
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, NULL);
    MPI_Type_set_attr(type, kept = keyval, &place);
    MPI_Type_free_keyval(&keyval);
    MPI_Type_get_attr(type, kept, &value, &flag);
    assert(flag && value == &place);
    MPI_Type_delete_attr(type, kept);
    if (again)
        MPI_Type_get_attr(type, kept, &value, &flag);
}

int main(int argc, char **argv) {
    MPI_Datatype pair;
    MPI_Init(&argc, &argv);
    of_communicators(strcmp(argv[1], "copied") == 0);
    of_one_communicator(strcmp(argv[1], "comm") == 0);
    of_windows(strcmp(argv[1], "win") == 0);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    of_type(pair, strcmp(argv[1], "type") == 0);
    of_type(MPI_INT, strcmp(argv[1], "int") == 0);
    MPI_Type_free(&pair);
    if (strcmp(argv[1], "unused") == 0) {
        int keyval, kept;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
        kept = keyval;
        MPI_Comm_free_keyval(&keyval);
        MPI_Comm_set_attr(MPI_COMM_WORLD, kept, &place);
    }
    MPI_Finalize();
    return 0;
}
