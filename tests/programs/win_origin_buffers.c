/* What an origin does with its own buffers while an access is in progress (MPI-3.1 11.3, 11.5): until the access is complete
 * what it gives must not change, what it fetches into must be neither read nor written, and no other operation may use that. Each
 * mistake, and beside it the nearest right program, in an epoch of fences (fence_), of start (start_) or of a lock (lock_). */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_get_read */
/* explore: ranks=2 verdict=race-free args=fence_get_read_after */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_get_write */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_get_get */
/* explore: ranks=2 verdict=race-free args=fence_get_get_apart */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_get_put */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_put_get */
/* explore: ranks=2 verdict=race-free args=fence_put_put */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_put_write */
/* explore: ranks=2 verdict=race-free args=fence_put_read */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_send_fetched */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_put_local says=stack */
/* explore: ranks=2 verdict=found class=rma-conflict args=start_get_read */
/* explore: ranks=2 verdict=race-free args=start_get_read_after */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_get_read */
/* explore: ranks=2 verdict=race-free args=lock_get_flush_read */
/* explore: ranks=2 verdict=race-free args=lock_get_flush_local_read */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_get_flush_other_read */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_fetch_read */
/* explore: ranks=2 verdict=race-free args=lock_put_flush_local_write */
/* explore: ranks=2 verdict=found class=buffer-in-use args=lock_rput_write */
/* explore: ranks=2 verdict=race-free args=lock_rput_wait_write */
/* explore: ranks=2 verdict=race-free args=lock_rput_flush_write */
/* explore: ranks=2 verdict=found class=buffer-in-use args=lock_rfetch_write says=MPI_Rget_accumulate */
/* explore: ranks=2 verdict=race-free args=lock_rfetch_wait_write */
/* explore: ranks=2 verdict=race-free args=lock_rfetch_flush_write */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_Win window;
static int fetched, given = 5, other;
static int memory[4];
static int rank;

static void get(int *into, int from) { MPI_Get(into, 1, MPI_INT, 1, from, 1, MPI_INT, window); }

static void put(int *what, int to) { MPI_Put(what, 1, MPI_INT, 1, to, 1, MPI_INT, window); }

static void show(void) { printf("%d\n", fetched); }

__attribute__((noinline)) static void put_local(void) {
    int local = 3;
    put(&local, 0);
}

static void send(const int *what) {
    if (rank == 0)
        MPI_Send(what, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void change_with_request(const char *what) {
    MPI_Request request;
    if (strstr(what, "_rfetch"))
        MPI_Rget_accumulate(&given, 1, MPI_INT, &fetched, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window, &request);
    else
        MPI_Rput(&given, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
    if (strstr(what, "flush"))
        MPI_Win_flush_local(1, window);
    if (strstr(what, "wait"))
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    given = 9;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void open_epoch(const char *kind, MPI_Group peer) {
    if (strncmp(kind, "fence", 5) == 0)
        MPI_Win_fence(0, window);
    if (strncmp(kind, "lock", 4) == 0)
        MPI_Win_lock_all(0, window);
    if (strncmp(kind, "start", 5) == 0) {
        if (rank == 0)
            MPI_Win_start(peer, 0, window);
        else
            MPI_Win_post(peer, 0, window);
    }
}

static void close_epoch(const char *kind) {
    if (strncmp(kind, "fence", 5) == 0)
        MPI_Win_fence(0, window);
    if (strncmp(kind, "lock", 4) == 0)
        MPI_Win_unlock_all(window);
    if (strncmp(kind, "start", 5) == 0) {
        if (rank == 0)
            MPI_Win_complete(window);
        else
            MPI_Win_wait(window);
    }
}

/* Rank 0, in the epoch. */
static void access_window(const char *what) {
    int result;
    if (strstr(what, "_rput") || strstr(what, "_rfetch")) {
        change_with_request(what);
        return;
    }
    if (strstr(what, "_get"))
        get(&fetched, 0);
    if (strcmp(what, "fence_put_get") == 0) {
        put(&given, 1);
        get(&given, 0);
    } else if (strncmp(what, "fence_put", 9) == 0 || strstr(what, "lock_put")) {
        if (strstr(what, "local") == NULL || strstr(what, "flush_local"))
            put(&given, 1);
    }
    if (strcmp(what, "fence_get_get") == 0)
        get(&fetched, 1);
    if (strcmp(what, "fence_get_get_apart") == 0)
        get(&other, 1);
    if (strcmp(what, "fence_get_put") == 0)
        put(&fetched, 1);
    if (strcmp(what, "fence_put_put") == 0)
        put(&given, 2);
    if (strcmp(what, "fence_put_local") == 0)
        put_local();
    if (strstr(what, "flush_local"))
        MPI_Win_flush_local(1, window);
    else if (strstr(what, "flush_other"))
        MPI_Win_flush(0, window);
    else if (strstr(what, "flush"))
        MPI_Win_flush(1, window);
    if (strcmp(what, "lock_fetch_read") == 0) {
        MPI_Fetch_and_op(&given, &result, MPI_INT, 1, 0, MPI_SUM, window);
        printf("%d\n", result);
    }
    if (strstr(what, "_read") && strstr(what, "after") == NULL && strstr(what, "fetch") == NULL)
        show();
    if (strcmp(what, "fence_get_write") == 0)
        fetched = 9;
    if (strstr(what, "put_write") || strstr(what, "local_write"))
        given = 9;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memory[0] = 10 + rank;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Group world, peer;
    int peer_rank = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer_rank, &peer);
    MPI_Barrier(MPI_COMM_WORLD);
    open_epoch(what, peer);
    if (strcmp(what, "fence_send_fetched") == 0) {
        if (rank == 0)
            get(&fetched, 0);
        send(&fetched);
    } else if (rank == 0) {
        access_window(what);
    }
    close_epoch(what);
    if (rank == 0)
        show();
    MPI_Group_free(&peer);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
