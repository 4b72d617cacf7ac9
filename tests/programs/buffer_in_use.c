/* What a program does with the buffer of an operation that is pending (MPI-3.1 3.7.2, 5.12): each mistake, and beside it the
 * nearest right program. Rank 1 sends or receives what rank 0's operation needs. */
/* explore: ranks=2 verdict=found class=buffer-in-use args=irecv_read */
/* explore: ranks=2 verdict=race-free args=irecv_read_after */
/* explore: ranks=2 verdict=found class=buffer-in-use args=irecv_write */
/* explore: ranks=2 verdict=found class=buffer-in-use args=irecv_write_same */
/* explore: ranks=2 verdict=found class=buffer-in-use args=irecv_copied */
/* explore: ranks=2 verdict=found class=buffer-in-use args=irecv_tested */
/* explore: ranks=2 verdict=found class=buffer-in-use args=compared */
/* explore: ranks=2 verdict=race-free args=compared_after */
/* explore: ranks=2 verdict=race-free args=irecv_neighbour */
/* explore: ranks=2 verdict=race-free args=irecv_short_message */
/* explore: ranks=2 verdict=found class=buffer-in-use args=polled_flag */
/* explore: ranks=2 verdict=race-free args=polled_request */
/* explore: ranks=2 verdict=found class=buffer-in-use args=other_of_waitany */
/* explore: ranks=2 verdict=race-free args=reported_by_waitany */
/* explore: ranks=2 verdict=found class=buffer-in-use args=persistent_started */
/* explore: ranks=2 verdict=race-free args=persistent_inactive */
/* explore: ranks=2 verdict=found class=buffer-in-use args=cancelled_pending */
/* explore: ranks=2 verdict=race-free args=cancelled_over */
/* explore: ranks=2 verdict=race-free args=seen_complete */
/* explore: ranks=2 verdict=found class=buffer-in-use args=isend_changed */
/* explore: ranks=2 verdict=race-free args=isend_read */
/* explore: ranks=2 verdict=race-free args=isend_changed_after */
/* explore: ranks=2 verdict=found class=buffer-in-use args=isend_freed_memory */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=isend_freed_zeros */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=isend_freed_taken_again */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=isend_reallocated */
/* explore: ranks=2 verdict=found class=invalid-argument says=freed args=isend_freed_before */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=irecv_freed_taken_again */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=irecv_freed_sent_again */
/* explore: ranks=2 verdict=race-free args=isend_request_freed */
/* explore: ranks=2 verdict=race-free args=isend_twice */
/* explore: ranks=2 verdict=found class=buffer-in-use args=isend_irecv_overlap */
/* explore: ranks=2 verdict=found class=buffer-in-use args=send_of_pending_receive */
/* explore: ranks=2 verdict=found class=buffer-in-use args=two_receives_overlap */
/* explore: ranks=2 verdict=race-free args=two_receives_apart */
/* explore: ranks=2 verdict=found class=buffer-in-use args=column_element */
/* explore: ranks=2 verdict=race-free args=column_gap */
/* explore: ranks=2 verdict=found class=buffer-in-use args=columns_overlap */
/* explore: ranks=2 verdict=race-free args=columns_apart */
/* explore: ranks=2 verdict=found class=buffer-in-use args=late_irecv_read */
/* explore: ranks=2 verdict=race-free args=late_irecv_read_after */
/* explore: ranks=2 verdict=found class=buffer-in-use args=late_irecv_write */
/* explore: ranks=2 verdict=found class=buffer-in-use args=late_irecv_copied */
/* explore: ranks=2 verdict=found class=buffer-in-use args=late_irecv_tested */
/* explore: ranks=2 verdict=found class=buffer-in-use args=late_compared */
/* explore: ranks=2 verdict=race-free args=late_compared_after */
/* explore: ranks=2 verdict=found class=buffer-in-use args=dead_frame */
/* explore: ranks=2 verdict=race-free args=live_frame */
/* explore: ranks=2 verdict=found class=buffer-in-use says=returned args=isend_dead_frame */
/* explore: ranks=2 verdict=race-free args=isend_live_frame */
/* explore: ranks=2 verdict=found class=buffer-in-use says=returned args=second_dead_frame */
/* explore: ranks=2 verdict=race-free args=second_live_frame */
#include <assert.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static const MPI_Comm world = MPI_COMM_WORLD;

