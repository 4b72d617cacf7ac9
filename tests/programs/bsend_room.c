/* The attached buffer has room for two messages of ten numbers (MPI-3.1 section 3.6). What a message takes is free again when it
 * has been received, not before.
 *
 *   two           fits
 *   three         the third does not, if the first is still there
 *   acknowledged  the receiver says that it has received two before the third is sent
 *   unrelated     a message from the receiver that says nothing
 *   detached      detaching waits until the buffer is empty, so that the next one has room
 *   none          no buffer
 *   large         never fits
 *   larger        nor does one number more than there is room for
 *   uneven        two that fill it to the last byte, one longer than the other
 *   uneven_more   the longer one is longer by one number more
 *   ibsend        as three, by MPI_Ibsend
 *   crossed       detaching waits for a receive that comes after the barrier: it may hang
 */
/* explore: ranks=2 verdict=race-free args=two */
/* explore: ranks=2 verdict=race-free args=acknowledged */
/* explore: ranks=2 verdict=race-free args=uneven */
/* explore: ranks=2 verdict=found class=invalid-argument says=attached args=uneven_more mpiexec=no */
/* explore: ranks=2 verdict=race-free args=detached */
/* explore: ranks=2 verdict=race-free args=detached buffering=infinite */
/* explore: ranks=2 verdict=found class=invalid-argument args=three mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=unrelated mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=attached args=none mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=large mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=attached args=larger mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=ibsend mpiexec=no */
/* explore: ranks=2 verdict=found class=deadlock args=crossed mpiexec=no */
/* explore: ranks=2 verdict=race-free buffering=infinite args=crossed mpiexec=no */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 10 };
static const char *mode;
static int numbers[100];

static int is(const char *name) { return strcmp(mode, name) == 0; }
static int is_uneven(void) { return strncmp(mode, "uneven", 6) == 0; }

static void attach(void) {
    int size = 2 * (NUMBERS * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(malloc((size_t)size), size);
}

static void detach(void) {
    void *buffer;
    int size;
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
}

static void send(int count) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (is("ibsend"))
        MPI_Ibsend(numbers, count, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Bsend(numbers, count, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive(void) { MPI_Recv(numbers, 2 * NUMBERS, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void send_all(void) {
    if (is("large"))
        MPI_Bsend(numbers, 100, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (is("larger"))
        MPI_Bsend(numbers, 2 * NUMBERS + MPI_BSEND_OVERHEAD / (int)sizeof(int) + 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    send(is_uneven() ? NUMBERS - 3 : NUMBERS);
    if (is("crossed")) {
        detach();
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    send(is("uneven") ? NUMBERS + 3 : is("uneven_more") ? NUMBERS + 4 : NUMBERS);
    if (is("acknowledged") || is("unrelated"))
        MPI_Recv(numbers, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is("detached")) {
        detach();
        attach();
    }
    if (!is("two") && !is_uneven())
        send(NUMBERS);
}

static void receive_all(void) {
    if (is("unrelated"))
        MPI_Send(numbers, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    if (is("crossed"))
        MPI_Barrier(MPI_COMM_WORLD);
    receive();
    if (is("crossed"))
        return;
    receive();
    if (is("acknowledged"))
        MPI_Send(numbers, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    if (!is("two") && !is_uneven())
        receive();
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    mode = argc > 1 ? argv[1] : "two";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && !is("none"))
        attach();
    if (rank == 0)
        send_all();
    else
        receive_all();
    if (rank == 0 && !is("crossed") && !is("none"))
        detach();
    MPI_Finalize();
    return 0;
}
