/* Memory lent to MPI, the buffer attached for buffered sends (MPI-3.1 section 3.6) or a window's (11.2.1), must be there until it is
 * given back: by MPI_Buffer_detach, or MPI_Win_free.
 *
 *   buffer_freed, window_freed   a heap block is freed too early; zeros, as freed memory is, and nobody looks at them
 *   buffer_left, window_left     the variable of a function that has returned, where another one has its own now
 *   buffer_left_deep             … of a function that was called far down the stack, where nobody has been since
 *   buffer_unused, buffer_kept   freed before MPI_Buffer_detach, and nothing is sent; freed, something is sent, and it stays attached
 *   buffer_beside                the blocks before and behind it are freed
 *   …_after                      freed when it has been given back
 *   …_outer                      a variable of the caller, who is still there
 *   window_empty                 of no bytes, which the block that is freed has none of
 *   window_freed_last            before MPI_Win_free, but after all else: forbidden too, but it does no harm, and is not reported
 */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=buffer_freed */
/* explore: ranks=2 verdict=race-free args=buffer_after */
/* explore: ranks=2 verdict=found class=buffer-in-use says=returned args=buffer_left */
/* explore: ranks=2 verdict=found class=buffer-in-use says=MPI_Bsend args=buffer_left_deep */
/* explore: ranks=2 verdict=found class=buffer-in-use says=MPI_Buffer_detach args=buffer_unused */
/* explore: ranks=2 verdict=found class=buffer-in-use says=MPI_Bsend args=buffer_kept */
/* explore: ranks=2 verdict=race-free args=buffer_beside */
/* explore: ranks=2 verdict=race-free args=buffer_outer */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=window_freed */
/* explore: ranks=2 verdict=race-free args=window_after */
/* explore: ranks=2 verdict=found class=buffer-in-use says=returned args=window_left */
/* explore: ranks=2 verdict=race-free args=window_outer */
/* explore: ranks=2 verdict=race-free args=window_empty */
/* explore: ranks=2 verdict=race-free args=window_freed_last */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4 * sizeof(int) + MPI_BSEND_OVERHEAD };

static const char *what;
static int rank;

static int is(const char *name) { return strcmp(what, name) == 0; }

/* ---- an attached buffer ---- */

__attribute__((noinline)) static void attach(void *outer) {
    char own[BYTES];
    MPI_Buffer_attach(outer != NULL ? outer : own, BYTES);
}

__attribute__((noinline)) static char attach_deep(void) {
    volatile char down[1 << 16];
    down[0] = 0;
    attach(NULL);
    return down[0];
}

__attribute__((noinline)) static void exchange(void) {
    int numbers[4] = {1, 2, 3, 4};
    if (rank == 0)
        MPI_Bsend(numbers, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(numbers, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void use_buffer(void) {
    char outer[BYTES];
    void *before = calloc(1, BYTES), *block = calloc(1, BYTES), *behind = calloc(1, BYTES), *given_back;
    int size;
    if (is("buffer_left_deep"))
        attach_deep();
    else
        attach(is("buffer_left") ? NULL : is("buffer_outer") ? outer : block);
    if (is("buffer_freed") || is("buffer_unused") || is("buffer_kept")) {
        free(block);
        block = calloc(1, BYTES);
    }
    if (is("buffer_beside")) {
        free(before);
        free(behind);
        before = behind = NULL;
    }
    if (!is("buffer_unused"))
        exchange();
    if (!is("buffer_kept"))
        MPI_Buffer_detach(&given_back, &size);
    free(before);
    free(block);
    free(behind);
}

/* ---- a window ---- */

__attribute__((noinline)) static MPI_Win create(int *outer) {
    int own[4] = {0};
    MPI_Win window;
    MPI_Win_create(outer != NULL ? outer : own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    return window;
}

__attribute__((noinline)) static void put_zero(MPI_Win window) {
    const int zero = 0;
    MPI_Put(&zero, 1, MPI_INT, 1 - rank, 2, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
}

static void use_window(void) {
    int outer[4] = {0}, *block = calloc(4, sizeof *block);
    MPI_Win window = create(is("window_left") ? NULL : is("window_outer") ? outer : block);
    if (is("window_freed")) {
        free(block);
        block = calloc(4, sizeof *block);
    }
    put_zero(window);
    if (is("window_freed_last")) {
        free(block);
        block = NULL;
    }
    MPI_Win_free(&window);
    free(block);
}

static void use_empty(void) {
    int *block = calloc(4, sizeof *block);
    MPI_Win window;
    MPI_Win_create(block + 2, 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    free(block);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    what = argc > 1 ? argv[1] : "";
    if (strncmp(what, "buffer", 6) == 0)
        use_buffer();
    else if (is("window_empty"))
        use_empty();
    else
        use_window();
    MPI_Finalize();
    return 0;
}
