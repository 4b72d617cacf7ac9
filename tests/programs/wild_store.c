/* Rank 1 finds the explorer's shared memory among its mappings and writes over it: constants first, which are out of its reach. */
/* explore: ranks=3 verdict=found class=crash mpiexec=no */
/* ... and, if told so, all that it can reach, without ending: what was kept of the states is then worth nothing, and said so. */
/* explore: ranks=3 verdict=cannot-run args=all says=wrote mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, AT_ONCE = 1 << 16 };

/* All that holds something: touching the rest would only use memory. */
static void write_over(unsigned long start, unsigned long end) {
    static unsigned char resident[AT_ONCE];
    for (unsigned long at = start; at < end; at += AT_ONCE * PAGE) {
        unsigned long pages = (end - at) / PAGE < AT_ONCE ? (end - at) / PAGE : AT_ONCE;
        memset(resident, 0, sizeof resident);
        if (mincore((void *)at, pages * PAGE, resident) != 0)
            return;
        for (unsigned long i = 0; i < pages; i++)
            for (unsigned long word = 0; (resident[i] & 1) && word < PAGE; word += 8)
                *(volatile unsigned long *)(at + i * PAGE + word) ^= 0x5555;
    }
}

static void write_over_explorer(int all) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], permissions[5];
    unsigned long start, end;
    int fixed = 0; /* pieces out of reach: the head of the region, then that of each store */
    while (maps && fgets(line, sizeof line, maps)) {
        if (!strstr(line, "memfd:explore") || sscanf(line, "%lx-%lx %4s", &start, &end, permissions) != 3)
            continue;
        fixed += permissions[1] != 'w';
        if (!all && permissions[1] != 'w')
            *(volatile int *)start = 1;
        else if (all && permissions[1] == 'w' && fixed > 1) /* before are the mailboxes: that would end just this step */
            write_over(start, end);
    }
    if (maps)
        fclose(maps);
}

int main(int argc, char **argv) {
    int rank, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        MPI_Allreduce(MPI_IN_PLACE, &token, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1)
        write_over_explorer(argc > 1);
    for (int i = 0; i < 3; i++)
        MPI_Allreduce(MPI_IN_PLACE, &token, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
