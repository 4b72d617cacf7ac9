/* A rank that sleeps, or waits for a signal, until its own timer goes off: that is when its handler runs, and what the rank did since it
 * set the timer took no time. So all of this is determined, and asserted by the program itself: who is woken, by what, and how much is
 * left to sleep. After waiting for another rank nothing is known of when the timer goes off: refused (…_late, and with a timer from
 * before MPI_Init). So it is if the rank blocks the signal in its sleep: a thread of MPI's own may take it. */
/* explore: ranks=2 verdict=race-free args=pause */
/* explore: ranks=2 verdict=found class=crash args=pause_killed */
/* explore: ranks=2 verdict=cannot-run says=timer args=pause_late mpiexec=no */
/* explore: ranks=2 verdict=cannot-run says=signal args=pause_without mpiexec=no */
/* explore: ranks=2 verdict=cannot-run says=signal args=pause_blocked mpiexec=no */
/* explore: ranks=2 verdict=race-free args=suspend */
/* explore: ranks=2 verdict=race-free args=suspend_pending */
/* explore: ranks=2 verdict=race-free args=sleep */
/* explore: ranks=2 verdict=cannot-run says=timer args=sleep_late mpiexec=no */
/* explore: ranks=2 verdict=cannot-run says=timer args=sleep_blocked mpiexec=no */
/* explore: ranks=2 verdict=race-free args=wait */
/* explore: ranks=2 verdict=race-free args=wait_limit */
/* explore: ranks=2 verdict=cannot-run says=signal args=wait_other mpiexec=no */
/* explore: ranks=2 verdict=race-free args=interval */
/* explore: ranks=2 verdict=race-free args=jump */
/* explore: ranks=2 verdict=race-free args=sent */
/* explore: ranks=2 verdict=found class=race-output args=sent_race */
#include <assert.h>
#include <errno.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char *how = "";
static int rank;
static volatile sig_atomic_t handled;
static sigjmp_buf way_out;

static int is(const char *wanted) { return strcmp(how, wanted) == 0; }
static int begins(const char *wanted) { return strncmp(how, wanted, strlen(wanted)) == 0; }

static void handler(int number) {
    assert(number == SIGALRM);
    handled++;
    if (is("jump"))
        siglongjmp(way_out, 1);
}

static int is_blocked(int number) {
    sigset_t set;
    sigprocmask(SIG_BLOCK, NULL, &set);
    return sigismember(&set, number);
}

static void block(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

static void await_by_pause(void) {
    if (!is("pause_killed"))
        signal(SIGALRM, handler);
    if (is("pause_blocked"))
        block();
    if (!is("pause_without"))
        alarm(1);
    if (is("pause_late"))
        MPI_Barrier(MPI_COMM_WORLD);
    assert(pause() == -1 && errno == EINTR && handled == 1);
    assert(alarm(0) == 0);
}

static void await_by_suspend(void) {
    sigset_t none;
    sigemptyset(&none);
    block();
    signal(SIGALRM, handler);
    if (is("suspend_pending"))
        raise(SIGALRM);
    else
        alarm(1);
    assert(!handled && sigsuspend(&none) == -1 && errno == EINTR);
    assert(handled == 1 && is_blocked(SIGALRM));
}

static void await_by_sleep(void) {
    struct timespec five = {5, 0}, left = {0, 0};
    signal(SIGALRM, handler);
    if (is("sleep_blocked"))
        block();
    alarm(2);
    if (is("sleep_late"))
        MPI_Barrier(MPI_COMM_WORLD);
    assert(nanosleep(&five, &left) == -1 && errno == EINTR && handled == 1);
    assert(left.tv_sec <= 3 && left.tv_sec >= 2);
    alarm(1);
    unsigned rest = sleep(5);
    assert(rest <= 4 && rest >= 3 && handled == 2);
}

static void await_by_wait(void) {
    const struct timespec half = {0, 500000000};
    sigset_t set;
    int number = 0;
    sigemptyset(&set);
    sigaddset(&set, is("wait_other") ? SIGUSR1 : SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (!is("wait_other"))
        alarm(1);
    if (is("wait_limit"))
        assert(sigtimedwait(&set, NULL, &half) == -1 && errno == EAGAIN);
    assert(sigwait(&set, &number) == 0 && number == SIGALRM);
}

static void await_several(void) {
    const struct itimerval second = {{1, 0}, {1, 0}}, none = {{0, 0}, {0, 0}};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &second, NULL);
    while (handled < 3)
        pause();
    setitimer(ITIMER_REAL, &none, NULL);
    assert(handled == 3);
}

static void jump_out(void) {
    signal(SIGALRM, handler);
    if (sigsetjmp(way_out, 1) == 0) {
        alarm(1);
        sleep(10);
        assert(!"woken");
    }
    assert(handled == 1 && !is_blocked(SIGALRM));
}

/* Both ranks wait, and then tell rank 0, which names who it hears of; or takes what comes first. */
static void send_after_timer(void) {
    int told = -1;
    signal(SIGALRM, handler);
    alarm((unsigned)rank + 1);
    pause();
    MPI_Request request;
    MPI_Isend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    for (int from = 0; rank == 0 && from < 2; from++) {
        MPI_Recv(&told, 1, MPI_INT, is("sent") ? from : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d\n", told);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    how = argc > 1 ? argv[1] : how;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (begins("sent"))
        send_after_timer();
    else if (is("jump"))
        jump_out();
    else if (is("interval"))
        await_several();
    else if (begins("pause"))
        await_by_pause();
    else if (begins("suspend"))
        await_by_suspend();
    else if (begins("sleep"))
        await_by_sleep();
    else
        await_by_wait();
    MPI_Finalize();
    return 0;
}
