/* Every way of reading and writing a file: at offsets, with own and shared pointers, alone, with all, nonblocking, and split in two.
 * Rank r writes where nobody else does, so there is one outcome: the numbers that the offsets say. The shared pointer is used by
 * ordered accesses, and by one rank alone behind a barrier. "large": by the functions for large counts. */
/* explore: ranks=2 verdict=race-free args=plain */
/* explore: ranks=2 verdict=race-free args=large */
#include <assert.h>
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

/* Calls a function in its form for large counts, or the other one. */
#define ACCESS(name, ...) (large ? MPI_File_##name##_c(__VA_ARGS__) : MPI_File_##name(__VA_ARGS__))

static bool large;
static int rank;
static MPI_File file;
static const MPI_Offset element = sizeof(int);

static void settle(void) {
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
}

/* The file is the numbers from `first` on, one of each rank in turn. */
static void require(int first) {
    int number[2] = {-1, -1};
    settle();
    ACCESS(read_at, file, 0, number, 2, MPI_INT, MPI_STATUS_IGNORE);
    assert(number[0] == first && number[1] == first + 1);
    settle();
}

static void own_pointer(void) {
    MPI_Request request;
    MPI_Status status;
    int number, count;
    MPI_Offset at;
    number = 10 + rank;
    MPI_File_seek(file, rank * element, MPI_SEEK_SET);
    ACCESS(iwrite, file, &number, 1, MPI_INT, &request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    assert(count == 1);
    MPI_File_get_position(file, &at);
    assert(at == (rank + 1) * element);
    require(10);
    MPI_File_seek(file, -element, MPI_SEEK_CUR);
    ACCESS(iread, file, &number, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    assert(number == 10 + rank);
    number = 20 + rank;
    MPI_File_seek(file, rank * element, MPI_SEEK_SET);
    ACCESS(write, file, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    require(20);
    MPI_File_seek(file, rank * element, MPI_SEEK_SET);
    ACCESS(read, file, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    assert(number == 20 + rank);
}

static void at_offsets(void) {
    MPI_Request request;
    int number = 120 + rank;
    ACCESS(write_at, file, rank * element, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    require(120);
    number = 130 + rank;
    ACCESS(iwrite_at, file, rank * element, &number, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    require(130);
    ACCESS(iread_at, file, rank * element, &number, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    assert(number == 130 + rank);
}

static void with_all(void) {
    MPI_Request request;
    int number = 30 + rank;
    MPI_File_seek(file, rank * element, MPI_SEEK_SET);
    ACCESS(write_all, file, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    require(30);
    MPI_File_seek(file, rank * element, MPI_SEEK_SET);
    ACCESS(read_all, file, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    assert(number == 30 + rank);
    number = 40 + rank;
    MPI_File_seek(file, rank * element, MPI_SEEK_SET);
    ACCESS(iwrite_all, file, &number, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    require(40);
    MPI_File_seek(file, rank * element, MPI_SEEK_SET);
    ACCESS(iread_all, file, &number, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    assert(number == 40 + rank);
    number = 50 + rank;
    ACCESS(iwrite_at_all, file, rank * element, &number, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    require(50);
    ACCESS(iread_at_all, file, rank * element, &number, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    assert(number == 50 + rank);
    number = 110 + rank;
    ACCESS(write_at_all, file, rank * element, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    require(110);
    ACCESS(read_at_all, file, rank * element, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    assert(number == 110 + rank);
}

static void split(void) {
    int number = 60 + rank;
    MPI_Status status;
    ACCESS(write_at_all_begin, file, rank * element, &number, 1, MPI_INT);
    MPI_File_write_at_all_end(file, &number, &status);
    require(60);
    ACCESS(read_at_all_begin, file, rank * element, &number, 1, MPI_INT);
    MPI_File_read_at_all_end(file, &number, &status);
    assert(number == 60 + rank);
    number = 70 + rank;
    MPI_File_seek(file, rank * element, MPI_SEEK_SET);
    ACCESS(write_all_begin, file, &number, 1, MPI_INT);
    MPI_File_write_all_end(file, &number, &status);
    require(70);
    MPI_File_seek(file, rank * element, MPI_SEEK_SET);
    ACCESS(read_all_begin, file, &number, 1, MPI_INT);
    MPI_File_read_all_end(file, &number, &status);
    assert(number == 70 + rank);
}

static void shared_pointer(void) {
    MPI_Request request;
    MPI_Offset at;
    int number = 80 + rank;
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    ACCESS(write_ordered_begin, file, &number, 1, MPI_INT);
    MPI_File_write_ordered_end(file, &number, MPI_STATUS_IGNORE);
    require(80);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    ACCESS(read_ordered_begin, file, &number, 1, MPI_INT);
    MPI_File_read_ordered_end(file, &number, MPI_STATUS_IGNORE);
    assert(number == 80 + rank);
    settle();
    MPI_File_get_position_shared(file, &at);
    assert(at == 2 * element);
    settle();
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    number = 140 + rank;
    ACCESS(write_ordered, file, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    require(140);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    ACCESS(read_ordered, file, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    assert(number == 140 + rank);
    settle();
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    if (rank == 0) {
        ACCESS(iwrite_shared, file, &(int){90}, 1, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        ACCESS(write_shared, file, &(int){91}, 1, MPI_INT, MPI_STATUS_IGNORE);
    }
    require(90);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    if (rank == 1) {
        ACCESS(read_shared, file, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
        assert(number == 90);
        ACCESS(iread_shared, file, &number, 1, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        assert(number == 91);
    }
}

static void queries(void) {
    int mode, atomic, size, found;
    char value[20];
    MPI_Aint extent;
    MPI_Count large_extent;
    MPI_Group group;
    MPI_Info info;
    MPI_File_get_amode(file, &mode);
    assert(mode == (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE));
    MPI_File_get_atomicity(file, &atomic);
    assert(!atomic);
    MPI_File_get_type_extent(file, MPI_INT, &extent);
    MPI_File_get_type_extent_c(file, MPI_INT, &large_extent);
    assert(extent == sizeof(int) && large_extent == sizeof(int));
    MPI_File_get_group(file, &group);
    MPI_Group_size(group, &size);
    assert(size == 2);
    MPI_Group_free(&group);
    MPI_Info_create(&info);
    MPI_Info_set(info, "access_style", "random");
    MPI_File_set_info(file, info);
    MPI_Info_free(&info);
    MPI_File_get_info(file, &info);
    MPI_Info_get(info, "no such hint", sizeof value - 1, value, &found);
    assert(!found);
    MPI_Info_free(&info);
}

int main(int argc, char **argv) {
    large = argc > 1 && strcmp(argv[1], "large") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "every_access.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    at_offsets();
    own_pointer();
    with_all();
    split();
    shared_pointer();
    queries();
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
