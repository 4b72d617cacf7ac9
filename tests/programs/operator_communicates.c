/* What a function given to MPI_Op_create must not do is communicate (MPI-3.1 5.9.5): how often it is called, in which process and when,
 * is MPICH's choice and nobody else's. What needs no other process it may call: it asks for a datatype's size or a rank's number, and
 * reduces further by MPI_Reduce_local. One that is left by longjmp, as C++ programs leave theirs by exceptions, runs no longer ("leave"):
 * what is called then is not called by it, wherever on the stack; but what the next one calls is. */
/* explore: ranks=3 verdict=found class=invalid-argument args=allreduce_send says=MPI_Allreduce mpiexec=no */
/* explore: ranks=3 verdict=found class=invalid-argument args=reduce_send says=MPI_Send mpiexec=no */
/* explore: ranks=3 verdict=found class=invalid-argument args=scan_barrier says=MPI_Barrier mpiexec=no */
/* explore: ranks=3 verdict=found class=invalid-argument args=iallreduce_probe says=MPI_Iprobe mpiexec=no */
/* explore: ranks=3 verdict=found class=invalid-argument args=local_send says=MPI_Reduce_local mpiexec=no */
/* explore: ranks=3 verdict=found class=invalid-argument args=allreduce_put says=MPI_Put mpiexec=no */
/* explore: ranks=3 verdict=race-free args=allreduce_ask */
/* explore: ranks=3 verdict=race-free args=reduce_ask */
/* explore: ranks=3 verdict=race-free args=scan_ask */
/* explore: ranks=3 verdict=race-free args=iallreduce_ask */
/* explore: ranks=3 verdict=race-free args=local_ask */
/* explore: ranks=3 verdict=race-free args=scan_ask_leave */
/* explore: ranks=3 verdict=found class=invalid-argument args=scan_send_leave says=MPI_Scan mpiexec=no */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static const char *what;
static MPI_Win window;
static int rank, one = 1;

static int has(const char *part) { return strstr(what, part) != NULL; }

static void add(void *in, void *inout, int *count, MPI_Datatype *type) {
    int flag, size;
    MPI_Type_size(*type, &size);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (has("send"))
        MPI_Send(&one, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    else if (has("barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    else if (has("probe"))
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    else if (has("put"))
        MPI_Put(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, window);
    MPI_Reduce_local(in, inout, *count, *type, MPI_SUM);
}

static jmp_buf way_out;

static void leave(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)in, (void)inout, (void)count, (void)type;
    longjmp(way_out, 1);
}

static void leave_one(void) {
    int result = 0;
    MPI_Op op;
    MPI_Op_create(leave, 1, &op);
    if (setjmp(way_out) == 0)
        MPI_Reduce_local(&rank, &result, 1, MPI_INT, op);
    MPI_Op_free(&op);
}

/* Other functions' frames come to lie where the operator's was. */
static int talk(int depth) {
    volatile char room[200] = {(char)depth};
    int sum = 0;
    if (depth > 0)
        return talk(depth - 1) + room[0];
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static int reduce(MPI_Op op) {
    int result = 0;
    MPI_Request request;
    if (has("iallreduce")) {
        MPI_Iallreduce(&rank, &result, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (has("allreduce")) {
        MPI_Allreduce(&rank, &result, 1, MPI_INT, op, MPI_COMM_WORLD);
    } else if (has("local")) {
        MPI_Reduce_local(&rank, &result, 1, MPI_INT, op);
    } else if (has("reduce")) {
        MPI_Reduce(&rank, &result, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
    } else {
        MPI_Scan(&rank, &result, 1, MPI_INT, op, MPI_COMM_WORLD);
    }
    return result;
}

int main(int argc, char **argv) {
    static int memory;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    what = argv[1];
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Op_create(add, 1, &op);
    MPI_Win_fence(0, window);
    for (int depth = 0; depth < 12 && has("leave"); depth += 3) {
        leave_one();
        printf("%d\n", talk(depth));
    }
    printf("%d\n", reduce(op));
    MPI_Win_fence(0, window);
    MPI_Op_free(&op);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
