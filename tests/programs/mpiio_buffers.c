/* The buffer of a nonblocking access to a file belongs to it until a wait or test has reported it (MPI-3.1 13.4.1): what is written must
 * not be changed before, what is read must be neither read nor written, and no other operation may use it. Reading what is written is
 * right, and so is writing one buffer twice. */
/* explore: ranks=2 verdict=found class=buffer-in-use args=write_change says=MPI_File_iwrite_at */
/* explore: ranks=2 verdict=found class=buffer-in-use args=write_all_change says=MPI_File_iwrite_at_all */
/* explore: ranks=2 verdict=found class=buffer-in-use args=read_look says=MPI_File_iread_at */
/* explore: ranks=2 verdict=found class=buffer-in-use args=read_change says=MPI_File_iread_at */
/* explore: ranks=2 verdict=found class=buffer-in-use args=read_all_look says=MPI_File_iread_at_all */
/* explore: ranks=2 verdict=found class=buffer-in-use args=read_send says=MPI_Sendrecv */
/* explore: ranks=2 verdict=found class=buffer-in-use args=read_blocking_read says=MPI_File_read_at */
/* explore: ranks=2 verdict=race-free args=write_look */
/* explore: ranks=2 verdict=race-free args=write_twice */
/* explore: ranks=2 verdict=race-free args=write_late_change */
/* explore: ranks=2 verdict=race-free args=write_all_late_change */
/* explore: ranks=2 verdict=race-free args=read_late_look */
/* explore: ranks=2 verdict=race-free args=read_all_late_look */
/* So it is from the beginning of a split collective access to its end, whether another call comes between the two or none. */
/* explore: ranks=2 verdict=found class=buffer-in-use args=split_write_change says=MPI_File_write_at_all_begin */
/* explore: ranks=2 verdict=found class=buffer-in-use args=split_write_change_barrier says=MPI_File_write_at_all_begin */
/* explore: ranks=2 verdict=found class=buffer-in-use args=split_read_look says=MPI_File_read_at_all_begin */
/* explore: ranks=2 verdict=found class=buffer-in-use args=split_read_change says=MPI_File_read_at_all_begin */
/* explore: ranks=2 verdict=found class=buffer-in-use args=split_read_look_barrier says=MPI_File_read_at_all_begin */
/* explore: ranks=2 verdict=found class=buffer-in-use args=split_read_send says=MPI_File_read_at_all_begin */
/* explore: ranks=2 verdict=race-free args=split_write_look */
/* explore: ranks=2 verdict=race-free args=split_write_late_change_barrier */
/* explore: ranks=2 verdict=race-free args=split_read_late_look_barrier */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *what;
static volatile int buffer[2] = {4, 5};
static MPI_File file;
static MPI_Request request = MPI_REQUEST_NULL, second = MPI_REQUEST_NULL;
static MPI_Offset offset;
static int rank;

static int has(const char *part) { return strstr(what, part) != NULL; }

static void start_split(void) {
    if (has("write"))
        MPI_File_write_at_all_begin(file, offset, (int *)buffer, 1, MPI_INT);
    else
        MPI_File_read_at_all_begin(file, offset, (int *)buffer, 1, MPI_INT);
}

static void end_split(void) {
    if (has("write"))
        MPI_File_write_at_all_end(file, (int *)buffer, MPI_STATUS_IGNORE);
    else
        MPI_File_read_at_all_end(file, (int *)buffer, MPI_STATUS_IGNORE);
}

static void start(void) {
    int *data = (int *)buffer;
    if (has("write_all"))
        MPI_File_iwrite_at_all(file, offset, data, 1, MPI_INT, &request);
    else if (has("write"))
        MPI_File_iwrite_at(file, offset, data, 1, MPI_INT, &request);
    else if (has("read_all"))
        MPI_File_iread_at_all(file, offset, data, 1, MPI_INT, &request);
    else
        MPI_File_iread_at(file, offset, data, 1, MPI_INT, &request);
    if (has("twice"))
        MPI_File_iwrite_at(file, offset + 16, data, 1, MPI_INT, &second);
}

static void use(void) {
    int other;
    if (has("change"))
        buffer[0] = 9;
    if (has("look"))
        printf("%d\n", buffer[0]);
    if (has("send"))
        MPI_Sendrecv((int *)buffer, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    if (has("blocking_read"))
        MPI_File_read_at(file, offset, (int *)buffer, 1, MPI_INT, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    what = argv[1];
    offset = rank * (MPI_Offset)sizeof(int);
    MPI_File_open(MPI_COMM_WORLD, "mpiio_buffers.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_write_at(file, offset, (int *)buffer, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (has("split"))
        start_split();
    else
        start();
    if (!has("late"))
        use();
    if (has("barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (has("split"))
        end_split();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&second, MPI_STATUS_IGNORE);
    if (has("late"))
        use();
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
