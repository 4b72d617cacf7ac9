/* Master and workers (listing 5.1): whoever is idle gets the next task, so who computes what depends on the order, but each
 * result goes to its task's place. Messages differ between orderings, results do not. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=race-free buffering=infinite */
#include <mpi.h>
#include <stdio.h>

enum { TASKS = 6, TAG_TASK = 1, TAG_STOP, TAG_RESULT };

struct result {
    int task, square;
};

static void give(int worker, int *next) {
    MPI_Send(next, 1, MPI_INT, worker, *next < TASKS ? TAG_TASK : TAG_STOP, MPI_COMM_WORLD);
    if (*next < TASKS)
        ++*next;
}

static void master(int ranks) {
    int square[TASKS] = {0}, next = 0;
    for (int worker = 1; worker < ranks; worker++)
        give(worker, &next);
    for (int done = 0; done < TASKS; done++) {
        struct result result;
        MPI_Status status;
        MPI_Recv(&result, 2, MPI_INT, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
        square[result.task] = result.square;
        give(status.MPI_SOURCE, &next);
    }
    for (int i = 0; i < TASKS; i++)
        printf("%d\n", square[i]);
}

static void worker(void) {
    for (;;) {
        int task;
        MPI_Status status;
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP)
            return;
        struct result result = {task, task * task};
        MPI_Send(&result, 2, MPI_INT, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        master(ranks);
    else
        worker();
    MPI_Finalize();
    return 0;
}
