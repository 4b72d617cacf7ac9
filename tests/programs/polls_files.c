/* select and poll of files, standard streams and devices report them at once, and what is not open as that; of nothing they wait for
 * time, of which nothing is left then. "not_open": a closed descriptor in a set. Under mpiexec stdin is a pipe. */
/* explore: ranks=2 verdict=race-free input=1,2 mpiexec=no */
/* explore: ranks=2 verdict=found class=abort args=not_open */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <sys/select.h>
#include <unistd.h>

static void poll_them(int file) {
    struct pollfd list[] = {{.fd = 0, .events = POLLIN},
                            {.fd = 1, .events = POLLOUT},
                            {.fd = file, .events = POLLIN | POLLPRI},
                            {.fd = -1, .events = POLLIN},
                            {.fd = 700, .events = POLLIN}};
    assert(poll(list, 5, -1) == 4);
    assert(list[0].revents == POLLIN && list[1].revents == POLLOUT && list[2].revents == POLLIN);
    assert(list[3].revents == 0 && list[4].revents == POLLNVAL);
    assert(poll(&list[3], 1, 1000) == 0);
    assert(ppoll(list, 1, NULL, NULL) == 1);
}

static void select_them(int file) {
    fd_set reading, writing, exceptional;
    FD_ZERO(&reading);
    FD_ZERO(&writing);
    FD_ZERO(&exceptional);
    FD_SET(0, &reading);
    FD_SET(file, &reading);
    FD_SET(1, &writing);
    FD_SET(file, &exceptional);
    assert(select(file + 1, &reading, &writing, &exceptional, NULL) == 3);
    assert(FD_ISSET(0, &reading) && FD_ISSET(file, &reading) && FD_ISSET(1, &writing) && !FD_ISSET(file, &exceptional));
}

static void wait_for_time(void) {
    struct timeval limit = {3, 500000};
    double begin = MPI_Wtime();
    assert(select(0, NULL, NULL, NULL, &limit) == 0);
    assert(MPI_Wtime() - begin >= 3.5 && limit.tv_sec == 0 && limit.tv_usec == 0);
}

static void select_closed(void) {
    fd_set reading;
    FD_ZERO(&reading);
    FD_SET(600, &reading);
    if (select(601, &reading, NULL, NULL, NULL) < 0 && errno == EBADF)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
    int rank, number;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        select_closed();
    int file = open("/dev/zero", O_RDONLY);
    poll_them(file);
    select_them(file);
    wait_for_time();
    while (scanf("%d", &number) == 1)
        printf("%d\n", number);
    close(file);
    MPI_Finalize();
    return 0;
}
