/* Signals that a rank sends itself: what is ignored has no effect, what is not handled kills, and no handler is run instead of
 * being pretended to have run. */
/* explore: ranks=1 verdict=race-free args=ignored mpiexec=no */
/* explore: ranks=1 verdict=race-free args=remembered mpiexec=no */
/* explore: ranks=1 verdict=found class=crash args=killed */
/* explore: ranks=1 verdict=race-free args=handled */
/* explore: ranks=1 verdict=cannot-run says=alarm args=alarm */
/* explore: ranks=1 verdict=cannot-run says=setitimer args=timer */
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
    } else if (strcmp(how, "alarm") == 0) {
        alarm(1);
    } else if (strcmp(how, "timer") == 0) {
        setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_sec = 1}, NULL);
    } else {
        pause();
    }
}

int main(int argc, char **argv) {
    signal(SIGUSR2, handler);
    MPI_Init(&argc, &argv);
    act(argc > 1 ? argv[1] : "ignored");
    MPI_Finalize();
    return 0;
}
