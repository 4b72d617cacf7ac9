/* Rank 0 sends what rank 1 receives with types of MPI_Type_create_f90_real and its like. One matches those that were asked for with the
 * same precision and range, and duplicates of them, alone (MPI-3.1 section 17.1.9): not the type that it is in memory, either. */
/* explore: ranks=2 verdict=race-free args=same */
/* explore: ranks=2 verdict=race-free args=duplicate */
/* explore: ranks=2 verdict=race-free args=pair */
/* explore: ranks=2 verdict=race-free args=integer */
/* explore: ranks=2 verdict=race-free args=complex */
/* explore: ranks=2 verdict=race-free args=collective */
/* explore: ranks=2 verdict=found class=type-mismatch says=MPI_Type_create_f90_real(15 args=range mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch says=MPI_UNDEFINED args=undefined mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch says=MPI_DOUBLE args=double mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch says=MPI_INT args=int mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch args=second mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch args=broadcast mpiexec=no */
#include <mpi.h>
#include <string.h>

static const char *what;

static int is(const char *word) { return strcmp(what, word) == 0; }

static MPI_Datatype real_of(int precision, int range) {
    MPI_Datatype type;
    MPI_Type_create_f90_real(precision, range, &type);
    return type;
}

static MPI_Datatype received(void) {
    MPI_Datatype type = real_of(15, 307);
    if (is("range"))
        type = real_of(15, 300);
    if (is("undefined"))
        type = real_of(15, MPI_UNDEFINED);
    if (is("double"))
        type = MPI_DOUBLE;
    if (is("integer"))
        MPI_Type_create_f90_integer(9, &type);
    if (is("int"))
        type = MPI_INT;
    if (is("complex"))
        MPI_Type_create_f90_complex(15, 307, &type);
    return type;
}

static MPI_Datatype sent(void) {
    MPI_Datatype type = real_of(15, 307);
    if (is("integer") || is("int"))
        MPI_Type_create_f90_integer(9, &type);
    if (is("complex"))
        MPI_Type_create_f90_complex(15, 307, &type);
    return type;
}

/* Two elements, the second of which may be another one in memory alike. */
static MPI_Datatype two_of(MPI_Datatype first, MPI_Datatype second) {
    MPI_Datatype pair, types[2] = {first, second};
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, sizeof(double)}, types, &pair);
    MPI_Type_commit(&pair);
    return pair;
}

int main(int argc, char **argv) {
    int rank;
    double buffer[4] = {0}, sum[2];
    MPI_Init(&argc, &argv);
    what = argv[1];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype send = sent(), receive = received(), copy, pair = two_of(receive, is("second") ? MPI_DOUBLE : receive);
    MPI_Type_dup(receive, &copy);
    if (is("collective"))
        MPI_Allreduce(buffer, sum, 2, send, MPI_SUM, MPI_COMM_WORLD);
    else if (is("broadcast"))
        MPI_Bcast(buffer, 2, rank == 0 ? send : MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else if (rank == 0)
        MPI_Send(buffer, 2, send, 1, 0, MPI_COMM_WORLD);
    else if (is("pair") || is("second"))
        MPI_Recv(buffer, 1, pair, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Recv(buffer, 2, is("duplicate") ? copy : receive, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&copy);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
