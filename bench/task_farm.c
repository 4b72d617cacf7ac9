/* Rank 0 gives tasks to the others, one at a time, to whoever has finished: a result is squared and kept under the task's number, so
 * that the end is always the same. Who gets which task makes many states.
 *
 *     task_farm TASKS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_TASK, TAG_RESULT, TAG_END };

struct answer {
    int task, square;
};

static void give(int worker, int task, int tag) { MPI_Send(&task, 1, MPI_INT, worker, tag, MPI_COMM_WORLD); }

static void master(int workers, int tasks) {
    struct answer answer;
    MPI_Status status;
    int next = 0, busy = 0, *square = calloc((size_t)tasks, sizeof *square);
    for (int worker = 1; worker <= workers && next < tasks; worker++, busy++)
        give(worker, next++, TAG_TASK);
    for (; busy > 0; busy--) {
        MPI_Recv(&answer, 2, MPI_INT, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
        square[answer.task] = answer.square;
        if (next < tasks) {
            give(status.MPI_SOURCE, next++, TAG_TASK);
            busy++;
        }
    }
    long sum = 0;
    for (int worker = 1; worker <= workers; worker++)
        give(worker, 0, TAG_END);
    for (int task = 0; task < tasks; task++)
        sum += square[task];
    printf("%ld\n", sum);
    free(square);
}

static void work(void) {
    struct answer answer;
    MPI_Status status;
    for (;;) {
        MPI_Recv(&answer.task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_END)
            return;
        answer.square = answer.task * answer.task;
        MPI_Send(&answer, 2, MPI_INT, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        master(size - 1, argc > 1 ? atoi(argv[1]) : 20);
    else
        work();
    MPI_Finalize();
    return 0;
}
