/* As static_room.c and heap_room.c, for datatypes with gaps: their last element goes on behind the end of the object. Where a
 * datatype's displacements are in bytes, one element may lie in two objects (apart_right); but if the first one does not, more
 * of them must be where it is. Where the first byte is counts, not where the buffer is said to begin (one_based). `…_right`:
 * with the count that fits. `blocks_…` lie in two heap blocks, of which the second one may have been freed. */
/* explore: ranks=2 verdict=found class=invalid-argument args=vector says=matrix */
/* explore: ranks=2 verdict=race-free args=vector_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=heap says=heap */
/* explore: ranks=2 verdict=race-free args=heap_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=column says=matrix */
/* explore: ranks=2 verdict=race-free args=column_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=particle says=particles */
/* explore: ranks=2 verdict=race-free args=particle_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=received says=particles */
/* explore: ranks=2 verdict=race-free args=received_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=pair says=pairs */
/* explore: ranks=2 verdict=race-free args=pair_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=subarray says=matrix */
/* explore: ranks=2 verdict=race-free args=subarray_right */
/* explore: ranks=2 verdict=race-free args=apart_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=one_based says=heap */
/* explore: ranks=2 verdict=race-free args=one_based_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=blocks_sent says=freed */
/* explore: ranks=2 verdict=race-free args=blocks_sent_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=blocks_received says=freed */
/* explore: ranks=2 verdict=race-free args=blocks_received_right */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 8, PARTICLES = 5 };

struct particle {
    double mass;
    char kind;
};

static double matrix[SIDE][SIDE];
static struct particle particles[PARTICLES];
static struct {
    double value;
    int at;
} pairs[PARTICLES];
static double one = 1, far_from_it[100], two = 2;

static int rank;

static void send_from(const void *from, int count, MPI_Datatype type) {
    static char room[4096];
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(from, count, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(room, (int)sizeof room, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (type != MPI_DOUBLE_INT)
        MPI_Type_free(&type);
}

/* Both ends have the type; what is sent fits. */
static void receive_into(void *into, int count, int sent, MPI_Datatype type) {
    struct particle *given = calloc((size_t)sent, sizeof *given);
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(given, sent, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(into, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    free(given);
}

static MPI_Datatype column_type(void) {
    MPI_Datatype column, type;
    MPI_Type_vector(SIDE, 1, SIDE, MPI_DOUBLE, &column);
    MPI_Type_create_resized(column, 0, sizeof(double), &type);
    MPI_Type_free(&column);
    return type;
}

static MPI_Datatype particle_type(void) {
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {offsetof(struct particle, mass), offsetof(struct particle, kind)};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR};
    MPI_Datatype type;
    MPI_Type_create_struct(2, lengths, places, types, &type);
    return type;
}

static MPI_Datatype vector_type(int rows) {
    MPI_Datatype type;
    MPI_Type_vector(rows, 2, SIDE, MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype subarray_type(int rows) {
    const int sizes[] = {rows, SIDE}, parts[] = {2, 2}, starts[] = {rows - 2, 3};
    MPI_Datatype type;
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    return type;
}

/* Displacements count from 1, as indices into what is said to begin an element before the memory that there is. */
static MPI_Datatype one_based_type(int numbers) {
    const int from = 1;
    MPI_Datatype type;
    MPI_Type_create_indexed_block(1, numbers, &from, MPI_DOUBLE, &type);
    return type;
}

/* One element that is in two objects. */
static MPI_Datatype apart_type(const double *first, const double *second) {
    MPI_Aint at[2];
    MPI_Datatype type;
    MPI_Get_address(first, &at[0]);
    MPI_Get_address(second, &at[1]);
    const MPI_Aint places[] = {0, at[1] - at[0]};
    MPI_Type_create_hindexed_block(2, 1, places, MPI_DOUBLE, &type);
    return type;
}

/* So large that nobody else gets the place of the one that is freed. */
static void use_blocks(bool sends, bool right) {
    enum { LARGE = 4000 };
    double *first = calloc(LARGE, sizeof *first), *second = calloc(LARGE, sizeof *second);
    MPI_Datatype type = apart_type(first, second);
    if (!right)
        free(second);
    if (sends) {
        send_from(first, 1, type);
    } else {
        MPI_Type_commit(&type);
        if (rank == 0)
            MPI_Send(*matrix, 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(first, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Type_free(&type);
    }
    free(first);
    if (right)
        free(second);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *what = argc > 1 ? argv[1] : "";
    bool right = strstr(what, "right") != NULL;
    int more = right ? 0 : 1;
    double *other = calloc((size_t)SIDE * SIDE, sizeof *other), *block = calloc((size_t)SIDE * SIDE, sizeof *block);
    if (strncmp(what, "vector", 6) == 0)
        send_from(&matrix[1][0], 1, vector_type(SIDE - 1 + more));
    else if (strncmp(what, "heap", 4) == 0)
        send_from(block + SIDE, 1, vector_type(SIDE - 1 + more));
    else if (strncmp(what, "column", 6) == 0)
        send_from(&matrix[0][SIDE - 2], 2 + more, column_type());
    else if (strncmp(what, "particle", 8) == 0)
        send_from(&particles[1], PARTICLES - 1 + more, particle_type());
    else if (strncmp(what, "received", 8) == 0)
        receive_into(&particles[1], PARTICLES, PARTICLES - 1 + more, particle_type());
    else if (strncmp(what, "pair", 4) == 0)
        send_from(&pairs[1], PARTICLES - 1 + more, MPI_DOUBLE_INT);
    else if (strncmp(what, "subarray", 8) == 0)
        send_from(matrix, 1, subarray_type(SIDE + more));
    else if (strncmp(what, "one_based", 9) == 0)
        send_from(block - 1, 1, one_based_type(SIDE * SIDE + more));
    else if (strncmp(what, "blocks", 6) == 0)
        use_blocks(strstr(what, "sent"), right);
    else
        send_from(&one, 1, apart_type(&one, &two));
    far_from_it[0] = *block + *other;
    free(block);
    free(other);
    MPI_Finalize();
    return 0;
}
