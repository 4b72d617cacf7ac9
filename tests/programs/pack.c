/* A string of unknown length and a number in one packed message. */
/* explore: ranks=2 verdict=race-free */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 64 };

static void send_packed(void) {
    char room[ROOM], text[] = "eleven";
    int used = 0, length = (int)sizeof text;
    double number = 11.5;
    MPI_Pack(&length, 1, MPI_INT, room, ROOM, &used, MPI_COMM_WORLD);
    MPI_Pack(text, length, MPI_CHAR, room, ROOM, &used, MPI_COMM_WORLD);
    MPI_Pack(&number, 1, MPI_DOUBLE, room, ROOM, &used, MPI_COMM_WORLD);
    MPI_Send(room, used, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
}

static void receive_packed(void) {
    char room[ROOM], text[ROOM];
    int used = 0, length, size;
    double number;
    MPI_Status status;
    MPI_Recv(room, ROOM, MPI_PACKED, 0, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_PACKED, &size);
    MPI_Unpack(room, size, &used, &length, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(room, size, &used, text, length, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Unpack(room, size, &used, &number, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    assert(strcmp(text, "eleven") == 0 && number == 11.5 && used == size);
    printf("%s %g\n", text, number);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        send_packed();
    else if (rank == 1)
        receive_packed();
    MPI_Finalize();
    return 0;
}
