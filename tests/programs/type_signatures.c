/* Rank 0 sends and rank 1 receives, with types that match or do not (MPI-3.1 section 3.3.1). What counts is the sequence of basic
 * types, not how the datatypes were made; a receive may have room for more; MPI_PACKED goes with everything, MPI_BYTE with
 * itself only. */
/* explore: ranks=2 verdict=race-free args=same */
/* explore: ranks=2 verdict=race-free args=vector */
/* explore: ranks=2 verdict=race-free args=nested */
/* explore: ranks=2 verdict=race-free args=longer */
/* explore: ranks=2 verdict=race-free args=prefix */
/* explore: ranks=2 verdict=race-free args=packed */
/* explore: ranks=2 verdict=race-free args=pair */
/* explore: ranks=2 verdict=race-free args=empty */
/* explore: ranks=2 verdict=race-free args=resized */
/* explore: ranks=2 verdict=found class=type-mismatch says=MPI_FLOAT args=other mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch says=MPI_BYTE args=bytes mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch args=swapped mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch args=second mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch args=signed mpiexec=no */
#include <mpi.h>
#include <stddef.h>
#include <string.h>

struct record {
    int key;
    double value[2];
};

/* `first` and `second` may be any types of these sizes. */
static MPI_Datatype make_record(MPI_Datatype first, MPI_Datatype second) {
    MPI_Datatype types[2] = {first, second}, made, resized;
    int lengths[2] = {1, 2};
    MPI_Aint places[2] = {offsetof(struct record, key), offsetof(struct record, value)};
    MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_create_resized(made, 0, sizeof(struct record), &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&made);
    return resized;
}

/* The same sequence another way: {int}, {double, double} as a vector of one struct each. */
static MPI_Datatype make_nested(void) {
    MPI_Datatype two, made;
    MPI_Type_vector(2, 1, 1, MPI_DOUBLE, &two);
    MPI_Datatype types[2] = {MPI_INT, two};
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, offsetof(struct record, value)};
    MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_commit(&made);
    MPI_Type_free(&two);
    return made;
}

struct use {
    int count;
    MPI_Datatype type;
};

static void choose(const char *mode, MPI_Datatype record, struct use *send, struct use *receive) {
    *send = *receive = (struct use){4, MPI_INT};
    if (!strcmp(mode, "other"))
        receive->type = MPI_FLOAT;
    if (!strcmp(mode, "bytes"))
        *receive = (struct use){16, MPI_BYTE};
    if (!strcmp(mode, "signed"))
        receive->type = MPI_UNSIGNED;
    if (!strcmp(mode, "longer"))
        receive->count = 20;
    if (!strcmp(mode, "packed"))
        *receive = (struct use){16, MPI_PACKED};
    if (!strcmp(mode, "empty"))
        *send = (struct use){0, MPI_DOUBLE};
    if (!strcmp(mode, "pair")) {
        *send = (struct use){1, MPI_2INT};
        *receive = (struct use){2, MPI_INT};
    }
    if (!strcmp(mode, "prefix")) { /* int, double: the first record is not complete */
        *send = (struct use){1, MPI_INT};
        *receive = (struct use){2, record};
    }
    if (!strcmp(mode, "second")) { /* the second element differs */
        *send = (struct use){4, MPI_INT};
        *receive = (struct use){2, record};
    }
    if (!strcmp(mode, "nested") || !strcmp(mode, "swapped") || !strcmp(mode, "resized"))
        *send = *receive = (struct use){1, record};
}

int main(int argc, char **argv) {
    int rank;
    char buffer[400] = {0};
    const char *mode = argc > 1 ? argv[1] : "same";
    struct use send, receive;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype record = make_record(MPI_INT, MPI_DOUBLE), nested = make_nested(), vector;
    MPI_Datatype swapped = make_record(MPI_FLOAT, MPI_DOUBLE);
    MPI_Type_vector(2, 2, 5, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    choose(mode, record, &send, &receive);
    if (!strcmp(mode, "vector"))
        receive = (struct use){1, vector};
    if (!strcmp(mode, "nested"))
        receive.type = nested;
    if (!strcmp(mode, "swapped"))
        receive.type = swapped;
    if (!strcmp(mode, "resized"))
        send = (struct use){2, record}, receive = (struct use){3, record};
    if (rank == 0)
        MPI_Send(buffer, send.count, send.type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(buffer, receive.count, receive.type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&record);
    MPI_Type_free(&nested);
    MPI_Type_free(&vector);
    MPI_Type_free(&swapped);
    MPI_Finalize();
    return 0;
}
