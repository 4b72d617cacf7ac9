/* Arguments of calls that talk to nobody: wrong for MPI-3.1, whatever a library may do with them.
 *
 *   valid         all of them with right arguments, empty lists among them
 *   ranges        a negative number of ranges (section 6.3.2)
 *   backwards     a range that its step leads away from its end
 *   translate     a negative number of ranks
 *   start         a negative number of requests (section 3.9)
 *   attach        no buffer of 100 bytes (section 3.6)
 *   index         a negative length of an array (section 7.5.5)
 *   neighbours    the same
 *   reduce        a negative count (section 5.9.7)
 *   null_size     nowhere to put an answer
 *   null_request  no request to wait for
 *   null_status   a null pointer is not MPI_STATUS_IGNORE
 *   freed_twice   an error handler, through a copy of its handle (section 8.3)
 *   freed_set     an error handler that was freed is set
 *   own_null      a null pointer that the program's own operator uses, not MPI
 */
/* explore: ranks=2 verdict=race-free args=valid */
/* explore: ranks=2 verdict=found class=invalid-argument says=negative args=ranges */
/* explore: ranks=2 verdict=found class=invalid-argument says=range args=backwards */
/* explore: ranks=2 verdict=found class=invalid-argument says=negative args=translate */
/* explore: ranks=2 verdict=found class=invalid-argument says=negative args=start */
/* explore: ranks=2 verdict=found class=invalid-argument says=null args=attach */
/* explore: ranks=2 verdict=found class=invalid-argument says=negative args=index */
/* explore: ranks=2 verdict=found class=invalid-argument says=negative args=neighbours mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=negative args=reduce mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=null args=null_size */
/* explore: ranks=2 verdict=found class=invalid-argument says=null args=null_request */
/* explore: ranks=2 verdict=found class=invalid-argument says=null args=null_status */
/* explore: ranks=2 verdict=found class=invalid-argument says=handler args=freed_twice */
/* explore: ranks=2 verdict=found class=invalid-argument says=handler args=freed_set */
/* explore: ranks=2 verdict=found class=crash args=own_null */
#include <mpi.h>
#include <string.h>

static const char *mode;
static int is(const char *name) { return strcmp(mode, name) == 0; }

static void choose_groups(void) {
    MPI_Group world, chosen;
    int ranges[][3] = {{0, 1, is("backwards") ? -1 : 1}}, ranks[] = {0, 1}, translated[2];
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, is("ranges") ? -1 : 1, ranges, &chosen);
    MPI_Group_translate_ranks(world, is("translate") ? -1 : 2, ranks, chosen, translated);
    MPI_Group_free(&chosen);
    MPI_Group_range_excl(world, 0, ranges, &chosen);
    MPI_Group_free(&chosen);
    MPI_Group_free(&world);
}

static void look_at_graph(void) {
    MPI_Comm graph;
    int index[] = {1, 2}, edges[] = {1, 0};
    MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &graph);
    MPI_Graph_get(graph, is("index") ? -1 : 2, 2, index, edges);
    MPI_Graph_neighbors(graph, 0, is("neighbours") ? -1 : 1, edges);
    MPI_Comm_free(&graph);
}

static void add(void *in, void *out, int *count, MPI_Datatype *type) {
    int *volatile nowhere = NULL;
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)out)[i] += ((const int *)in)[i] + (is("own_null") ? *nowhere : 0);
}

static void reduce(void) {
    MPI_Op op;
    int one = 1, two = 2;
    MPI_Op_create(add, 1, &op);
    MPI_Reduce_local(&one, &two, 1, MPI_INT, op);
    MPI_Reduce_local(&one, &two, is("reduce") ? -1 : 0, MPI_INT, MPI_SUM);
    MPI_Op_free(&op);
}

static void pass_over(MPI_Comm *communicator, int *error, ...) { (void)communicator, (void)error; }

/* A handler that is got is freed as if it had been made, so this one is freed twice. */
static void handle_errors(void) {
    MPI_Errhandler handler, got, copy;
    MPI_Comm_create_errhandler(pass_over, &handler);
    copy = handler;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &got);
    MPI_Errhandler_free(&handler);
    MPI_Errhandler_free(&got);
    if (is("freed_twice"))
        MPI_Errhandler_free(&copy);
    if (is("freed_set"))
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, copy);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static void complete(void) {
    static char room[100];
    void *detached;
    int size;
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Startall(is("start") ? -1 : 0, &none);
    MPI_Wait(is("null_request") ? NULL : &none, is("null_status") ? NULL : MPI_STATUS_IGNORE);
    MPI_Buffer_attach(is("attach") ? NULL : room, sizeof room);
    MPI_Buffer_detach(&detached, &size);
    MPI_Comm_size(MPI_COMM_WORLD, is("null_size") ? NULL : &size);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    mode = argc > 1 ? argv[1] : "valid";
    choose_groups();
    look_at_graph();
    reduce();
    handle_errors();
    complete();
    MPI_Finalize();
    return 0;
}
