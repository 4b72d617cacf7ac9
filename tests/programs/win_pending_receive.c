/* A message is received into a part of a window that nobody else accesses, while other ranks put into another part. Who tells them
 * what the window holds reads all of it, the buffer of the pending receive too, and that is no mistake of the program's. A program
 * that reads the buffer of a receive beside the window is found as ever. */
/* explore: ranks=2 verdict=race-free args=fence */
/* explore: ranks=2 verdict=race-free args=lock */
/* explore: ranks=2 verdict=race-free args=attached */
/* explore: ranks=2 verdict=found class=buffer-in-use args=fence_read */
/* explore: ranks=2 verdict=found class=buffer-in-use args=lock_read */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 8, PUT_INTO = 1, RECEIVED_INTO = 4 };

static int rank, other;

/* The first window that there is of `cells`: the receive is pending already. */
static void attach_meanwhile(void) {
    static int cells[CELLS];
    MPI_Win window;
    MPI_Request request;
    int value = rank;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Irecv(&cells[RECEIVED_INTO], 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
    MPI_Win_attach(window, cells, sizeof cells);
    MPI_Win_fence(0, window);
    MPI_Win_fence(0, window);
    MPI_Send(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_detach(window, cells);
    MPI_Win_free(&window);
    printf("%d\n", cells[RECEIVED_INTO]);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    if (strcmp(argv[1], "attached") == 0) {
        attach_meanwhile();
        MPI_Finalize();
        return 0;
    }
    int locks = strncmp(argv[1], "lock", 4) == 0, *cells, beside = 0, value = 40 + rank;
    MPI_Win window;
    MPI_Request request[2];
    MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &window);
    for (int i = 0; i < CELLS; i++)
        cells[i] = i + 1;
    if (locks) {
        MPI_Win_lock_all(0, window);
        MPI_Win_sync(window);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Win_fence(0, window);
    }
    MPI_Irecv(&cells[RECEIVED_INTO], 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&beside, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Put(&value, 1, MPI_INT, other, PUT_INTO, 1, MPI_INT, window);
    if (locks) {
        MPI_Win_flush(other, window);
        MPI_Win_sync(window);
    } else {
        MPI_Win_fence(0, window);
    }
    if (strstr(argv[1], "_read"))
        printf("%d\n", beside);
    int sent[2] = {50 + rank, 60 + rank};
    MPI_Request send[2];
    MPI_Isend(&sent[0], 1, MPI_INT, other, 0, MPI_COMM_WORLD, &send[0]);
    MPI_Isend(&sent[1], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &send[1]);
    MPI_Waitall(2, send, MPI_STATUSES_IGNORE);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    if (locks) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_sync(window);
        MPI_Win_unlock_all(window);
    } else {
        MPI_Win_fence(0, window);
    }
    printf("%d %d %d\n", cells[PUT_INTO], cells[RECEIVED_INTO], beside);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
