/* A list in a dynamic window: each rank attaches an element and appends it to the list that begins at rank 0, by walking
 * to the end and swapping the null pointer there for its own. The order of the elements is the order of the swaps, the
 * number of elements is not. "detached" accesses memory that is not attached any more. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=3 verdict=race-free mpiexec=no */
/* explore: ranks=3 verdict=found class=race-output args=order */
/* explore: ranks=2 verdict=found class=invalid-argument args=detached */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A pointer to an element: its rank in the upper 16 bits, its address in the others. 0: the end. */
typedef long long pointer;

struct element {
    pointer next;
};

static pointer make_pointer(int rank, MPI_Aint address) { return (pointer)(rank + 1) << 48 | (pointer)address; }
static int rank_of(pointer to) { return (int)(to >> 48) - 1; }
static MPI_Aint address_of(pointer to) { return (MPI_Aint)(to & 0xffffffffffff); }

static pointer load(pointer from, MPI_Win window) {
    pointer nothing = 0, value;
    MPI_Fetch_and_op(&nothing, &value, MPI_LONG_LONG, rank_of(from), address_of(from), MPI_NO_OP, window);
    MPI_Win_flush(rank_of(from), window);
    return value;
}

static void append(pointer head, pointer element, MPI_Win window) {
    for (pointer at = head;;) {
        pointer end = 0, old;
        MPI_Compare_and_swap(&element, &end, &old, MPI_LONG_LONG, rank_of(at), address_of(at), window);
        MPI_Win_flush(rank_of(at), window);
        if (old == 0)
            return;
        at = old;
    }
}

int main(int argc, char **argv) {
    int rank;
    MPI_Win window;
    MPI_Aint address;
    pointer head = 0;
    const char *variant = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    struct element *element = calloc(1, sizeof *element);
    MPI_Win_attach(window, element, sizeof *element);
    MPI_Get_address(element, &address);
    if (rank == 0)
        head = make_pointer(rank, address);
    MPI_Bcast(&head, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (rank > 0)
        append(head, make_pointer(rank, address), window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(variant, "detached")) {
        if (rank == 0)
            MPI_Win_detach(window, element);
        MPI_Barrier(MPI_COMM_WORLD);
        load(head, window);
    }
    int elements = 0;
    for (pointer at = head; at != 0; at = load(at, window), elements++)
        if (rank == 0 && !strcmp(variant, "order"))
            printf("element of rank %d\n", rank_of(at));
    if (rank == 0)
        printf("%d elements\n", elements);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(window, element);
    MPI_Win_free(&window);
    free(element);
    MPI_Finalize();
    return 0;
}
