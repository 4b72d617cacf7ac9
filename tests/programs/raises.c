/* A handler of a signal that a rank sends itself runs at once, in the place of the call, and the program goes on behind it. What it
 * does counts as anything does: what it prints, whether it ends the rank, and the messages that it sends. */
/* explore: ranks=1 verdict=race-free args=state */
/* explore: ranks=1 verdict=race-free args=masks */
/* explore: ranks=1 verdict=race-free args=nested */
/* explore: ranks=1 verdict=race-free args=information */
/* explore: ranks=1 verdict=race-free args=jump */
/* explore: ranks=1 verdict=race-free args=floating */
/* explore: ranks=1 verdict=found class=exit-status args=exit */
/* explore: ranks=1 verdict=found class=exit-status says=Finalize args=abort_handled */
/* explore: ranks=1 verdict=found class=crash says=Aborted args=abort */
/* explore: ranks=1 verdict=found class=crash says=defined args=unblocked */
/* explore: ranks=1 verdict=found class=crash says=defined args=reset */
/* explore: ranks=1 verdict=cannot-run says=realtime args=queue */
/* explore: ranks=1 verdict=cannot-run says=handler args=redirect */
/* explore: ranks=3 verdict=found class=race-output args=first */
/* explore: ranks=3 verdict=race-free args=sum */
#include <assert.h>
#include <fenv.h>
#include <math.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t seen[65], order[8], count;
static sigjmp_buf place;
static volatile double sum;
static int source, total;

static void note(int number) {
    seen[number]++;
    order[count++] = number;
}

static void nests(int number) {
    note(number);
    if (number == SIGUSR1 && seen[SIGUSR1] == 1) {
        raise(SIGUSR1); /* blocked while this runs */
        assert(seen[SIGUSR1] == 1);
        raise(SIGUSR2); /* runs inside */
        assert(seen[SIGUSR2] == 1);
    }
}

static void jumps(int number) {
    note(number);
    siglongjmp(place, number);
}

static void computes(int number) {
    note(number);
    fesetround(FE_TONEAREST);
    for (int i = 1; i < 50; i++)
        sum += sqrt(i);
}

static void ends(int number) {
    note(number);
    printf("ends\n");
    fflush(stdout);
    _exit(0);
}

static void leaves(int number) {
    (void)number;
    exit(7);
}

static void looks(int number, siginfo_t *info, void *context) {
    note(number);
    assert(info->si_signo == number && info->si_pid == getpid() && info->si_uid == getuid());
    assert(((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP] != 0);
    assert(!sigismember(&((ucontext_t *)context)->uc_sigmask, number));
    sigaddset(&((ucontext_t *)context)->uc_sigmask, SIGUSR2);
}

static void redirects(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = -1;
}

static void tells(int number) {
    (void)number;
    printf("%d\n", source);
    total += source;
}

static void block(int how, int number) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    assert(sigprocmask(how, &set, NULL) == 0);
}

static int is_pending(int number) {
    sigset_t set;
    assert(sigpending(&set) == 0);
    return sigismember(&set, number);
}

static void state(void) {
    int kept[5] = {1, 2, 3, 4, 5};
    register double x = 1.5;
    signal(SIGUSR1, note);
    assert(raise(SIGUSR1) == 0 && seen[SIGUSR1] == 1);
    assert(kill(getpid(), SIGUSR1) == 0 && seen[SIGUSR1] == 2);
    MPI_Barrier(MPI_COMM_WORLD);
    assert(raise(SIGUSR1) == 0 && seen[SIGUSR1] == 3);
    assert(kept[0] + kept[4] == 6 && x == 1.5);
}

static void masks(void) {
    signal(SIGUSR1, note);
    signal(SIGUSR2, note);
    block(SIG_BLOCK, SIGUSR1);
    raise(SIGUSR1);
    raise(SIGUSR1); /* is pending once */
    assert(seen[SIGUSR1] == 0 && is_pending(SIGUSR1));
    raise(SIGUSR2);
    assert(seen[SIGUSR2] == 1);
    MPI_Barrier(MPI_COMM_WORLD);
    block(SIG_UNBLOCK, SIGUSR1);
    assert(seen[SIGUSR1] == 1 && !is_pending(SIGUSR1));
    block(SIG_BLOCK, SIGUSR1);
    raise(SIGUSR1);
    signal(SIGUSR1, SIG_IGN); /* forgets it */
    signal(SIGUSR1, note);
    block(SIG_UNBLOCK, SIGUSR1);
    assert(seen[SIGUSR1] == 1);
}

static void nested(void) {
    signal(SIGUSR1, nests);
    signal(SIGUSR2, nests);
    raise(SIGUSR1);
    assert(order[0] == SIGUSR1 && order[1] == SIGUSR2 && order[2] == SIGUSR1 && seen[SIGUSR1] == 2);
}

static void information(void) {
    struct sigaction action = {.sa_sigaction = looks, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    assert(seen[SIGUSR1] == 1);
    signal(SIGUSR2, note);
    raise(SIGUSR2);
    assert(seen[SIGUSR2] == 0); /* the handler's context blocks it */
}

static void jump(void) {
    signal(SIGUSR1, jumps);
    for (volatile int i = 1; i <= 2; i++) {
        if (sigsetjmp(place, 1) == 0)
            raise(SIGUSR1);
        assert(seen[SIGUSR1] == i);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void floating(void) {
    double before = 0.1;
    fesetround(FE_UPWARD);
    signal(SIGUSR1, computes);
    raise(SIGUSR1);
    assert(fegetround() == FE_UPWARD && before == 0.1);
}

static void reset(void) {
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESETHAND};
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    raise(SIGUSR1);
}

static void queue(void) {
    signal(SIGRTMIN, note);
    raise(SIGRTMIN);
    assert(seen[SIGRTMIN] == 1);
    block(SIG_BLOCK, SIGRTMIN);
    raise(SIGRTMIN);
    raise(SIGRTMIN);
}

static void unblocked(void) {
    block(SIG_BLOCK, SIGUSR2); /* MPICH handles the other one */
    raise(SIGUSR2);
    block(SIG_UNBLOCK, SIGUSR2);
}

static void redirect(void) {
    struct sigaction action = {.sa_sigaction = redirects, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
}

/* Rank 0 hears of the others in any order, and its handler prints who it was: of each, or of all together. */
static void hear(int each) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    signal(SIGUSR1, tells);
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        return;
    }
    for (int i = 0; i < 2; i++) {
        int from;
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        source = each ? from : source + from;
        if (each)
            raise(SIGUSR1);
    }
    if (!each)
        raise(SIGUSR1);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "state";
    static const struct {
        const char *name;
        void (*act)(void);
    } acts[] = {{"state", state},         {"masks", masks},       {"nested", nested}, {"information", information},
                {"jump", jump},           {"floating", floating}, {"reset", reset},   {"queue", queue},
                {"unblocked", unblocked}, {"redirect", redirect}};
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (strcmp(what, acts[i].name) == 0)
            acts[i].act();
    if (strcmp(what, "exit") == 0) {
        signal(SIGUSR1, leaves);
        raise(SIGUSR1);
    }
    if (strcmp(what, "abort_handled") == 0)
        signal(SIGABRT, ends);
    if (strncmp(what, "abort", 5) == 0)
        abort();
    if (strcmp(what, "first") == 0 || strcmp(what, "sum") == 0)
        hear(what[0] == 'f');
    MPI_Finalize();
    return 0;
}
