/* Each rank sets what the kernel keeps of a process in its own way, and finds it again after it has waited for others: its limit of core
 * dumps, its name, its priority, the processor it is bound to, the stack of its signal handlers. "stack" lets its stack become larger,
 * which an explored rank's cannot; "descriptors" wants fewer descriptors, so that opening files would fail; "file"
 * reads its own name in a file of the kernel, which has another one; "segment" sets a segment register, which nobody keeps. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=cannot-run says=setrlimit args=stack */
/* explore: ranks=3 verdict=cannot-run says=setrlimit args=descriptors */
/* explore: ranks=3 verdict=cannot-run says=comm args=file */
/* explore: ranks=3 verdict=cannot-run says=arch_prctl args=segment */
#include <asm/prctl.h>
#include <assert.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int rank, size, priority;
static char name[16];
static char handler_stack[1 << 16];

static unsigned one_of_those_there_are(void) {
    cpu_set_t there;
    assert(sched_getaffinity(0, sizeof there, &there) == 0);
    unsigned processor = 0, left = (unsigned)rank % (unsigned)CPU_COUNT(&there);
    while (!CPU_ISSET(processor, &there) || left-- > 0)
        processor++;
    return processor;
}

static void set_all(unsigned processor) {
    struct rlimit none = {.rlim_cur = 0};
    assert(getrlimit(RLIMIT_CORE, &none) == 0);
    none.rlim_cur = rank == 0 ? 0 : none.rlim_cur;
    assert(setrlimit(RLIMIT_CORE, &none) == 0);
    snprintf(name, sizeof name, "rank %d", rank);
    assert(prctl(PR_SET_NAME, name) == 0);
    priority = getpriority(PRIO_PROCESS, 0) + rank;
    priority = priority < 19 ? priority : 19;
    assert(setpriority(PRIO_PROCESS, 0, priority) == 0);
    cpu_set_t mine;
    CPU_ZERO(&mine);
    CPU_SET(processor, &mine);
    assert(sched_setaffinity(0, sizeof mine, &mine) == 0);
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack - 64 * (size_t)rank};
    assert(sigaltstack(&stack, NULL) == 0);
    if (rank == 1)
        mlockall(MCL_CURRENT); /* may be denied */
}

static void check_all(unsigned processor) {
    struct rlimit limit;
    assert(getrlimit(RLIMIT_CORE, &limit) == 0 && (rank != 0 || limit.rlim_cur == 0));
    char found[16];
    assert(prctl(PR_GET_NAME, found) == 0 && strcmp(found, name) == 0);
    assert(getpriority(PRIO_PROCESS, 0) == priority);
    cpu_set_t mine;
    assert(sched_getaffinity(0, sizeof mine, &mine) == 0);
    assert(CPU_COUNT(&mine) == 1 && CPU_ISSET(processor, &mine) && sched_getcpu() == (int)processor);
    stack_t stack;
    assert(sigaltstack(NULL, &stack) == 0);
    assert(stack.ss_sp == handler_stack && stack.ss_size == sizeof handler_stack - 64 * (size_t)rank);
}

static void read_name(void) {
    char line[32] = "";
    FILE *file = fopen("/proc/self/comm", "r");
    assert(file && fgets(line, sizeof line, file) && strncmp(line, name, strlen(name)) == 0);
    fclose(file);
}

static void change(int resource, rlim_t to) {
    struct rlimit limit;
    getrlimit(resource, &limit);
    limit.rlim_cur = to;
    setrlimit(resource, &limit);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "stack") == 0)
        change(RLIMIT_STACK, RLIM_INFINITY);
    if (argc > 1 && strcmp(argv[1], "descriptors") == 0)
        change(RLIMIT_NOFILE, 8);
    if (argc > 1 && strcmp(argv[1], "segment") == 0)
        syscall(SYS_arch_prctl, ARCH_SET_GS, handler_stack + 64 * rank);
    unsigned processor = one_of_those_there_are();
    set_all(processor);
    if (argc > 1 && strcmp(argv[1], "file") == 0)
        read_name();
    for (int round = 0; round < 3; round++) {
        int before;
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &before, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        check_all(processor);
    }
    MPI_Finalize();
    return 0;
}
