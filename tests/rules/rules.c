#include "rules.h"

#include <stdio.h>
#include <string.h>

enum { TAG = 3 };

static bool applies(const struct mistake *mistake, const struct family *family) {
    return (family->has & mistake->needs) == mistake->needs;
}

/* NULL behind the last one. */
static const struct family *family_at(int f) {
    if (f < family_count)
        return &families[f];
    f -= family_count;
    if (f < young_family_count)
        return &young_families[f];
    f -= young_family_count;
    return f < pending_family_count ? &pending_families[f] : NULL;
}

static void list(void) {
    const struct family *family;
    for (int f = 0; (family = family_at(f)) != NULL; f++) {
        printf("%s none race-free\n", family->name);
        for (int m = 0; m < mistake_count; m++)
            if (applies(&mistakes[m], family))
                printf("%s %s %s\n", family->name, mistakes[m].name, mistakes[m].class_name);
    }
}

static const struct family *find_family(const char *name) {
    int f = 0;
    while (family_at(f) != NULL && strcmp(family_at(f)->name, name) != 0)
        f++;
    return family_at(f);
}

static void make_mistake(const char *name, struct arguments *with) {
    for (int m = 0; m < mistake_count; m++)
        if (strcmp(mistakes[m].name, name) == 0) {
            mistakes[m].make(with);
            return;
        }
}

/* The receive is posted before the send is called: it may be a ready one. */
static void receive(void) {
    int buffer[ELEMENTS];
    MPI_Request request;
    MPI_Irecv(buffer, ELEMENTS, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void send(void) {
    int number = 5;
    MPI_Send(&number, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
}

static void play_other_side(const struct family *family, struct arguments *with) {
    switch (family->side) {
    case SENDS: receive(); break;
    case RECEIVES: send(); break;
    case COLLECTIVE: family->call(with); break;
    case COMPLETES:
        send();
        if (strcmp(family->name, "Request_free") == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        break;
    case LOCAL:
    case ACCESSES: break;
    }
}

/* Rank 0 makes the call in an epoch, unless it is to open one. */
static void begin_accesses(const struct family *family, struct arguments *with, int rank) {
    with->peer = 1;
    with->displacement = 0;
    with->lock = MPI_LOCK_SHARED;
    MPI_Win_create(with->other, ELEMENTS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &with->window);
    if (rank == 0 && !(family->has & HAS_UNLOCKED))
        MPI_Win_lock_all(0, with->window);
}

static void end_accesses(const struct family *family, struct arguments *with, int rank) {
    if (rank == 0 && !(family->has & HAS_UNLOCKED))
        MPI_Win_unlock_all(with->window);
    MPI_Win_free(&with->window);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        list();
        return 0;
    }
    const struct family *family = find_family(argv[1]);
    if (!family)
        return 2;
    int rank, buffer[ELEMENTS] = {1, 2, 3, 4}, other[ELEMENTS] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct arguments with = {.buffer = buffer,
                             .other = other,
                             .count = 1,
                             .type = MPI_INT,
                             .tag = TAG,
                             .op = MPI_SUM,
                             .peer = family->side == COLLECTIVE ? 0 : 1,
                             .communicator = MPI_COMM_WORLD,
                             .info = MPI_INFO_NULL};
    if (family->side == ACCESSES)
        begin_accesses(family, &with, rank);
    if (rank == 0) {
        if (family->side == SENDS)
            MPI_Barrier(MPI_COMM_WORLD);
        if (family->side == COMPLETES)
            MPI_Irecv(other, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &with.request);
        make_mistake(argv[2], &with);
        family->call(&with);
    } else {
        play_other_side(family, &with);
    }
    if (family->side == ACCESSES)
        end_accesses(family, &with, rank);
    MPI_Finalize();
    return 0;
}
