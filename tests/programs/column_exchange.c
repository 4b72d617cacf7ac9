/* Columns of a matrix travel as a vector type and arrive as contiguous numbers; an indexed and a struct type go along. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=2 verdict=race-free buffering=none */
#include <assert.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

enum { ROWS = 3, COLUMNS = 5 };

struct particle {
    char name;
    double weight;
    int cells[2];
};

static MPI_Datatype particle_type(void) {
    int lengths[3] = {1, 1, 2};
    MPI_Aint places[3] = {offsetof(struct particle, name), offsetof(struct particle, weight), offsetof(struct particle, cells)};
    MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT}, packed, type;
    MPI_Type_create_struct(3, lengths, places, types, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct particle), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&packed);
    return type;
}

static void send_right(int left, int right, int rank) {
    int matrix[ROWS][COLUMNS], column[ROWS], few[3];
    MPI_Datatype columns, some;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        matrix[i / COLUMNS][i % COLUMNS] = 100 * rank + i;
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &columns);
    MPI_Type_commit(&columns);
    MPI_Sendrecv(&matrix[0][COLUMNS - 1], 1, columns, right, 0, column, ROWS, MPI_INT, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < ROWS; i++)
        assert(column[i] == 100 * left + i * COLUMNS + COLUMNS - 1);

    MPI_Type_indexed(2, (int[]){1, 2}, (int[]){7, 2}, MPI_INT, &some);
    MPI_Type_commit(&some);
    MPI_Sendrecv(matrix, 1, some, right, 1, few, 3, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(few[0] == 100 * left + 7 && few[1] == 100 * left + 2 && few[2] == 100 * left + 3);
    MPI_Type_free(&some);
    MPI_Type_free(&columns);
}

static void send_particles(int left, int right, int rank) {
    struct particle out[2] = {{'a', rank, {1, 2}}, {'b', 2 * rank, {3, 4}}}, in[2];
    MPI_Datatype type = particle_type();
    MPI_Status status;
    int count;
    MPI_Sendrecv(out, 2, type, right, 2, in, 2, type, left, 2, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, type, &count);
    assert(count == 2 && in[1].name == 'b' && in[1].weight == 2 * left && in[0].cells[1] == 2);
    MPI_Type_free(&type);
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    send_right(left, right, rank);
    send_particles(left, right, rank);
    if (rank == 0)
        printf("all right\n");
    MPI_Finalize();
    return 0;
}
