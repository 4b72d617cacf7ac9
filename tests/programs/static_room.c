/* As heap_room.c for variables of static storage: what a call sends, brings or fetches goes on behind the end of the array or structure
 * that its buffer is in. What lies behind it is another variable, or nothing, and real MPI says nothing. `…_right`: the same with the
 * count that fits, also one that ends exactly where the variable does. A structure is one variable: a count that goes on from one member
 * of it into the next stays inside (member_right), and so does the flexible array at the end of one (flexible_right). */
/* explore: ranks=2 verdict=found class=invalid-argument args=send says=given */
/* explore: ranks=2 verdict=race-free args=send_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=middle says=given */
/* explore: ranks=2 verdict=race-free args=middle_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=receive says=taken */
/* explore: ranks=2 verdict=race-free args=receive_right */
/* explore: ranks=2 verdict=race-free args=larger_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=bcast says=given */
/* explore: ranks=2 verdict=race-free args=bcast_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=gather says=taken */
/* explore: ranks=2 verdict=race-free args=gather_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=reduce says=taken */
/* explore: ranks=2 verdict=race-free args=reduce_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=constant says=constant */
/* explore: ranks=2 verdict=race-free args=constant_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=member says=record */
/* explore: ranks=2 verdict=race-free args=member_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=flexible says=flexible */
/* explore: ranks=2 verdict=race-free args=flexible_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=global says=shown */
/* explore: ranks=2 verdict=race-free args=global_right */
/* explore: ranks=2 verdict=race-free args=set_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=put says=given */
/* explore: ranks=2 verdict=race-free args=put_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=get says=taken */
/* explore: ranks=2 verdict=race-free args=get_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=write says=given */
/* explore: ranks=2 verdict=race-free args=write_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=read says=taken */
/* explore: ranks=2 verdict=race-free args=read_right */
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

enum { RANKS = 2, NUMBERS = 30, EACH = NUMBERS / RANKS };

static int given[NUMBERS], taken[NUMBERS], room[4 * NUMBERS];
static const int constant[4] = {1, 2, 3, 4};
static struct { int first[8], second[8]; } record;
static struct {
    int length;
    int number[];
} flexible = {3, {1, 2, 3}};
int shown[NUMBERS];

/* From all over a program, one behind the other: a linker makes __start_ and __stop_ symbols for such a section. */
static int one_of_set __attribute__((section("set_of_numbers"), used)) = 1;
static int two_of_set __attribute__((section("set_of_numbers"), used)) = 2;
extern int __start_set_of_numbers[], __stop_set_of_numbers[];

static int rank;

static void send_from(const int *from, int count, int *into) {
    if (rank == 0)
        MPI_Send(from, count, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(into, 4 * NUMBERS, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void access_window(bool puts, int count) {
    MPI_Win window;
    MPI_Win_create(room, sizeof room, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0 && puts)
        MPI_Put(given, count, MPI_INT, 1, 0, count, MPI_INT, window);
    if (rank == 0 && !puts)
        MPI_Get(taken, count, MPI_INT, 1, 0, count, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* All read 4 * NUMBERS integers, of which there are `count`, or as many as the one write has. */
static void access_file(bool writes, int count) {
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "static_room.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    if (rank == 0)
        MPI_File_write_at(file, 0, writes ? given : room, count, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    if (!writes)
        MPI_File_read_at(file, 0, taken, 4 * NUMBERS, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *what = argc > 1 ? argv[1] : "";
    bool right = strstr(what, "right") != NULL;
    int count = right ? NUMBERS : NUMBERS + 1, each = right ? EACH : NUMBERS;
    if (strncmp(what, "send", 4) == 0)
        send_from(given, count, room);
    else if (strncmp(what, "middle", 6) == 0)
        send_from(given + EACH, right ? NUMBERS - EACH : NUMBERS, room);
    else if (strncmp(what, "receive", 7) == 0)
        send_from(room, count, taken);
    else if (strncmp(what, "larger", 6) == 0)
        send_from(given, EACH, taken);
    else if (strncmp(what, "bcast", 5) == 0)
        MPI_Bcast(rank == 0 ? given : room, count, MPI_INT, 0, MPI_COMM_WORLD);
    else if (strncmp(what, "gather", 6) == 0)
        MPI_Gather(room, each, MPI_INT, taken, each, MPI_INT, 0, MPI_COMM_WORLD);
    else if (strncmp(what, "reduce", 6) == 0)
        MPI_Reduce(room, taken, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    else if (strncmp(what, "constant", 8) == 0)
        send_from(constant, right ? 4 : 5, room);
    else if (strncmp(what, "member", 6) == 0)
        send_from(record.first + 4, right ? 12 : 13, room);
    else if (strncmp(what, "flexible", 8) == 0)
        send_from(flexible.number, right ? 3 : 4, room);
    else if (strncmp(what, "global", 6) == 0)
        send_from(shown, count, room);
    else if (strncmp(what, "set", 3) == 0)
        send_from(__start_set_of_numbers, (int)(__stop_set_of_numbers - __start_set_of_numbers), room);
    else if (strncmp(what, "put", 3) == 0 || strncmp(what, "get", 3) == 0)
        access_window(what[0] == 'p', count);
    else
        access_file(what[0] == 'w', count);
    MPI_Finalize();
    return 0;
}
