/* Prints what a program can read of the machine, the process and the time. In reality nearly all of it differs from run to run;
 * here it must not, whichever message comes first and wherever the step is executed. cycles: the processor's cycle counter, by which
 * it waits for what in reality takes half a minute. */
/* explore: ranks=3 verdict=race-free note=open-cycles */
/* explore: ranks=3 verdict=race-free args=cycles needs=closed-cycles time=20s step-time=5s mpiexec=no */
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static void print_time(void) {
    static const clockid_t clocks[] = {CLOCK_REALTIME,          CLOCK_MONOTONIC,     CLOCK_PROCESS_CPUTIME_ID,
                                       CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE,
                                       CLOCK_BOOTTIME};
    struct timespec now;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        clock_gettime(clocks[i], &now);
        printf("%ld.%09ld ", (long)now.tv_sec, now.tv_nsec);
    }
    timespec_get(&now, TIME_UTC);
    struct timeval day;
    gettimeofday(&day, NULL);
    struct tms used;
    clock_t ticks = times(&used);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld %ld.%ld %ld %ld %ld %ld %f %ld %ld\n", now.tv_nsec, (long)day.tv_sec, (long)day.tv_usec, (long)time(NULL),
           (long)clock(), (long)ticks, (long)used.tms_utime, MPI_Wtime(), (long)usage.ru_utime.tv_usec, usage.ru_maxrss);
}

static void print_machine(void) {
    char name[256];
    int length;
    unsigned processor, node;
    struct utsname system;
    struct sysinfo machine;
    gethostname(name, sizeof name);
    printf("%s ", name);
    MPI_Get_processor_name(name, &length);
    uname(&system);
    sysinfo(&machine);
    getcpu(&processor, &node);
    printf("%s %s %d %d %d %u %u %ld %lu %lu %ld\n", name, system.nodename, getpid(), getppid(), sched_getcpu(), processor,
           node, machine.uptime, machine.freeram, machine.loads[0], sysconf(_SC_AVPHYS_PAGES));
}

static void print_chance(void) {
    uint64_t number[3] = {0};
    if (getrandom(&number[0], 8, 0) != 8 || getentropy(&number[1], 8) != 0)
        abort();
    FILE *file = fopen("/dev/urandom", "r");
    if (!file || fread(&number[2], 8, 1, file) != 1)
        abort();
    fclose(file);
    srand((unsigned)time(NULL) ^ (unsigned)getpid());
    void *block = malloc(100);
    printf("%lx %lx %lx %d %lx %p %p %lx\n", number[0], number[1], number[2], rand(), (unsigned long)random(), block,
           (void *)&number, *(unsigned long *)getauxval(AT_RANDOM));
    free(block);
}

static void print_cycles(void) {
    unsigned processor;
    for (uint64_t begin = __rdtsc(); __rdtsc() < begin + 100000000000u;)
        ;
    printf("%llu ", __rdtsc() + __rdtscp(&processor));
    printf("%u\n", processor);
}

static void print_all(void) {
    print_time();
    print_machine();
    print_chance();
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++) {
        if (rank == 0) {
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (argc > 1)
                print_cycles();
            else
                print_all();
        } else {
            MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        for (int i = 0; i < 2; i++)
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