/* What rank 1 does in most cases: sends 7 when rank 0 has said that it may, and 8. */
static void send_two(void) {
    int go, value[2] = {7, 8};
    MPI_Recv(&go, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    MPI_Send(&value[0], 1, MPI_INT, 0, 1, world);
    MPI_Send(&value[1], 1, MPI_INT, 0, 2, world);
}

static void say(int value) { MPI_Send(&value, 1, MPI_INT, 1, 0, world); }

static int receive_second(void) {
    int value;
    MPI_Recv(&value, 1, MPI_INT, 1, 2, world, MPI_STATUS_IGNORE);
    return value;
}

/* What is said depends on a buffer that may have been filled already, or not. */
static void irecv(const char *what) {
    int value[2] = {3, 4}, copy = 0;
    MPI_Request request;
    MPI_Irecv(value, 1, MPI_INT, 1, 1, world, &request);
    if (strcmp(what, "irecv_read") == 0)
        say(value[0]);
    else if (strcmp(what, "irecv_neighbour") == 0)
        say(++value[1]);
    else if (strcmp(what, "irecv_tested") == 0) /* as all other numbers but one are */
        say(value[0] != 0);
    else
        say(0);
    if (strcmp(what, "irecv_write") == 0)
        value[0] = 5;
    if (strcmp(what, "irecv_write_same") == 0) /* the 7 is lost if it has arrived */
        *(volatile int *)value = 3;
    if (strcmp(what, "irecv_copied") == 0)
        copy = value[0];
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (strcmp(what, "irecv_read_after") == 0)
        copy = value[0];
    printf("%d %d %d %d\n", value[0], value[1], copy, receive_second());
}

/* A number that is only compared with another one far from it. */
static void compared(bool after) {
    double value = -1, sent = 9;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_DOUBLE, 0, 3, world, &request);
    if (!after)
        say(value > 5);
    MPI_Send(&sent, 1, MPI_DOUBLE, 0, 3, world);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (after)
        say(value > 5);
    int first;
    MPI_Recv(&first, 1, MPI_INT, 1, 1, world, MPI_STATUS_IGNORE);
    receive_second();
}

/* The message fills one of three elements: the others are what they were, and may be relied on after completion. */
static void irecv_short_message(void) {
    int value[3] = {3, 4, 5};
    MPI_Request request;
    MPI_Irecv(value, 3, MPI_INT, 1, 1, world, &request);
    say(0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    assert(value[0] == 7 && value[1] == 4 && value[2] == 5);
    receive_second();
}

/* A flag in the buffer is no way to find out whether the message is there. */
static void polled_flag(void) {
    static volatile int value = -1;
    int flag = 0;
    MPI_Request request;
    MPI_Irecv((void *)&value, 1, MPI_INT, 1, 1, world, &request);
    say(0);
    while (value == -1 && !flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive_second();
}

static void polled_request(void) {
    int value = -1, flag = 0;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 1, 1, world, &request);
    say(0);
    while (!flag)
        MPI_Testany(1, &request, &(int){0}, &flag, MPI_STATUS_IGNORE);
    assert(value == 7);
    receive_second();
}

static void waitany(bool other) {
    int value[2] = {1, 2}, index, sum = 0;
    MPI_Request request[2];
    MPI_Irecv(&value[0], 1, MPI_INT, 1, 1, world, &request[0]);
    MPI_Irecv(&value[1], 1, MPI_INT, 1, 2, world, &request[1]);
    say(0);
    for (int i = 0; i < 2; i++) {
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
        sum += value[other ? 1 - index : index];
    }
    printf("%d\n", sum);
}

static void persistent(bool started) {
    int value = 1, sum = 0;
    MPI_Request request;
    MPI_Recv_init(&value, 1, MPI_INT, 1, 1, world, &request);
    sum += value++;
    MPI_Start(&request);
    if (started)
        sum += value;
    say(0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += value++;
    MPI_Request_free(&request);
    printf("%d %d\n", sum, receive_second());
}

static void cancelled(bool over) {
    int value = 1, sum = 0;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 1, 9, world, &request); /* never sent */
    MPI_Cancel(&request);
    if (!over)
        sum += value;
    say(sum);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += value;
    MPI_Recv(&value, 1, MPI_INT, 1, 1, world, MPI_STATUS_IGNORE);
    printf("%d %d\n", sum, receive_second());
}

/* MPI_Request_get_status says that the operation is complete, though the request is still there. */
static void seen_complete(void) {
    int value = 1, flag = 0;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 1, 1, world, &request);
    say(0);
    while (!flag)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    assert(value++ == 7);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive_second();
}

