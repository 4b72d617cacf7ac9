/* Accesses reach the bytes that a datatype's type map names, in its order (MPI-3.1 section 4.1), however the type was made: what
 * rank 0 puts by each type is what unpacking with it gives, and what it gets is what packing gives. Some go backwards, leave gaps
 * of thousands of bytes, have negative displacements, or are made of others. The argument "wrong": rank 1 expects the elements in another
 * order. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 args=wrong verdict=found class=crash */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 17, MIDDLE = ROOM / 2, MOST = 64 }; /* ints of the window, where accesses are, and of an access */

static int window_memory[ROOM], expected[ROOM], sent[MOST], got[MOST];

static void require(int condition, const char *type) {
    if (condition)
        return;
    fprintf(stderr, "%s: other elements, or in another order\n", type);
    abort();
}

static int elements_of(MPI_Datatype type) {
    int size;
    MPI_Type_size(type, &size);
    return size / (int)sizeof(int);
}

/* What `elements` ints give that are unpacked as `type` in the middle of `expected`. */
static void unpack(MPI_Datatype type, int elements) {
    int position = 0;
    MPI_Unpack(sent, elements * (int)sizeof(int), &position, &expected[MIDDLE], 1, type, MPI_COMM_SELF);
}

static void access_by(MPI_Datatype type, const char *name, int rank, MPI_Win window, int is_wrong) {
    const int elements = elements_of(type);
    MPI_Type_commit(&type);
    for (int i = 0; i < MOST; i++)
        sent[i] = i + 1;
    memset(window_memory, 0, sizeof window_memory);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(sent, elements, MPI_INT, 1, MIDDLE, 1, type, window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Get(got, elements, MPI_INT, 1, MIDDLE, 1, type, window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        require(memcmp(got, sent, (size_t)elements * sizeof *got) == 0, name);
    if (is_wrong)
        sent[0] = 2, sent[1] = 1;
    memset(expected, 0, sizeof expected);
    unpack(type, elements);
    if (rank == 1)
        require(memcmp(window_memory, expected, sizeof expected) == 0, name);
    MPI_Type_free(&type);
}

#define ACCESS(call)                                          \
    do {                                                      \
        MPI_Datatype type;                                    \
        call;                                                 \
        access_by(type, #call, rank, window, is_wrong);       \
        MPI_Barrier(MPI_COMM_WORLD); /* before it is reset */ \
    } while (0)

int main(int argc, char **argv) {
    enum { FAR = 20000 };
    static const int lengths[] = {2, 0, 3}, places[] = {7, 100, -FAR}, sizes[] = {4, 5}, parts[] = {2, 3}, starts[] = {1, 1},
                     grid[] = {2, 2}, ways[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
                     blocks[] = {MPI_DISTRIBUTE_DFLT_DARG, 1};
    static const MPI_Aint bytes[] = {40, 4000, -4 * FAR};
    const int is_wrong = argc > 1 && strcmp(argv[1], "wrong") == 0;
    int rank;
    MPI_Win window;
    MPI_Datatype column, pairs[3] = {MPI_INT, MPI_2INT, MPI_INT};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(window_memory, sizeof window_memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    ACCESS(MPI_Type_contiguous(5, MPI_INT, &type));
    ACCESS(MPI_Type_vector(3, 2, FAR, MPI_INT, &type));
    ACCESS(MPI_Type_vector(3, 1, -2, MPI_INT, &type));
    ACCESS(MPI_Type_create_hvector(3, 2, -4 * FAR, MPI_INT, &type));
    ACCESS(MPI_Type_indexed(3, lengths, places, MPI_INT, &type));
    ACCESS(MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type));
    ACCESS(MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &type));
    ACCESS(MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &type));
    ACCESS(MPI_Type_create_struct(3, lengths, bytes, pairs, &type));
    ACCESS(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type));
    ACCESS(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_2INT, &type));
    ACCESS(MPI_Type_create_darray(4, 3, 2, sizes, ways, blocks, grid, MPI_ORDER_C, MPI_INT, &type));
    MPI_Type_vector(3, 1, 4, MPI_INT, &column);
    ACCESS(MPI_Type_create_resized(column, -8, sizeof(int), &type));
    ACCESS(MPI_Type_dup(column, &type));
    ACCESS(MPI_Type_create_hvector(4, 1, sizeof(int), column, &type));
    ACCESS(MPI_Type_create_struct(2, lengths, bytes, (MPI_Datatype[]){column, MPI_INT}, &type));
    MPI_Type_free(&column);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
