/* Signals that a rank sends itself: what is ignored has no effect, what is not handled kills. A timer is taken never to go off, but
 * not where the program sleeps until it does, which by POSIX ends the rank (timers.c: or its sleep); or looks at a clock until it
 * should have. */
/* explore: ranks=1 verdict=race-free args=ignored mpiexec=no */
/* explore: ranks=1 verdict=race-free args=remembered mpiexec=no */
/* explore: ranks=1 verdict=found class=crash args=killed */
/* explore: ranks=1 verdict=race-free args=handled */
/* explore: ranks=1 verdict=race-free args=watchdog */
/* explore: ranks=1 verdict=race-free args=before */
/* explore: ranks=1 verdict=race-free args=timer */
/* explore: ranks=1 verdict=race-free args=slept_enough */
/* explore: ranks=1 verdict=race-free args=ignored_alarm */
/* explore: ranks=1 verdict=found class=crash args=overslept */
/* explore: ranks=1 verdict=cannot-run says=timer args=clock */
/* explore: ranks=1 verdict=cannot-run says=timer args=before_overslept */
/* explore: ranks=1 verdict=cannot-run says=setitimer args=processor */
/* explore: ranks=1 verdict=cannot-run says=pause args=wait */
#include <assert.h>
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static void handler(int number) { (void)number; }

/* What was set is told again, also what was set before MPI_Init. */
static void remembered(void) {
    assert(signal(SIGUSR2, SIG_DFL) == handler);
    assert(signal(SIGALRM, handler) == SIG_DFL);
    assert(signal(SIGALRM, SIG_DFL) == handler);
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigprocmask(SIG_BLOCK, NULL, &old);
    assert(sigismember(&old, SIGUSR1) && !sigismember(&old, SIGUSR2));
}

static void timer(void) {
    const struct itimerval second = {.it_value.tv_sec = 1, .it_interval.tv_usec = 5}, none = {.it_value.tv_sec = 0};
    struct itimerval left;
    setitimer(ITIMER_REAL, &second, NULL);
    getitimer(ITIMER_REAL, &left);
    assert(left.it_value.tv_sec <= 1 && left.it_interval.tv_usec == 5);
    setitimer(ITIMER_REAL, &none, &left);
    assert(left.it_interval.tv_usec == 5);
    getitimer(ITIMER_REAL, &left);
    assert(left.it_value.tv_sec == 0 && left.it_value.tv_usec == 0 && left.it_interval.tv_usec == 0);
    sleep(2);
}

static void wait_with_alarm(const char *how) {
    if (strcmp(how, "overslept") == 0) {
        alarm(1);
        sleep(2);
    } else if (strcmp(how, "slept_enough") == 0) {
        alarm(2);
        sleep(1);
    } else if (strcmp(how, "ignored_alarm") == 0) {
        signal(SIGALRM, SIG_IGN);
        alarm(1);
        sleep(2);
    } else if (strcmp(how, "clock") == 0) {
        double begin = MPI_Wtime();
        alarm(1);
        while (MPI_Wtime() < begin + 2)
            ;
    } else if (strcmp(how, "before_overslept") == 0) {
        sleep(301);
    } else {
        pause();
    }
}

static void act(const char *how) {
    if (strcmp(how, "ignored") == 0) {
        signal(SIGUSR1, SIG_IGN);
        raise(SIGUSR1);
        raise(SIGCHLD);
        alarm(0);
    } else if (strcmp(how, "remembered") == 0) {
        remembered();
    } else if (strcmp(how, "killed") == 0) {
        raise(SIGTERM);
    } else if (strcmp(how, "handled") == 0) {
        signal(SIGUSR1, handler);
        raise(SIGUSR1);
    } else if (strcmp(how, "watchdog") == 0) {
        assert(alarm(300) == 0);
        MPI_Barrier(MPI_COMM_WORLD);
        assert(alarm(300) == 300);
    } else if (strcmp(how, "before") == 0) {
        assert(alarm(0) == 300);
        assert(alarm(0) == 0);
    } else if (strcmp(how, "timer") == 0) {
        timer();
    } else if (strcmp(how, "processor") == 0) {
        setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = 1}, NULL);
    } else {
        wait_with_alarm(how);
    }
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "ignored";
    signal(SIGUSR2, handler);
    if (strncmp(how, "before", 6) == 0)
        alarm(300);
    MPI_Init(&argc, &argv);
    act(how);
    MPI_Finalize();
    return 0;
}
