/* MPI_Init comes first, MPI_Finalize last, each once; a few functions may be called at any time (MPI-3.1 section 8.7). */
/* explore: ranks=2 verdict=race-free args=right */
/* explore: ranks=2 verdict=found class=call-outside-init says=MPI_Comm_rank args=before mpiexec=no */
/* explore: ranks=2 verdict=found class=call-outside-init says=MPI_Type_size args=before_local mpiexec=no */
/* explore: ranks=2 verdict=found class=call-outside-init says=MPI_Barrier args=after mpiexec=no */
/* explore: ranks=2 verdict=found class=call-outside-init says=MPI_Type_size args=after_local mpiexec=no */
/* explore: ranks=2 verdict=found class=call-outside-init says=MPI_Init args=init_twice mpiexec=no */
/* explore: ranks=2 verdict=found class=call-outside-init says=MPI_Finalize args=finalize_twice mpiexec=no */
/* explore: ranks=2 verdict=found class=call-outside-init says=MPI_Init args=init_again mpiexec=no */
#include <assert.h>
#include <mpi.h>
#include <string.h>

static const char *mode;

static int is(const char *name) { return strcmp(mode, name) == 0; }

static void check(int initialized, int finalized) {
    int flag, version, subversion, length;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&flag);
    assert(flag == initialized);
    MPI_Finalized(&flag);
    assert(flag == finalized);
    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(text, &length);
    assert(version >= 3);
}

int main(int argc, char **argv) {
    int number;
    mode = argc > 1 ? argv[1] : "right";
    check(0, 0);
    if (is("before"))
        MPI_Comm_rank(MPI_COMM_WORLD, &number);
    if (is("before_local"))
        MPI_Type_size(MPI_INT, &number);
    MPI_Init(&argc, &argv);
    check(1, 0);
    if (is("init_twice"))
        MPI_Init(&argc, &argv);
    MPI_Finalize();
    check(1, 1);
    if (is("after"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is("after_local"))
        MPI_Type_size(MPI_INT, &number);
    if (is("finalize_twice"))
        MPI_Finalize();
    if (is("init_again"))
        MPI_Init(&argc, &argv);
    return 0;
}
