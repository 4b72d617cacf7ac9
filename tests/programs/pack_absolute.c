/* explore: ranks=2 verdict=race-free mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=null */
/* A number and an array wherever they are, packed from MPI_BOTTOM by a datatype of their addresses and unpacked to there: the same
 * buffers as MPI_Send may have (MPI-3.1 sections 4.1.5 and 4.2). MPICH 4.0 takes MPI_BOTTOM for a null pointer. `null`: of an MPI_INT
 * it is one. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 5, ROOM = 256 };

static int count;
static double *list;

static MPI_Datatype type_of_both(void) {
    int lengths[] = {1, COUNT};
    MPI_Aint places[2];
    MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE}, both;
    MPI_Get_address(&count, &places[0]);
    MPI_Get_address(list, &places[1]);
    MPI_Type_create_struct(2, lengths, places, types, &both);
    MPI_Type_commit(&both);
    return both;
}

static void set(int first) {
    count = first;
    for (int i = 0; i < COUNT; i++)
        list[i] = first + i;
}

static void expect(int first) {
    assert(count == first);
    for (int i = 0; i < COUNT; i++)
        assert(list[i] == first + i);
}

static void send_packed(MPI_Datatype both) {
    char room[ROOM];
    int used = 0;
    set(7);
    MPI_Pack(MPI_BOTTOM, 1, both, room, ROOM, &used, MPI_COMM_WORLD);
    assert(used == (int)(sizeof count + COUNT * sizeof *list));
    MPI_Send(room, used, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
}

static void receive_packed(MPI_Datatype both) {
    char room[ROOM];
    int used = 0;
    set(0);
    MPI_Recv(room, ROOM, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Unpack(room, ROOM, &used, MPI_BOTTOM, 1, both, MPI_COMM_WORLD);
    expect(7);
}

static void pack_external(void) {
    char room[ROOM];
    const int length = COUNT;
    MPI_Aint used = 0, size, place;
    MPI_Datatype array;
    MPI_Get_address(list, &place);
    MPI_Type_create_hindexed(1, &length, &place, MPI_DOUBLE, &array);
    MPI_Type_commit(&array);
    set(3);
    MPI_Pack_external_size("external32", 1, array, &size);
    MPI_Pack_external("external32", MPI_BOTTOM, 1, array, room, ROOM, &used);
    assert(used == size);
    set(0);
    used = 0;
    MPI_Unpack_external("external32", room, size, &used, MPI_BOTTOM, 1, array);
    count = 3;
    expect(3);
    MPI_Type_free(&array);
}

static void pack_null(void) {
    char room[ROOM];
    int used = 0;
    MPI_Pack(NULL, 1, MPI_INT, room, ROOM, &used, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    list = malloc(COUNT * sizeof *list);
    MPI_Datatype both = type_of_both();
    if (argc > 1)
        pack_null();
    else if (rank == 0)
        send_packed(both);
    else
        receive_packed(both);
    pack_external();
    MPI_Type_free(&both);
    free(list);
    MPI_Finalize();
    return 0;
}
