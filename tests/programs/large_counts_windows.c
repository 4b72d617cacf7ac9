/* One-sided communication in its forms for large counts, in one epoch between fences and one with locks: rank 0 and 1 work on the
 * window of the other, in elements of their own that only they touch. */
/* explore: ranks=2 verdict=race-free */
#include <assert.h>
#include <mpi.h>

static int rank, other;
static int *memory;

static void with_fences(MPI_Win window) {
    int five = 5, two = 2, got = -1, before = -1;
    MPI_Win_fence(0, window);
    MPI_Put_c(&five, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    MPI_Accumulate_c(&two, 1, MPI_INT, other, 1, 1, MPI_INT, MPI_SUM, window);
    MPI_Get_c(&got, 1, MPI_INT, other, 2, 1, MPI_INT, window);
    MPI_Get_accumulate_c(&two, 1, MPI_INT, &before, 1, MPI_INT, other, 3, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    assert(got == 102 && before == 103);
    assert(memory[0] == 5 && memory[1] == 103 && memory[2] == 102 && memory[3] == 105);
    MPI_Win_fence(0, window);
}

static void with_locks(MPI_Win window) {
    int seven = 7, three = 3, got = -1, before = -1;
    MPI_Request request[4];
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
    MPI_Rput_c(&seven, 1, MPI_INT, other, 0, 1, MPI_INT, window, &request[0]);
    MPI_Raccumulate_c(&three, 1, MPI_INT, other, 1, 1, MPI_INT, MPI_SUM, window, &request[1]);
    MPI_Rget_c(&got, 1, MPI_INT, other, 2, 1, MPI_INT, window, &request[2]);
    MPI_Rget_accumulate_c(&three, 1, MPI_INT, &before, 1, MPI_INT, other, 3, 1, MPI_INT, MPI_SUM, window, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    assert(got == 102 && before == 103);
    MPI_Win_unlock(other, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    assert(memory[0] == 7 && memory[1] == 104 && memory[2] == 102 && memory[3] == 106);
    MPI_Win_unlock(rank, window);
}

static void fill(void) {
    for (int i = 0; i < 4; i++)
        memory[i] = 100 + i;
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    static int own[4];
    MPI_Aint size, unit;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    memory = own;
    fill();
    MPI_Win_create_c(own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    with_fences(window);
    MPI_Win_free(&window);
    MPI_Win_allocate_c(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    for (int i = 0; i < 4; i++)
        memory[i] = 100 + i;
    MPI_Win_unlock(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
    with_locks(window);
    MPI_Win_free(&window);
    MPI_Win_allocate_shared_c(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    int *queried;
    MPI_Win_shared_query_c(window, rank, &size, &unit, &queried);
    assert(queried == memory && size == 4 * sizeof(int) && unit == sizeof(int));
    fill();
    with_fences(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