static void isend(const char *what) {
    int *value = malloc(100 * sizeof *value), copy = 0;
    bool zeros = strcmp(what, "isend_freed_zeros") == 0; /* as freed memory is */
    bool before = strcmp(what, "isend_freed_before") == 0;
    bool freed = zeros || strcmp(what, "isend_freed_memory") == 0;
    MPI_Request request;
    for (int i = 0; i < 100; i++)
        value[i] = zeros ? 0 : i;
    if (before)
        free(value);
    MPI_Isend(value, 100, MPI_INT, 1, 0, world, &request);
    if (strcmp(what, "isend_changed") == 0)
        value[99] = 5;
    if (strcmp(what, "isend_read") == 0)
        copy = value[99];
    if (freed)
        free(value);
    if (strcmp(what, "isend_request_freed") == 0) { /* the answer says that it has arrived */
        MPI_Request_free(&request);
        MPI_Recv(&copy, 1, MPI_INT, 1, 1, world, MPI_STATUS_IGNORE);
        value[0] = 5;
        MPI_Send(value, 1, MPI_INT, 1, 2, world);
    } else {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(&copy, 1, MPI_INT, 1, 1, world, MPI_STATUS_IGNORE);
        MPI_Send(&copy, 1, MPI_INT, 1, 2, world);
    }
    if (strcmp(what, "isend_changed_after") == 0)
        value[99] = 5;
    if (!freed && !before)
        free(value);
}

