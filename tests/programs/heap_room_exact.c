/* A heap block ends where it was asked to end, however much more there is behind it: a message with one element too many does not
 * fit, and one less does, in blocks of any size, and in what becomes of a block that is made larger or smaller.
 *
 *   small, middle, large          5, 100 and 10000 integers
 *   none                          a block of no bytes
 *   aligned                       5 integers on a boundary of 256 bytes
 *   grown, grown_moved, shrunk    a block of 5 that is made one of 7, of 5000, and one of 7 made one of 5
 *   usable                        malloc_usable_size has nothing to add, and what it says may be used
 *
 * With _over the message has one integer more than there is room for. */
/* explore: ranks=2 verdict=race-free args=small */
/* explore: ranks=2 verdict=found class=invalid-argument args=small_over says=20 */
/* explore: ranks=2 verdict=race-free args=middle */
/* explore: ranks=2 verdict=found class=invalid-argument args=middle_over says=400 */
/* explore: ranks=2 verdict=race-free args=large */
/* explore: ranks=2 verdict=found class=invalid-argument args=large_over says=40000 */
/* explore: ranks=2 verdict=race-free args=none */
/* explore: ranks=2 verdict=found class=invalid-argument args=none_over says=heap */
/* explore: ranks=2 verdict=race-free args=aligned */
/* explore: ranks=2 verdict=found class=invalid-argument args=aligned_over says=20 */
/* explore: ranks=2 verdict=race-free args=grown mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=grown_over says=28 */
/* explore: ranks=2 verdict=race-free args=grown_moved mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=grown_moved_over says=20000 */
/* explore: ranks=2 verdict=race-free args=shrunk */
/* explore: ranks=2 verdict=found class=invalid-argument args=shrunk_over says=20 */
/* explore: ranks=2 verdict=race-free args=usable */
/* explore: ranks=2 verdict=found class=invalid-argument args=usable_over says=20 */
#include <malloc.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *what, const char *with) { return strncmp(what, with, strlen(with)) == 0; }

static int *integers(int count) { return malloc((size_t)count * sizeof(int)); }

/* What was not there before must be as if it had never been used. */
static int *resized(int from, int to) {
    int *block = integers(from), *other;
    memset(block, 7, (size_t)from * sizeof(int));
    other = realloc(block, (size_t)to * sizeof(int));
    for (int i = 0; i < to; i++)
        if (other[i] != (i < from ? 0x07070707 : 0))
            MPI_Abort(MPI_COMM_WORLD, 1);
    return other;
}

/* The block and its *count. */
static int *make(const char *what, int *count) {
    static const struct {
        const char *name;
        int count, from;
    } simple[] = {{"small", 5, 0},          {"middle", 100, 0}, {"large", 10000, 0}, {"none", 0, 0},
                  {"grown_moved", 5000, 5}, {"grown", 7, 5},    {"shrunk", 5, 7}};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
        if (begins(what, simple[i].name)) {
            *count = simple[i].count;
            return simple[i].from > 0 ? resized(simple[i].from, *count) : integers(*count);
        }
    }
    *count = 5;
    int *block = begins(what, "aligned") ? aligned_alloc(256, 5 * sizeof(int)) : integers(5);
    if (begins(what, "usable"))
        *count = (int)(malloc_usable_size(block) / sizeof(int));
    return block;
}

int main(int argc, char **argv) {
    int rank, count;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *block = make(argv[1], &count);
    if (strstr(argv[1], "_over") != NULL)
        count++;
    int *message = calloc((size_t)count, sizeof(int));
    if (rank == 0)
        MPI_Recv(block, count, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(message, count, MPI_INT, 0, 0, MPI_COMM_WORLD);
    free(message);
    free(block);
    MPI_Finalize();
    return 0;
}
