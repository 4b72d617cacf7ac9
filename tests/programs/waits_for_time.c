/* Ways to let time pass: each takes as long as it was asked for, none takes real time, and all clocks agree. A polling loop that
 * sleeps, or reads a clock without looking at it, closes. What is done twice as often until it takes long enough to be measured is
 * so after few rounds, whatever was measured before. Before MPI_Init clocks are real, and go on. */
/* explore: ranks=2 verdict=race-free time=20s step-time=5s mpiexec=no */
#include <assert.h>
#include <mpi.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void sleep_in_all_ways(void) {
    double begin = MPI_Wtime();
    sleep(3600);
    usleep(500000);
    nanosleep(&(struct timespec){10, 0}, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){20, 0}, NULL);
    select(0, NULL, NULL, NULL, &(struct timeval){30, 0});
    poll(NULL, 0, 1500);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 100;
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
    double took = MPI_Wtime() - begin;
    assert(took >= 3762 && took < 3763);
}

/* In real time these would take hours. */
static void wait_busily(void) {
    for (time_t begin = time(NULL); time(NULL) < begin + 7200;)
        ;
    MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    struct timespec begin, now;
    timespec_get(&begin, TIME_UTC);
    do
        timespec_get(&now, TIME_UTC);
    while (now.tv_sec < begin.tv_sec + 60);
}

/* Between two messages time passes, but little. */
static void measure(void) {
    double begin = MPI_Wtime();
    MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double took = MPI_Wtime() - begin;
    assert(took > 0 && took < 1);
    for (int i = 0; i < 1000; i++) {
        begin = MPI_Wtime();
        assert(MPI_Wtime() > begin);
    }
}

enum { MEASUREMENTS = 8 };
static volatile int work;

static double duration(long times) {
    double begin = MPI_Wtime();
    for (long i = 0; i < times; i++)
        work++;
    return MPI_Wtime() - begin;
}

/* As FFTW's planner does it. */
static void calibrate(void) {
    double least = 0;
    for (long times = 1; least < 0.01; times *= 2) {
        assert(times < 1L << 20);
        least = duration(times);
        for (int i = 1; i < MEASUREMENTS; i++) {
            double took = duration(times);
            least = took < least ? took : least;
        }
    }
}

/* As benchmarks do it. */
static void measure_undisturbed(void) {
    int tries = 0;
    while (duration(1) >= 0.5)
        assert(++tries < 100);
}

static void poll_and(void (*idle)(void), int tag) {
    MPI_Request request;
    int done = 0;
    MPI_Irecv(NULL, 0, MPI_INT, 1, tag, MPI_COMM_WORLD, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        idle();
    }
}
static void sleep_a_little(void) { usleep(100); }
static void look_at_clock(void) { (void)MPI_Wtime(); }

/* As programs do that measure how fine a clock is. */
static void wait_for_ticks(void) {
    for (clock_t begin = clock(); clock() == begin;)
        ;
    struct timeval begin, now;
    gettimeofday(&begin, NULL);
    do
        gettimeofday(&now, NULL);
    while (now.tv_usec == begin.tv_usec);
}

int main(int argc, char **argv) {
    int rank;
    wait_for_ticks();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        static const int tags[] = {2, 1, 1, 3, 4};
        for (int i = 0; i < 5; i++)
            MPI_Send(NULL, 0, MPI_INT, 0, tags[i], MPI_COMM_WORLD);
    } else {
        poll_and(sleep_a_little, 2);
        sleep_in_all_ways();
        wait_busily();
        measure();
        for (int i = 0; i < 5; i++)
            calibrate();
        for (int i = 0; i < 5; i++)
            measure_undisturbed();
        poll_and(sleep_a_little, 3);
        poll_and(look_at_clock, 4);
    }
    MPI_Finalize();
    return 0;
}
