/* A master that gives a task to each worker, then to whoever has done one, and counts what is done. Workers keep the task that they
 * are at until the next comes, so that states differ in who is at which: of n workers at different tasks n! states are the same but
 * for who is who. The argument: how many tasks, and after a comma what is different or goes wrong, if anything:
 *
 *     turn      workers are told to stop when all is done, one after the other
 *     who       the master prints which worker did the last task, which depends on the order
 *     last      worker 2 fails if it is given the last task
 *     lost      the master does not tell worker 2 to stop if that one has done the last task
 *     unequal   worker 1 answers with its number, the others with none, and the master adds up: not the same in all orders */
/* explore: ranks=4 args=8 verdict=race-free */
/* explore: ranks=4 args=8,turn verdict=race-free */
/* explore: ranks=4 args=8,who verdict=found class=race-output */
/* explore: ranks=4 args=8,last verdict=found class=crash */
/* explore: ranks=4 args=8,lost verdict=found class=deadlock */
/* explore: ranks=4 args=8,unequal verdict=found class=race-output */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_TASK = 1, TAG_STOP, TAG_DONE };

static const char *how = "";

static int is(const char *what) { return strcmp(how, what) == 0; }

static void give(int worker, int *next, int tasks) {
    if (*next == tasks) {
        if (!is("turn"))
            MPI_Send(NULL, 0, MPI_INT, worker, TAG_STOP, MPI_COMM_WORLD);
        return;
    }
    ++*next;
    MPI_Send(next, 1, MPI_INT, worker, TAG_TASK, MPI_COMM_WORLD);
}

static void master(int ranks, int tasks) {
    int next = 0, done = 0, sum = 0, last = 0;
    for (int worker = 1; worker < ranks; worker++)
        give(worker, &next, tasks);
    while (done < tasks) {
        int answer;
        MPI_Status status;
        MPI_Recv(&answer, 1, MPI_INT, MPI_ANY_SOURCE, TAG_DONE, MPI_COMM_WORLD, &status);
        done++;
        sum += answer;
        last = status.MPI_SOURCE;
        if (!is("lost") || last != 2 || done < tasks)
            give(last, &next, tasks);
    }
    for (int worker = 1; is("turn") && worker < ranks; worker++)
        MPI_Send(NULL, 0, MPI_INT, worker, TAG_STOP, MPI_COMM_WORLD);
    printf("%d done, %d\n", done, sum);
    if (is("who"))
        printf("the last by %d\n", last);
}

static void worker(int rank, int tasks) {
    for (;;) {
        int task = 0, answer = is("unequal") && rank == 1;
        MPI_Status status;
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP)
            return;
        if (is("last") && rank == 2 && task == tasks)
            abort();
        MPI_Send(&answer, 1, MPI_INT, 0, TAG_DONE, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int tasks = atoi(argv[1]);
    if (strchr(argv[1], ','))
        how = strchr(argv[1], ',') + 1;
    if (rank == 0)
        master(ranks, tasks);
    else
        worker(rank, tasks);
    MPI_Finalize();
    return 0;
}
