/* The kernel writes beside memory of a window that an access in progress changes, which is no conflict and no error of the call: what
 * the program must not store to meanwhile is closed to it by the page. */
/* explore: ranks=2 verdict=race-free args=beside */
/* explore: ranks=2 verdict=found class=rma-conflict args=there */
#include <assert.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct page {
    int window[4];
    char text[64];
    struct stat about;
    sigset_t signals;
};

static void ask_kernel(struct page *page, char *program, char *to) {
    int file = open(program, O_RDONLY);
    assert(file >= 0 && read(file, to, 4) == 4);
    assert(fstat(file, &page->about) == 0);
    assert(sigprocmask(SIG_SETMASK, NULL, &page->signals) == 0);
    close(file);
}

int main(int argc, char **argv) {
    static int value = 7;
    int rank;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct page *page = calloc(1, sizeof *page);
    MPI_Win_create(page->window, sizeof page->window, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, rank, 1, 1, MPI_INT, window);
    ask_kernel(page, argv[0], strcmp(argv[1], "there") ? page->text : (char *)&page->window[1]);
    page->text[5]++;
    MPI_Win_fence(0, window);
    printf("%d\n", page->window[1]);
    MPI_Win_free(&window);
    free(page);
    MPI_Finalize();
    return 0;
}
