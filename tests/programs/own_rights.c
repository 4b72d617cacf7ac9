/* A program may forbid itself to write to memory, or to access it at all (mprotect, mmap). Rank 0 hears from the others in any order,
 * and is wrong only if it hears from rank 2 first.
 *
 *   written    it writes to a page that it has made read-only: a crash
 *   read       it reads from one that it may not access at all
 *   mapped     it writes to memory that was mapped read-only
 *   received   it receives into such a page
 *   handled    written, with a handler for what it does there, which would have to run: not supported
 *   allowed    after each message it may write to one more page, writes to that, and may not any more: right
 *   again      memory that is unmapped and mapped again may be accessed: right
 *   asked      what a system call is to write there it cannot, and says so: right */
/* explore: ranks=3 verdict=found class=crash args=written */
/* explore: ranks=3 verdict=found class=crash args=read */
/* explore: ranks=3 verdict=found class=crash args=mapped */
/* explore: ranks=3 verdict=found class=crash args=received */
/* explore: ranks=3 verdict=cannot-run says=forbidden args=handled */
/* explore: ranks=4 verdict=race-free args=allowed */
/* explore: ranks=3 verdict=race-free args=again */
/* explore: ranks=3 verdict=race-free args=asked */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 8 };
static char pages[PAGES * PAGE] __attribute__((aligned(PAGE)));
static const char *mode;

static int is(const char *name) { return strcmp(mode, name) == 0; }

static int hear(void) {
    int from;
    MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return from;
}

static void on_fault(int signal) {
    (void)signal;
    mprotect(pages, sizeof pages, PROT_READ | PROT_WRITE);
}

static void be_wrong_after_rank_2(void) {
    volatile char *page = pages;
    if (is("mapped"))
        page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    else
        mprotect(pages, 2 * PAGE, is("read") ? PROT_NONE : PROT_READ);
    if (is("handled"))
        signal(SIGSEGV, on_fault);
    const int first = hear();
    if (first == 2 && is("received"))
        MPI_Sendrecv(&first, 1, MPI_INT, 0, 1, pages + PAGE, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (first == 2 && is("read"))
        assert(page[5] == 0);
    else if (first == 2)
        page[5] = 1;
    hear();
}

static void open_one_by_one(int others) {
    for (int i = 0; i < PAGES; i++)
        pages[i * PAGE] = 1;
    mprotect(pages, sizeof pages, PROT_READ);
    for (; others; others--) {
        char *page = pages + hear() * PAGE;
        mprotect(page, PAGE, PROT_READ | PROT_WRITE);
        page[0]++;
        mprotect(page, PAGE, PROT_READ);
        assert(pages[PAGE - 1] == 0 && pages[(PAGES - 1) * PAGE] == 1);
    }
    mprotect(pages, sizeof pages, PROT_READ | PROT_WRITE);
    for (int i = 0; i < PAGES; i++)
        assert(pages[i * PAGE]++ == 1 + (i > 0 && i < 4));
}

static void map_again(void) {
    char *memory = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (hear() == 1)
        mprotect(memory, PAGE, PROT_READ);
    munmap(memory, 2 * PAGE);
    hear();
    memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory, 1, 2 * PAGE);
    munmap(memory, 2 * PAGE);
}

static void ask(void) {
    mprotect(pages, PAGE, PROT_READ);
    hear();
    int file = open("/dev/zero", O_RDONLY);
    assert(read(file, pages, 8) == -1 && errno == EFAULT);
    assert(read(file, pages + PAGE, 8) == 8);
    close(file);
    hear();
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    mode = argc > 1 ? argv[1] : "written";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else if (is("allowed"))
        open_one_by_one(ranks - 1);
    else if (is("again"))
        map_again();
    else if (is("asked"))
        ask();
    else
        be_wrong_after_rank_2();
    MPI_Finalize();
    return 0;
}
