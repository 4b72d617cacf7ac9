/* Memory that the program has mapped before MPI_Init, and in which each rank keeps a number of its own.
 *
 *   private   is part of local states
 *   shared    could be changed by other processes, and all ranks would have the same: refused, as is a file in memory
 *   reserved  cannot be written to before the rank makes it so: refused
 *   fixed     is never written to
 */
/* explore: ranks=3 verdict=race-free args=private */
/* explore: ranks=3 verdict=cannot-run says=shared args=shared mpiexec=no */
/* explore: ranks=3 verdict=cannot-run says=shared args=file mpiexec=no */
/* explore: ranks=3 verdict=cannot-run says=writable args=reserved mpiexec=no */
/* explore: ranks=3 verdict=race-free args=fixed */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 1 << 20 };

static int is(const char *what, const char *name) { return strcmp(what, name) == 0; }

static int *map(const char *what) {
    const int flags = is(what, "shared") ? MAP_SHARED | MAP_ANONYMOUS
                      : is(what, "file") ? MAP_SHARED
                                         : MAP_PRIVATE | MAP_ANONYMOUS;
    const int access = is(what, "reserved") ? PROT_NONE : is(what, "fixed") ? PROT_READ : PROT_READ | PROT_WRITE;
    int file = is(what, "file") ? memfd_create("file", 0) : -1;
    if (file >= 0 && ftruncate(file, BYTES) != 0)
        return NULL;
    int *memory = mmap(NULL, BYTES, access, flags, file, 0);
    if (file >= 0)
        close(file);
    return memory;
}

/* Rank 0 hears the others in some order. */
static void meet(int rank, int ranks) {
    int number = rank;
    for (int i = 1; rank == 0 && i < ranks; i++)
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "private";
    int rank, ranks, *memory = map(what), fixed = is(what, "fixed");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (is(what, "reserved"))
        mprotect(memory, BYTES, PROT_READ | PROT_WRITE);
    if (!fixed)
        memory[1000] = rank;
    for (int i = 0; i < 3; i++) {
        meet(rank, ranks);
        if (memory[1000] != (fixed ? 0 : rank + i))
            MPI_Abort(MPI_COMM_WORLD, 1);
        if (!fixed)
            memory[1000]++;
    }
    MPI_Finalize();
    return 0;
}
