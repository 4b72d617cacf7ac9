/* What a program makes it must free before MPI_Finalize; what is predefined, or part of something else, it need not.
 * "freed" frees one of everything, in ways that MPI allows: types and operators in use, a group of a communicator that is gone,
 * a keyval that still has attributes. */
/* explore: ranks=2 verdict=race-free args=freed */
/* explore: ranks=2 verdict=race-free args=nothing */
/* explore: ranks=2 verdict=found class=handle-leak says=communicator args=communicator mpiexec=no */
/* explore: ranks=2 verdict=found class=handle-leak says=communicator args=split mpiexec=no */
/* explore: ranks=2 verdict=found class=handle-leak says=group args=group mpiexec=no */
/* explore: ranks=2 verdict=found class=handle-leak failing=1/1 args=group mpiexec=no */
/* explore: ranks=2 verdict=found class=handle-leak says=datatype args=datatype mpiexec=no */
/* explore: ranks=2 verdict=found class=handle-leak says=datatype args=contents mpiexec=no */
/* explore: ranks=2 verdict=found class=handle-leak says=operator args=operator mpiexec=no */
/* explore: ranks=2 verdict=found class=handle-leak says=info args=info mpiexec=no */
/* explore: ranks=2 verdict=found class=handle-leak says=keyval args=keyval mpiexec=no */
/* explore: ranks=2 verdict=found class=handle-leak says=handler args=handler mpiexec=no */
/* explore: ranks=2 verdict=found class=handle-leak says=MPI_Comm_get_errhandler args=handler_got mpiexec=no */
/* explore: ranks=2 verdict=found class=handle-leak says=MPI_Win_get_errhandler args=handler_of_window_got mpiexec=no */
/* explore: ranks=2 verdict=found class=handle-leak says=persistent args=persistent mpiexec=no */
/* explore: ranks=2 verdict=found class=handle-leak says=window args=window mpiexec=no */
#include <assert.h>
#include <mpi.h>
#include <string.h>

static const char *mode;

/* Makes this kind of object, and frees it unless it is the one to leak. */
static int makes(const char *kind) { return strcmp(mode, "freed") == 0 || strcmp(mode, kind) == 0; }
static int frees(const char *kind) { return strcmp(mode, kind) != 0; }

static void add(void *in, void *out, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)out)[i] += ((int *)in)[i];
}

static void ignore_error(MPI_Comm *communicator, int *error, ...) { (void)communicator, (void)error; }

static void use_communicators(int rank) {
    MPI_Comm copy, half;
    MPI_Group group;
    if (makes("communicator")) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        if (frees("communicator"))
            MPI_Comm_free(&copy);
    }
    if (makes("split")) {
        MPI_Comm_split(MPI_COMM_WORLD, rank ? MPI_UNDEFINED : 0, 0, &half);
        if (rank == 0 && frees("split"))
            MPI_Comm_free(&half);
    }
    if (makes("group")) {
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        MPI_Comm_group(copy, &group);
        MPI_Comm_free(&copy);
        if (frees("group"))
            MPI_Group_free(&group);
    }
}

static void use_window(void) {
    MPI_Win window;
    if (!makes("window"))
        return;
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (frees("window"))
        MPI_Win_free(&window);
}

static void use_types(int rank) {
    MPI_Datatype pair, outer, inner, type;
    MPI_Aint address;
    int number[4] = {rank}, integer[3];
    if (makes("datatype")) {
        MPI_Request request;
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_commit(&pair);
        MPI_Irecv(number, 1, pair, rank, 0, MPI_COMM_WORLD, &request);
        if (frees("datatype"))
            MPI_Type_free(&pair);
        MPI_Send(number + 2, 2, MPI_INT, rank, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (makes("contents")) { /* the handles that MPI_Type_get_contents returns are new ones */
        MPI_Type_contiguous(2, MPI_INT, &inner);
        MPI_Type_vector(2, 1, 2, inner, &outer);
        MPI_Type_free(&inner);
        MPI_Type_get_contents(outer, 3, 0, 1, integer, &address, &type);
        MPI_Type_free(&outer);
        if (frees("contents"))
            MPI_Type_free(&type);
    }
    MPI_Type_create_f90_real(6, 30, &type); /* predefined: not to be freed */
}

static void use_requests(int rank) {
    int number = rank;
    MPI_Request request;
    if (!makes("persistent"))
        return;
    MPI_Send_init(&number, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (frees("persistent"))
        MPI_Request_free(&request);
}

static void ignore_error_of_window(MPI_Win *window, int *error, ...) { (void)window, (void)error; }

/* A handler that is got is to be freed, unless it is predefined, though the program has made it itself (MPI-3.1 8.3). */
static void use_handlers_got(void) {
    MPI_Errhandler made, got, predefined;
    MPI_Win window;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &predefined);
    assert(predefined == MPI_ERRORS_ARE_FATAL);
    if (makes("handler_got")) {
        MPI_Comm_create_errhandler(ignore_error, &made);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, made);
        MPI_Errhandler_free(&made);
        MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, predefined);
        if (frees("handler_got"))
            MPI_Errhandler_free(&got);
    }
    if (makes("handler_of_window_got")) {
        MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_create_errhandler(ignore_error_of_window, &made);
        MPI_Win_set_errhandler(window, made);
        MPI_Errhandler_free(&made);
        MPI_Win_get_errhandler(window, &got);
        MPI_Win_free(&window);
        if (frees("handler_of_window_got"))
            MPI_Errhandler_free(&got);
    }
}

static void use_others(void) {
    int number = 1, sum, keyval;
    MPI_Op op;
    MPI_Info info, copy;
    MPI_Errhandler handler;
    if (makes("operator")) {
        MPI_Op_create(add, 1, &op);
        MPI_Allreduce(&number, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
        if (frees("operator"))
            MPI_Op_free(&op);
    }
    if (makes("info")) {
        MPI_Info_create(&info);
        MPI_Info_dup(info, &copy);
        MPI_Info_free(&info);
        if (frees("info"))
            MPI_Info_free(&copy);
    }
    if (makes("keyval")) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
        MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &number);
        if (frees("keyval"))
            MPI_Comm_free_keyval(&keyval);
    }
    if (makes("handler")) {
        MPI_Comm_create_errhandler(ignore_error, &handler);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
        if (frees("handler"))
            MPI_Errhandler_free(&handler);
    }
    use_handlers_got();
}

int main(int argc, char **argv) {
    int rank;
    mode = argc > 1 ? argv[1] : "freed";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    use_communicators(rank);
    use_window();
    use_types(rank);
    use_requests(rank);
    use_others();
    MPI_Finalize();
    return 0;
}
