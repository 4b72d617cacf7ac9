/* What a window says of itself, names, user attributes, error handlers, derived datatypes at the target, and
 * MPI_Win_test. */
/* explore: ranks=2 verdict=race-free */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int memory[8];

static void require(int holds, const char *what) {
    if (holds)
        return;
    printf("wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check_attributes(MPI_Win window) {
    void *value;
    int flag, length, keyval;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Win_get_attr(window, MPI_WIN_BASE, &value, &flag);
    require(flag && value == memory, "base");
    MPI_Win_get_attr(window, MPI_WIN_SIZE, &value, &flag);
    require(flag && *(MPI_Aint *)value == sizeof memory, "size");
    MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, &value, &flag);
    require(flag && *(int *)value == sizeof(int), "displacement unit");
    MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &value, &flag);
    require(flag && *(int *)value == MPI_WIN_FLAVOR_CREATE, "flavor");
    MPI_Win_set_name(window, "cells");
    MPI_Win_get_name(window, name, &length);
    require(!strcmp(name, "cells"), "name");
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyval, NULL);
    MPI_Win_set_attr(window, keyval, memory);
    MPI_Win_get_attr(window, keyval, &value, &flag);
    require(flag && value == memory, "user attribute");
    MPI_Win_free_keyval(&keyval);
}

static void check_group(MPI_Win window) {
    int size;
    MPI_Group group;
    MPI_Win_get_group(window, &group);
    MPI_Group_size(group, &size);
    require(size == 2, "group");
    MPI_Group_free(&group);
}

/* Every other cell of the right neighbour, by a vector at the target. */
static void check_vector(int rank, MPI_Win window) {
    int given[4] = {10 * rank, 10 * rank + 1, 10 * rank + 2, 10 * rank + 3};
    MPI_Datatype every_other;
    MPI_Type_vector(4, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Win_fence(0, window);
    MPI_Put(given, 4, MPI_INT, 1 - rank, 1, 1, every_other, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Type_free(&every_other);
    for (int i = 0; i < 4; i++)
        require(memory[1 + 2 * i] == 10 * (1 - rank) + i && memory[2 * i] == 0, "vector");
}

static void check_error_is_returned(int rank, MPI_Win window) {
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    require(MPI_Put(memory, 1, MPI_INT, rank, 100, 1, MPI_INT, window) != MPI_SUCCESS, "error code");
}

static void check_test(int rank, MPI_Win window) {
    MPI_Group everybody, other;
    int partner = 1 - rank, flag = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    MPI_Group_incl(everybody, 1, &partner, &other);
    MPI_Win_post(other, 0, window);
    MPI_Win_start(other, 0, window);
    MPI_Put(&rank, 1, MPI_INT, partner, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    while (!flag)
        MPI_Win_test(window, &flag);
    require(memory[0] == partner, "test");
    MPI_Group_free(&other);
    MPI_Group_free(&everybody);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    check_attributes(window);
    check_group(window);
    check_vector(rank, window);
    check_error_is_returned(rank, window);
    check_test(rank, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