/* The block is freed, and another one of its size may come to lie in its place, with the same in it. */
static void isend_moved(bool reallocated) {
    int *value = calloc(4, sizeof *value);
    MPI_Request request;
    MPI_Isend(value, 4, MPI_INT, 1, 0, world, &request);
    if (reallocated) {
        value = realloc(value, 5 * sizeof *value);
    } else {
        free(value);
        value = calloc(4, sizeof *value);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(value, 1, MPI_INT, 1, 1, world, MPI_STATUS_IGNORE);
    MPI_Send(value, 1, MPI_INT, 1, 2, world);
    free(value);
}

/* The function that waits is called where the one that sent has returned: what was sent is there as it was. */
__attribute__((noinline)) static void send_own(MPI_Request *request) {
    int value[4] = {1, 2, 3, 4};
    MPI_Isend(value, 4, MPI_INT, 1, 0, world, request);
}

__attribute__((noinline)) static void wait_over(MPI_Request *request) {
    volatile int unused[64];
    unused[0] = 0;
    MPI_Wait(request, MPI_STATUS_IGNORE);
    unused[0]++;
}

__attribute__((noinline)) static void send_of(const int *value, MPI_Request *request) {
    MPI_Isend(value, 4, MPI_INT, 1, 0, world, request);
}

static void isend_frame(bool live) {
    const int mine[4] = {1, 2, 3, 4};
    int value;
    MPI_Request request;
    if (live)
        send_of(mine, &request);
    else
        send_own(&request);
    wait_over(&request);
    MPI_Recv(&value, 1, MPI_INT, 1, 1, world, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 1, 2, world);
}

static void isend_case(const char *what) {
    if (strcmp(what, "isend_freed_taken_again") == 0 || strcmp(what, "isend_reallocated") == 0)
        isend_moved(strcmp(what, "isend_reallocated") == 0);
    else if (strstr(what, "frame") != NULL)
        isend_frame(strcmp(what, "isend_live_frame") == 0);
    else
        isend(what);
}

static void answer(void) {
    int value[100];
    MPI_Recv(value, 100, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    MPI_Send(value, 1, MPI_INT, 0, 1, world);
    MPI_Recv(value, 1, MPI_INT, 0, 2, world, MPI_STATUS_IGNORE);
}

/* Two pending operations. What they share is what the case is about; all messages have 2 numbers. */
static void two_operations(const char *what) {
    int value[4] = {1, 2, 3, 4};
    MPI_Request request[2];
    if (strcmp(what, "isend_twice") == 0) { /* right since MPI-2.2 */
        MPI_Isend(value, 2, MPI_INT, 1, 3, world, &request[0]);
        MPI_Isend(value, 2, MPI_INT, 1, 4, world, &request[1]);
    } else if (strcmp(what, "isend_irecv_overlap") == 0) {
        MPI_Isend(value, 2, MPI_INT, 1, 3, world, &request[0]);
        MPI_Irecv(value + 1, 2, MPI_INT, 1, 1, world, &request[1]);
    } else if (strcmp(what, "send_of_pending_receive") == 0) {
        MPI_Irecv(value, 2, MPI_INT, 1, 1, world, &request[0]);
        MPI_Send(value, 2, MPI_INT, 1, 3, world);
    } else if (strcmp(what, "two_receives_overlap") == 0) {
        MPI_Irecv(value, 2, MPI_INT, 1, 1, world, &request[0]);
        MPI_Irecv(value + 1, 2, MPI_INT, 1, 2, world, &request[1]);
    } else {
        MPI_Irecv(value, 2, MPI_INT, 1, 1, world, &request[0]);
        MPI_Irecv(value + 2, 2, MPI_INT, 1, 2, world, &request[1]);
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void serve_two_operations(const char *what) {
    int value[2] = {7, 8};
    bool receives = strcmp(what, "isend_twice") == 0;
    for (int i = 0; i < 2; i++) {
        if (receives)
            MPI_Recv(value, 2, MPI_INT, 0, 3 + i, world, MPI_STATUS_IGNORE);
        else
            MPI_Send(value, 2, MPI_INT, 0, 1 + i, world);
    }
}

/* A column of a matrix of 4 times 4 is received; the columns beside it belong to the program, or to another receive. */
static void columns(const char *what) {
    int matrix[4][4], sum = 0;
    MPI_Datatype column;
    MPI_Request request[2];
    for (int i = 0; i < 16; i++)
        matrix[i / 4][i % 4] = i;
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    int second = strcmp(what, "columns_overlap") == 0 ? 1 : 2;
    MPI_Irecv(&matrix[0][1], 1, column, 1, 1, world, &request[0]);
    MPI_Irecv(&matrix[0][second], 1, column, 1, 2, world, &request[1]);
    for (int i = 0; i < 4; i++)
        sum += ++matrix[i][0];
    if (strcmp(what, "column_element") == 0)
        sum += matrix[3][1];
    say(sum);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 16; i++)
        printf("%d ", matrix[i / 4][i % 4]);
    MPI_Type_free(&column);
}

static void send_columns(void) {
    int value[4] = {4, 5, 6, 7}, go;
    MPI_Recv(&go, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    MPI_Send(value, 4, MPI_INT, 0, 1, world);
    MPI_Send(value, 4, MPI_INT, 0, 2, world);
}

__attribute__((noinline)) static void post(int *outer, MPI_Request *request) {
    volatile int inner[64] = {0};
    MPI_Irecv(outer != NULL ? outer : (int *)inner, 1, MPI_INT, 1, 1, world, request);
    inner[63] = 1;
}

static void frame(bool live) {
    int value;
    MPI_Request request;
    post(live ? &value : NULL, &request);
    say(0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive_second();
}

/* As post, but the stack has the second of two pieces, which no message comes to. */
__attribute__((noinline)) static void post_pieces(int *outer, MPI_Request *request) {
    static int first;
    int inner[64] = {0}, lengths[2] = {1, 1};
    MPI_Aint places[2];
    MPI_Datatype pieces;
    MPI_Get_address(&first, &places[0]);
    MPI_Get_address(outer != NULL ? outer : inner, &places[1]);
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &pieces);
    MPI_Type_commit(&pieces);
    MPI_Irecv(MPI_BOTTOM, 1, pieces, 1, 1, world, request);
    MPI_Type_free(&pieces);
}

static void second_frame(bool live) {
    int value;
    MPI_Request request;
    post_pieces(live ? &value : NULL, &request);
    say(0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive_second();
}

/* The message would come into another block. */
static void irecv_freed(void) {
    int *value = calloc(4, sizeof *value);
    MPI_Request request;
    MPI_Irecv(value, 4, MPI_INT, 1, 1, world, &request);
    free(value);
    value = calloc(4, sizeof *value);
    say(0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive_second();
    free(value);
}

/* As a vector that has grown leaves its memory to another one. */
static void irecv_freed_sent(void) {
    int *value = calloc(4, sizeof *value);
    MPI_Request request;
    MPI_Irecv(value, 4, MPI_INT, 1, 1, world, &request);
    free(value);
    value = calloc(4, sizeof *value);
    MPI_Send(value, 1, MPI_INT, 1, 0, world);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive_second();
    free(value);
}

static void run(const char *what) {
    if (strcmp(what, "irecv_freed_taken_again") == 0)
        irecv_freed();
    else if (strcmp(what, "irecv_freed_sent_again") == 0)
        irecv_freed_sent();
    else if (strncmp(what, "second", 6) == 0)
        second_frame(strcmp(what, "second_live_frame") == 0);
    else if (strncmp(what, "polled_flag", 11) == 0)
        polled_flag();
    else if (strcmp(what, "polled_request") == 0)
        polled_request();
    else if (strncmp(what, "compared", 8) == 0)
        compared(strcmp(what, "compared_after") == 0);
    else if (strcmp(what, "irecv_short_message") == 0)
        irecv_short_message();
    else if (strncmp(what, "irecv", 5) == 0)
        irecv(what);
    else if (strstr(what, "waitany") != NULL)
        waitany(strcmp(what, "other_of_waitany") == 0);
    else if (strncmp(what, "persistent", 10) == 0)
        persistent(strcmp(what, "persistent_started") == 0);
    else if (strncmp(what, "cancelled", 9) == 0)
        cancelled(strcmp(what, "cancelled_over") == 0);
    else if (strcmp(what, "seen_complete") == 0)
        seen_complete();
    else if (strstr(what, "frame") != NULL)
        frame(strcmp(what, "live_frame") == 0);
}

static bool has_two_operations(const char *what) {
    static const char *const names[] = {"isend_twice", "isend_irecv_overlap", "send_of_pending_receive", "two_receives_overlap",
                                        "two_receives_apart"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found |= strcmp(what, names[i]) == 0;
    return found;
}

/* Of the first steps each is run again by itself; of later ones most are where they were run. */
static void run_many_steps(void) {
    int sent = rank, received;
    for (int i = 0; i < 100; i++)
        MPI_Sendrecv(&sent, 1, MPI_INT, 1 - rank, 4, &received, 1, MPI_INT, 1 - rank, 4, world, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    const char *what = argv[1];
    if (strncmp(what, "late_", 5) == 0) {
        run_many_steps();
        what += 5;
    }
    if (has_two_operations(what))
        rank == 0 ? two_operations(what) : serve_two_operations(what);
    else if (strncmp(what, "isend", 5) == 0)
        rank == 0 ? isend_case(what) : answer();
    else if (strncmp(what, "column", 6) == 0)
        rank == 0 ? columns(what) : send_columns();
    else if (rank == 0)
        run(what);
    else
        send_two();
    MPI_Finalize();
    return 0;
}
