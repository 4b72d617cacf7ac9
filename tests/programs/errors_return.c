/* With MPI_ERRORS_RETURN the program deals with errors itself: wrong arguments and a truncated message give error codes,
 * and it goes on. The buffer is too short for three numbers in every ordering. */
/* explore: ranks=2 verdict=race-free args=return */
/* explore: ranks=2 verdict=race-free args=own */
/* explore: ranks=2 verdict=race-free args=copied */
/* explore: ranks=2 verdict=found class=truncation args=fatal mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=reset mpiexec=no */
/* explore: ranks=2 verdict=found class=truncation args=aborting mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=freed says=truncated mpiexec=no */
/* explore: ranks=2 verdict=found class=abort says=handler args=called mpiexec=no */
/* explore: ranks=2 verdict=race-free args=late_return */
/* explore: ranks=2 verdict=found class=truncation args=late_fatal mpiexec=no */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int handled;

static void count_error(MPI_Comm *communicator, int *error, ...) {
    int class;
    MPI_Error_class(*error, &class);
    printf("error class %d on %s\n", class, *communicator == MPI_COMM_WORLD ? "the world" : "another");
    handled++;
}

static void expect(int error, int class) {
    int found;
    MPI_Error_class(error, &found);
    assert(found == class);
}

static void make_errors(MPI_Comm communicator, int rank, int expected_handled) {
    int numbers[3] = {1, 2, 3}, received[3] = {0}, more[2];
    expect(MPI_Send(numbers, 1, MPI_INT, 99, 0, communicator), MPI_ERR_RANK);
    expect(MPI_Send(numbers, -1, MPI_INT, 0, 0, communicator), MPI_ERR_COUNT);
    if (rank == 0) {
        MPI_Send(numbers, 3, MPI_INT, 1, 0, communicator);
        MPI_Send(numbers, 3, MPI_INT, 1, 1, communicator);
        MPI_Send(numbers, 2, MPI_INT, 1, 2, communicator);
        assert(handled == expected_handled * 2);
        return;
    }
    MPI_Status status[2];
    expect(MPI_Recv(received, 2, MPI_INT, 0, 0, communicator, &status[0]), MPI_ERR_TRUNCATE);
    assert(received[2] == 0);
    MPI_Request request[2];
    MPI_Irecv(received, 2, MPI_INT, 0, 1, communicator, &request[0]);
    MPI_Irecv(more, 2, MPI_INT, 0, 2, communicator, &request[1]);
    expect(MPI_Waitall(2, request, status), MPI_ERR_IN_STATUS);
    expect(status[0].MPI_ERROR, MPI_ERR_TRUNCATE);
    if (status[1].MPI_ERROR == MPI_ERR_PENDING) /* allowed: neither failed nor complete */
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    else
        expect(status[1].MPI_ERROR, MPI_SUCCESS);
    assert(handled == expected_handled * 4);
}

/* The handler is changed between the receive and its wait, which is where the error shows. */
static void change_handler(int rank, MPI_Errhandler first, MPI_Errhandler then) {
    int numbers[3] = {1, 2, 3};
    MPI_Request request;
    if (rank == 1) {
        MPI_Ssend(numbers, 3, MPI_INT, 0, 0, MPI_COMM_WORLD);
        return;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, first);
    MPI_Irecv(numbers, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, then);
    expect(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
}

/* With the communicator its handler is gone, with MPICH too. */
static void free_before_error(int rank) {
    int numbers[3] = {1, 2, 3};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm copy;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Isend(numbers, 3, MPI_INT, 1, 0, copy, &request);
    else
        MPI_Irecv(numbers, 2, MPI_INT, 0, 0, copy, &request);
    MPI_Comm_free(&copy);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank;
    const char *mode = argc > 1 ? argv[1] : "return";
    MPI_Comm communicator = MPI_COMM_WORLD;
    MPI_Errhandler own, now;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
    assert(now == MPI_ERRORS_ARE_FATAL);
    if (strcmp(mode, "fatal"))
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!strcmp(mode, "own")) {
        MPI_Comm_create_errhandler(count_error, &own);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
        MPI_Errhandler_free(&own);
    }
    if (!strcmp(mode, "copied"))
        MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
    if (!strcmp(mode, "reset"))
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (!strcmp(mode, "aborting"))
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT);
    if (!strcmp(mode, "called")) {
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    } else if (!strcmp(mode, "late_return")) {
        change_handler(rank, MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN);
    } else if (!strcmp(mode, "late_fatal")) {
        change_handler(rank, MPI_ERRORS_RETURN, MPI_ERRORS_ARE_FATAL);
    } else if (!strcmp(mode, "freed")) {
        free_before_error(rank);
    } else if (!strcmp(mode, "fatal") || !strcmp(mode, "aborting")) {
        int numbers[3] = {1, 2, 3};
        if (rank == 0)
            MPI_Send(numbers, 3, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(numbers, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        make_errors(communicator, rank, !strcmp(mode, "own"));
    }
    if (communicator != MPI_COMM_WORLD)
        MPI_Comm_free(&communicator);
    MPI_Finalize();
    return 0;
}
