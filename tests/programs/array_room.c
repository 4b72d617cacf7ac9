/* What a call takes over, and the arrays that it is given, must be as long as it is told: a window's memory and an attached buffer; the
 * lists of requests, statuses, indices, counts, displacements and datatypes. Each is in a heap block of its own, which with _short has
 * one element, or byte, too few. Of indices and statuses MPI_Waitsome and MPI_Testsome use as many as there are requests reported. */
/* explore: ranks=2 verdict=race-free args=window */
/* explore: ranks=2 verdict=found class=invalid-argument args=window_short says=heap */
/* explore: ranks=2 verdict=race-free args=attach */
/* explore: ranks=2 verdict=found class=invalid-argument args=attach_short says=heap */
/* explore: ranks=2 verdict=race-free args=dynamic */
/* explore: ranks=2 verdict=found class=invalid-argument args=dynamic_short says=heap */
/* explore: ranks=2 verdict=race-free args=requests */
/* explore: ranks=2 verdict=found class=invalid-argument args=requests_short says=requests mpiexec=no */
/* explore: ranks=2 verdict=race-free args=waitall */
/* explore: ranks=2 verdict=found class=invalid-argument args=waitall_short says=statuses */
/* explore: ranks=2 verdict=race-free args=testall */
/* explore: ranks=2 verdict=found class=invalid-argument args=testall_short says=statuses */
/* explore: ranks=2 verdict=race-free args=waitsome */
/* explore: ranks=2 verdict=found class=invalid-argument args=waitsome_short says=indices */
/* explore: ranks=2 verdict=race-free args=ignores */
/* explore: ranks=2 verdict=race-free args=counts */
/* explore: ranks=2 verdict=found class=invalid-argument args=counts_short says=counts mpiexec=no */
/* explore: ranks=2 verdict=race-free args=places */
/* explore: ranks=2 verdict=found class=invalid-argument args=places_short says=displacements mpiexec=no */
/* explore: ranks=2 verdict=race-free args=types */
/* explore: ranks=2 verdict=found class=invalid-argument args=types_short says=datatypes mpiexec=no */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = 2 };

static const char *what = "";
static int rank;

static bool is(const char *name) { return strncmp(what, name, strlen(name)) == 0; }

/* An array of ALL elements, or one less if it is the one that is to be short. */
static void *array(const char *name, size_t size) { return calloc(ALL - (is(name) && strstr(what, "_short") != NULL), size); }

static void take_over_memory(void) {
    const int bytes = MPI_BSEND_OVERHEAD + 20;
    char *memory = malloc((size_t)bytes - (strstr(what, "_short") != NULL));
    MPI_Win window;
    if (is("attach")) {
        int size;
        MPI_Buffer_attach(memory, bytes);
        MPI_Buffer_detach(&memory, &size);
    } else if (is("window")) {
        MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_free(&window);
    } else {
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_attach(window, memory, bytes);
        MPI_Win_detach(window, memory);
        MPI_Win_free(&window);
    }
    free(memory);
}

static void complete(MPI_Request *request) {
    MPI_Status *status = array(is("testall") ? "testall" : "waitall", sizeof *status);
    int *index = array("waitsome", sizeof *index), flag = 0;
    for (int done = 0, count; is("waitsome") && done < ALL; done += count)
        MPI_Waitsome(ALL, request, &count, index, MPI_STATUSES_IGNORE);
    while (is("testall") && !flag)
        MPI_Testall(ALL, request, &flag, status);
    MPI_Waitall(ALL, request, is("ignores") ? MPI_STATUSES_IGNORE : is("waitall") ? status : (MPI_Status[ALL]){{0}});
    free(index);
    free(status);
}

static void exchange(void) {
    int given = rank, taken;
    MPI_Request *request = array("requests", sizeof *request);
    MPI_Request both[ALL];
    MPI_Irecv(&taken, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(&given, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &both[1]);
    memcpy(request, both, is("requests_short") ? sizeof *both : sizeof both);
    complete(request);
    free(request);
}

static void collect(void) {
    int given[ALL] = {1, 2}, taken[ALL] = {0};
    int *count = array("counts", sizeof *count), *place = array("places", sizeof *place);
    MPI_Datatype *type = array("types", sizeof *type);
    count[0] = 1;
    type[0] = MPI_INT;
    if (!is("counts_short"))
        count[1] = 1;
    if (!is("places_short"))
        place[1] = is("types") ? sizeof(int) : 1;
    if (!is("types_short"))
        type[1] = MPI_INT;
    if (is("types"))
        MPI_Alltoallw(given, count, place, type, taken, count, place, type, MPI_COMM_WORLD);
    else
        MPI_Alltoallv(given, count, place, MPI_INT, taken, count, place, MPI_INT, MPI_COMM_WORLD);
    free(count);
    free(place);
    free(type);
}

int main(int argc, char **argv) {
    what = argc > 1 ? argv[1] : what;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (is("window") || is("attach") || is("dynamic"))
        take_over_memory();
    else if (is("counts") || is("places") || is("types"))
        collect();
    else
        exchange();
    MPI_Finalize();
    return 0;
}
