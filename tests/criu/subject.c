/* A process as hard to checkpoint as a rank is: MPICH initialised, two threads beside main's, a large reserved arena, shared
 * memory, a system call filter with its handler, a parent-death signal. Arguments: a socket, the file of the shared memory. */
#include "tests/criu/subject.h"

#include "ckpt/criu_sleep.h"

#include <assert.h>
#include <dirent.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define ARENA_BYTES (24ull << 30)
enum { PATTERN_WORDS = 40000 };

struct memory {
    uint64_t sum, worker_sum;
    _Atomic uint32_t asked, done; /* numbers of rounds; futexes of the worker and of main */
    uint32_t add;
    int worker_pid;
    uint32_t pattern[PATTERN_WORDS];
};

static void *work(void *argument) {
    struct memory *memory = argument;
    memory->worker_pid = (int)syscall(SYS_gettid);
    for (uint32_t round = 0;; round++) {
        while (atomic_load(&memory->asked) == round)
            syscall(SYS_futex, &memory->asked, FUTEX_WAIT, round, NULL, NULL, 0);
        memory->worker_sum += memory->add;
        atomic_store(&memory->done, round + 1);
        syscall(SYS_futex, &memory->done, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    return NULL;
}

static void add(struct memory *memory, uint32_t amount) {
    memory->sum += amount;
    memory->add = amount;
    uint32_t round = atomic_fetch_add(&memory->asked, 1);
    syscall(SYS_futex, &memory->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
    while (atomic_load(&memory->done) == round)
        syscall(SYS_futex, &memory->done, FUTEX_WAIT, round, NULL, NULL, 0);
}

static uint32_t pattern(uint32_t i) { return i * 2654435761u; }

static struct memory *make_memory(void) {
    void *arena = mmap(NULL, ARENA_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert(arena != MAP_FAILED);
    assert(mprotect(arena, sizeof(struct memory), PROT_READ | PROT_WRITE) == 0);
    struct memory *memory = arena;
    for (uint32_t i = 0; i < PATTERN_WORDS; i++)
        memory->pattern[i] = pattern(i);
    return memory;
}

static bool pattern_intact(const struct memory *memory) {
    for (uint32_t i = 0; i < PATTERN_WORDS; i++)
        if (memory->pattern[i] != pattern(i))
            return false;
    return true;
}

static void on_filtered(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = SUBJECT_FAKE_PARENT;
}

static void filter_getppid(void) {
    struct sigaction action = {.sa_sigaction = on_filtered, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &action, NULL);
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    long installed = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    assert(installed == 0);
}

static uint32_t thread_count(void) {
    DIR *directory = opendir("/proc/self/task");
    uint32_t count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void obey(struct memory *memory, const struct subject_order *order) {
    if (order->exit_status >= 0)
        _exit(order->exit_status);
    if (order->signal > 0)
        raise(order->signal);
    add(memory, order->add);
    struct subject_answer *answer = (struct subject_answer *)SUBJECT_REGION + order->mailbox;
    *answer = (struct subject_answer){.sum = memory->sum,
                                      .worker_sum = memory->worker_sum,
                                      .pattern_intact = pattern_intact(memory),
                                      .filtered_parent = (int)syscall(SYS_getppid),
                                      .pid = (int)getpid(),
                                      .worker_pid = memory->worker_pid,
                                      .threads = thread_count()};
}

int main(int argc, char **argv) {
    assert(argc == 3);
    int socket = atoi(argv[1]), file = atoi(argv[2]);
    MPI_Init(&argc, &argv);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct memory *memory = make_memory();
    void *region =
        mmap(SUBJECT_REGION, SUBJECT_REGION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
    assert(region == SUBJECT_REGION);
    close(file);
    pthread_t worker;
    pthread_create(&worker, NULL, work, memory);
    add(memory, 0); /* the worker has begun */
    filter_getppid();
    struct subject_order order;
    while (criu_sleep(socket, region, SUBJECT_REGION_BYTES, &order, sizeof order) == sizeof order)
        obey(memory, &order);
    return 3;
}
