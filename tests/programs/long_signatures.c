/* Rank 0 broadcasts records to all, so many that there are more pieces of one basic type than anybody would list. A type signature says
 * nothing of how types are put together (MPI-3.1 section 3.3.1): what `right` cases receive with is the same sequence of basic types.
 *
 *   pairs     {int, double}, as many as were sent       halves    half as many of two of them
 *   swapped   {double, int}                             gathered  MPI_Gather with it
 *   same      records whose first and last members are of one type, and two of them in one type (`same_halves`)
 *   element   the records are members of one type of which there is one, the last swapped in `element_swapped`
 *   turned    {int, double, int} received as {int, int, double}: only where pieces begin differs */
/* explore: ranks=2 verdict=race-free args=pairs */
/* explore: ranks=2 verdict=race-free args=halves */
/* explore: ranks=2 verdict=race-free args=same */
/* explore: ranks=2 verdict=race-free args=same_halves */
/* explore: ranks=2 verdict=race-free args=gathered_right */
/* explore: ranks=2 verdict=race-free args=message */
/* explore: ranks=2 verdict=race-free args=element */
/* explore: ranks=2 verdict=found class=type-mismatch args=element_swapped mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch args=swapped mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch args=turned mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch args=gathered mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch args=message_swapped mpiexec=no */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 50000, SIZE_MOST = 16 };

static MPI_Datatype record(int members, const MPI_Datatype *type) {
    static const int one_each[] = {1, 1, 1};
    MPI_Aint place[3] = {0};
    for (int i = 1; i < members; i++) {
        int size;
        MPI_Type_size(type[i - 1], &size);
        place[i] = place[i - 1] + size;
    }
    MPI_Datatype made;
    MPI_Type_create_struct(members, one_each, place, type, &made);
    MPI_Type_commit(&made);
    return made;
}

static MPI_Datatype one_element(int last_is_swapped) {
    static int one_each[2 * RECORDS];
    static MPI_Aint place[2 * RECORDS];
    static MPI_Datatype type[2 * RECORDS];
    MPI_Aint end = 0;
    for (int i = 0; i < 2 * RECORDS; i++) {
        const int is_int = (i % 2 == 0) ^ (last_is_swapped && i >= 2 * RECORDS - 2);
        one_each[i] = 1;
        place[i] = end;
        type[i] = is_int ? MPI_INT : MPI_DOUBLE;
        end += is_int ? 4 : 8;
    }
    MPI_Datatype made;
    MPI_Type_create_struct(2 * RECORDS, one_each, place, type, &made);
    MPI_Type_commit(&made);
    return made;
}

static MPI_Datatype two_of(MPI_Datatype type) {
    static const int one_each[] = {1, 1};
    const MPI_Datatype both[] = {type, type};
    MPI_Aint start, place[2] = {0};
    MPI_Type_get_extent(type, &start, &place[1]);
    MPI_Datatype made;
    MPI_Type_create_struct(2, one_each, place, both, &made);
    MPI_Type_commit(&made);
    MPI_Type_free(&type);
    return made;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *const what = argv[1];
    const MPI_Datatype pair[] = {MPI_INT, MPI_DOUBLE}, swapped[] = {MPI_DOUBLE, MPI_INT},
                       same[] = {MPI_INT, MPI_DOUBLE, MPI_INT}, turned[] = {MPI_INT, MPI_INT, MPI_DOUBLE};
    const int of_three = strstr(what, "same") || strstr(what, "turned");
    int rank, count = RECORDS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype type = of_three ? record(3, same) : record(2, pair);
    if (strstr(what, "element")) {
        MPI_Type_free(&type);
        type = one_element(rank == 1 && strcmp(what, "element_swapped") == 0);
        count = 1;
    } else if (rank == 1 && (strstr(what, "swapped") || strcmp(what, "gathered") == 0)) {
        MPI_Type_free(&type);
        type = record(2, swapped);
    }
    if (rank == 1 && strstr(what, "turned")) {
        MPI_Type_free(&type);
        type = record(3, turned);
    }
    if (rank == 1 && strstr(what, "halves")) {
        type = two_of(type);
        count /= 2;
    }
    char *buffer = calloc(RECORDS, SIZE_MOST), *all = calloc(2 * RECORDS, SIZE_MOST);
    if (strstr(what, "gathered"))
        MPI_Gather(buffer, count, type, all, RECORDS, type, 0, MPI_COMM_WORLD);
    else if (strstr(what, "message") && rank == 0)
        MPI_Send(buffer, count, type, 1, 0, MPI_COMM_WORLD);
    else if (strstr(what, "message"))
        MPI_Recv(buffer, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Bcast(buffer, count, type, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    free(all);
    free(buffer);
    MPI_Finalize();
    return 0;
}
