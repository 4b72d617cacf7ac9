/* explore: ranks=2 verdict=race-free */
/* explore: ranks=3 verdict=race-free args=nested */
/* explore: ranks=1 verdict=race-free args=freed mpiexec=no */
/* explore: ranks=1 verdict=race-free args=unmade */
/* An error handler is given the error code that the function is going to return (MPI-3.1 sections 8.3.1 to 8.3.3), and so decides
 * what it returns: MPI_SUCCESS where it has seen to the error, or a code of the program's own. Of communicators, of windows and of
 * files; of a handler whose handle had belonged to another one; of a message that is too long for its receive, in all orderings.
 * `nested`: of a handler that communicates, and makes an error of its own, which another handler changes.
 * `freed`: of a freed datatype, which MPICH takes for a good one.
 * `unmade`: of a datatype that cannot be made, so that none is left to free, whatever is returned. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int calls, own_code;

static void forgive(MPI_Comm *communicator, int *code, ...) {
    (void)communicator;
    calls++;
    *code = MPI_SUCCESS;
}

static void rename_error(MPI_Comm *communicator, int *code, ...) {
    (void)communicator;
    calls++;
    *code = own_code;
}

static void forgive_window(MPI_Win *window, int *code, ...) {
    (void)window;
    calls++;
    *code = MPI_SUCCESS;
}

static void forgive_file(MPI_File *file, int *code, ...) {
    (void)file;
    calls++;
    *code = MPI_SUCCESS;
}

static void require(int holds, const char *what) {
    if (holds)
        return;
    fprintf(stderr, "not so: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define REQUIRE(condition) require(condition, #condition)

static void set_handler(MPI_Comm_errhandler_function *function) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(function, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
}

static int send_to_nobody(void) {
    int value = 1;
    return MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
}

static int receive_too_much(int rank) {
    int values[3] = {1, 2, 3};
    MPI_Request request;
    if (rank == 0)
        return MPI_Send(values, 3, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Irecv(values, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void use_communicator(int rank) {
    set_handler(forgive);
    REQUIRE(send_to_nobody() == MPI_SUCCESS && calls == 1);
    REQUIRE(receive_too_much(rank) == MPI_SUCCESS && calls == 1 + rank);
    set_handler(rename_error);
    calls = 0;
    REQUIRE(send_to_nobody() == own_code && calls == 1);
    REQUIRE(receive_too_much(rank) == (rank == 0 ? MPI_SUCCESS : own_code) && calls == 1 + rank);
    REQUIRE(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER) == MPI_SUCCESS && calls == 2 + rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    REQUIRE(send_to_nobody() != MPI_SUCCESS && calls == 2 + rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void use_window(void) {
    MPI_Win window;
    MPI_Errhandler handler;
    int memory = 0, value = 1;
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_create_errhandler(forgive_window, &handler);
    MPI_Win_set_errhandler(window, handler);
    MPI_Errhandler_free(&handler);
    calls = 0;
    MPI_Win_fence(0, window);
    REQUIRE(MPI_Put(&value, 1, MPI_INT, 99, 0, 1, MPI_INT, window) == MPI_SUCCESS && calls == 1);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void use_file(void) {
    MPI_File file = MPI_FILE_NULL;
    MPI_Errhandler handler;
    MPI_File_create_errhandler(forgive_file, &handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler);
    MPI_Errhandler_free(&handler);
    calls = 0;
    REQUIRE(MPI_File_open(MPI_COMM_WORLD, "no.such.file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS && calls == 1);
}

static void communicate(MPI_Comm *communicator, int *code, ...) {
    int rank, received;
    MPI_Request request;
    calls++;
    MPI_Comm_rank(*communicator, &rank);
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &request);
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(*communicator);
    REQUIRE(received == rank);
    REQUIRE(MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_SELF) == own_code);
    *code = MPI_SUCCESS;
}

static void use_nested(void) {
    MPI_Errhandler handler;
    int value = 1, received;
    set_handler(communicate);
    MPI_Comm_create_errhandler(rename_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Errhandler_free(&handler);
    for (int i = 0; i < 2; i++) {
        REQUIRE(send_to_nobody() == MPI_SUCCESS);
        REQUIRE(MPI_Sendrecv(&value, 1, MPI_INT, 99, 0, &received, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
                MPI_SUCCESS);
    }
    REQUIRE(calls == 8);
}

static void use_freed(void) {
    MPI_Datatype pair, freed, made;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    freed = pair;
    MPI_Type_free(&pair);
    set_handler(rename_error);
    REQUIRE(MPI_Type_contiguous(2, freed, &made) == own_code && calls == 1);
}

static void use_unmade(void) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    set_handler(forgive);
    REQUIRE(MPI_Type_contiguous(-1, MPI_INT, &made) == MPI_SUCCESS && calls == 1 && made == MPI_DATATYPE_NULL);
    REQUIRE(MPI_Type_contiguous(2, MPI_INT, &made) == MPI_SUCCESS && calls == 1 && made != MPI_DATATYPE_NULL);
    MPI_Type_free(&made);
}

int main(int argc, char **argv) {
    int rank, own_class;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Add_error_class(&own_class);
    MPI_Add_error_code(own_class, &own_code);
    if (argc > 1 && !strcmp(argv[1], "nested")) {
        use_nested();
    } else if (argc > 1 && !strcmp(argv[1], "unmade")) {
        use_unmade();
    } else if (argc > 1) {
        use_freed();
    } else {
        use_communicator(rank);
        use_window();
        use_file();
    }
    MPI_Finalize();
    return 0;
}
