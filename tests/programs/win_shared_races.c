/* Loads and stores of two ranks in a shared window that nothing orders. Two stores to the same bytes are wrong, of whatever
 * values, and so are a load and a store; loads are not, nor are stores to neighbouring bytes. Where one comes before a message and the
 * other after it, or both in a section that a lock guards, they are in order. */
/* explore: ranks=2 verdict=found class=rma-conflict args=stores */
/* explore: ranks=2 verdict=race-free args=stores_in_order */
/* explore: ranks=2 verdict=race-free args=neighbouring_bytes */
/* One changes the first byte of a number that the other changes the second byte of. */
/* explore: ranks=2 verdict=found class=rma-conflict args=bytes_of_one_number */
/* explore: ranks=2 verdict=found class=rma-conflict args=load */
/* explore: ranks=2 verdict=race-free args=load_before */
/* explore: ranks=2 verdict=race-free args=load_after */
/* explore: ranks=2 verdict=race-free args=load_elsewhere */
/* explore: ranks=2 verdict=race-free args=loads */
/* explore: ranks=2 verdict=found class=rma-conflict args=load_in_a_branch */
/* Loads by the library on behalf of the program, and one after a message has been sent. */
/* explore: ranks=2 verdict=found class=rma-conflict args=sends_it */
/* explore: ranks=2 verdict=race-free args=sends_it_before */
/* explore: ranks=2 verdict=found class=rma-conflict args=adds_it */
/* explore: ranks=2 verdict=race-free args=adds_it_after */
/* explore: ranks=2 verdict=found class=rma-conflict args=load_after_sending */
/* Of two messages that are sent without waiting, the other rank stores when it has both. */
/* explore: ranks=2 verdict=race-free args=load_between */
/* explore: ranks=2 verdict=found class=rma-conflict args=load_behind */
/* explore: ranks=2 verdict=found class=rma-conflict args=receives_there */
/* explore: ranks=2 verdict=race-free args=receives_elsewhere */
/* Sections that only one rank is in at a time, where the order shows and where it does not. */
/* explore: ranks=2 verdict=race-free args=guarded */
/* explore: ranks=2 verdict=found class=rma-conflict args=guarded_by_shared_lock */
/* explore: ranks=2 verdict=found class=race-output args=guarded_order_shows */
/* One of the two has a lock that keeps nobody out but those that keep others out; both have. */
/* explore: ranks=2 verdict=race-free args=guarded_by_lock_all_and_lock */
/* explore: ranks=2 verdict=found class=rma-conflict args=guarded_by_lock_all */
/* Just before the end. */
/* explore: ranks=2 verdict=found class=rma-conflict args=last */
/* explore: ranks=2 verdict=race-free args=last_in_order */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_Win window;
static int *cell;

static void say(int to) { MPI_Send(NULL, 0, MPI_INT, to, 0, MPI_COMM_WORLD); }
static void hear(int from) { MPI_Recv(NULL, 0, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
static void look(int i) { printf("%d\n", cell[i]); }

static void count(int lock, int show) {
    MPI_Win_lock(lock, 0, 0, window);
    cell[0]++;
    if (show)
        look(0);
    MPI_Win_unlock(0, window);
}

static void count_in_lock_all(void) {
    MPI_Win_lock_all(0, window);
    cell[0]++;
    MPI_Win_unlock_all(window);
}

static void first(const char *what) {
    int number = 3, sum;
    MPI_Request request = MPI_REQUEST_NULL;
    if (strcmp(what, "load_before") == 0)
        hear(1);
    if (strcmp(what, "load_between") == 0 || strcmp(what, "load_behind") == 0) {
        hear(1);
        hear(1);
    }
    if (strcmp(what, "sends_it_before") == 0)
        MPI_Recv(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(what, "receives_there") == 0 || strcmp(what, "receives_elsewhere") == 0)
        MPI_Isend(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    if (strcmp(what, "neighbouring_bytes") == 0)
        ((char *)cell)[0] = 1;
    else if (strcmp(what, "bytes_of_one_number") == 0)
        cell[0] = 256;
    else if (strcmp(what, "loads") == 0)
        look(0);
    else
        cell[0] = 7;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (strcmp(what, "adds_it_after") == 0)
        say(1);
    if (strncmp(what, "adds_it", 7) == 0)
        MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (strcmp(what, "sends_it") == 0)
        MPI_Recv(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(what, "stores_in_order") == 0 || strcmp(what, "load_after") == 0 || strcmp(what, "last_in_order") == 0)
        say(1);
    if (strcmp(what, "load_after_sending") == 0)
        hear(1);
}

static void send_twice(const char *what) {
    MPI_Request request[2];
    MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
    if (strcmp(what, "load_between") == 0)
        look(0);
    MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[1]);
    if (strcmp(what, "load_behind") == 0)
        look(0);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void second(const char *what) {
    int sum;
    if (strcmp(what, "adds_it_after") == 0)
        hear(0);
    if (strncmp(what, "adds_it", 7) == 0)
        MPI_Allreduce(&cell[0], &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (strcmp(what, "stores_in_order") == 0 || strcmp(what, "load_after") == 0 || strcmp(what, "last_in_order") == 0)
        hear(0);
    if (strncmp(what, "stores", 6) == 0)
        cell[0] = 8;
    else if (strcmp(what, "neighbouring_bytes") == 0)
        ((char *)cell)[1] = 1;
    else if (strcmp(what, "bytes_of_one_number") == 0)
        cell[0] = 1;
    else if (strcmp(what, "load_between") == 0 || strcmp(what, "load_behind") == 0)
        send_twice(what);
    else if (strcmp(what, "load_elsewhere") == 0)
        look(1);
    else if (strcmp(what, "load_in_a_branch") == 0)
        puts(cell[0] == 0 ? "nothing" : "something");
    else if (strncmp(what, "sends_it", 8) == 0)
        MPI_Send(&cell[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    else if (strcmp(what, "receives_there") == 0)
        MPI_Recv(&cell[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (strcmp(what, "receives_elsewhere") == 0)
        MPI_Recv(&cell[1], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (strcmp(what, "load_after_sending") == 0)
        say(0);
    if (strcmp(what, "load") == 0 || strcmp(what, "load_before") == 0 || strcmp(what, "load_after") == 0 ||
        strcmp(what, "loads") == 0 || strcmp(what, "load_after_sending") == 0 || strncmp(what, "last", 4) == 0)
        look(0);
    if (strcmp(what, "load_before") == 0)
        say(0);
}

int main(int argc, char **argv) {
    int rank, unit, *own;
    MPI_Aint size;
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "loads";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? 4 * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    MPI_Win_shared_query(window, MPI_PROC_NULL, &size, &unit, &cell);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "guarded_by_lock_all") == 0 || (strcmp(what, "guarded_by_lock_all_and_lock") == 0 && rank == 1))
        count_in_lock_all();
    else if (strncmp(what, "guarded", 7) == 0)
        count(strcmp(what, "guarded_by_shared_lock") == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE,
              strcmp(what, "guarded_order_shows") == 0);
    else if (rank == 0)
        first(what);
    else
        second(what);
    if (strncmp(what, "last", 4))
        MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "guarded") == 0)
        look(0);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
