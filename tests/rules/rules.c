#include "rules.h"

#include <stdio.h>
#include <string.h>

enum { TAG = 3 };

static const char by_all[] = "_by_all", by_other[] = "_by_other";
static const char across[] = "across_";
static const char before_init[] = "before_init", after_finalize[] = "after_finalize";

/* Of those named like that (not NUL-terminated) the one that can be made in a family, or NULL. */
static const struct mistake *find_mistake(const char *name, size_t length, const struct family *family) {
    static const uint64_t of_side[] = {[SENDS] = IS_SEND, [RECEIVES] = IS_RECEIVE, [COLLECTIVE] = IS_COLLECTIVE, [MEETS] = 0};
    const uint64_t has = family->has | of_side[family->side];
    for (const struct mistake *mistake = mistakes; mistake < mistakes + mistake_count; mistake++)
        if (strlen(mistake->name) == length && memcmp(mistake->name, name, length) == 0 &&
            (has & mistake->needs) == mistake->needs)
            return mistake;
    return NULL;
}

/* NULL behind the last one. */
static const struct family *family_at(int f) {
    static const struct {
        const struct family *list;
        const int *count;
    } lists[] = {{families, &family_count},
                 {young_families, &young_family_count},
                 {pending_families, &pending_family_count},
                 {object_families, &object_family_count},
                 {epoch_families, &epoch_family_count},
                 {handle_families, &handle_family_count},
                 {file_families, &file_family_count}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; f -= *lists[i++].count)
        if (f < *lists[i].count)
            return &lists[i].list[f];
    return NULL;
}

/* What a family has on an intercommunicator: with a root, one that is not has but one buffer. */
static uint64_t has_across(const struct family *family) {
    const uint64_t lost = family->has & HAS_ROOT ? HAS_TWO_BUFFERS | HAS_GIVEN | HAS_TAKEN : 0;
    return (family->has & ~(lost | HAS_OTHER_CALL)) | IS_ACROSS;
}

/* What an intercommunicator makes a difference for: spoilt arguments, and whether a buffer is in use, are told before. */
static bool is_other_across(const struct mistake *mistake) {
    return (mistake->needs & (IS_ACROSS | HAS_ROOT)) != 0 || strcmp(mistake->class_name, "collective-mismatch") == 0 ||
           strcmp(mistake->class_name, "type-mismatch") == 0;
}

static void list_mistakes(const char *name, const struct family *family) {
    const char *class_outside = family->has & HAS_NO_INIT ? "race-free" : "call-outside-init";
    printf("%s none race-free\n", name);
    if (!(family->has & (IS_ACROSS | HAS_INFO_OBJECT))) /* one may be made whenever the call is made, and would have to be */
        printf("%s %s %s\n%s %s %s\n", name, before_init, class_outside, name, after_finalize, class_outside);
    for (const struct mistake *mistake = mistakes; mistake < mistakes + mistake_count; mistake++) {
        if (find_mistake(mistake->name, strlen(mistake->name), family) != mistake)
            continue;
        if ((family->has & IS_ACROSS) && !is_other_across(mistake))
            continue;
        printf("%s %s %s\n", name, mistake->name, mistake->class_name);
        if (mistake->class_by_all)
            printf("%s %s%s %s\n", name, mistake->name, by_all, mistake->class_by_all);
        if (mistake->class_by_all && family->side == COLLECTIVE && !(family->has & IS_ACROSS))
            printf("%s %s%s %s\n", name, mistake->name, by_other, mistake->class_name);
    }
}

static void list(void) {
    const struct family *family;
    for (int f = 0; (family = family_at(f)) != NULL; f++) {
        list_mistakes(family->name, family);
        if (!(family->has & HAS_ACROSS))
            continue;
        char name[100];
        snprintf(name, sizeof name, "%s%s", across, family->name);
        struct family on_intercommunicator = *family;
        on_intercommunicator.has = has_across(family);
        list_mistakes(name, &on_intercommunicator);
    }
}

/* False if there is none of that name. */
static bool find_family(const char *name, struct family *found) {
    const bool is_across = strncmp(name, across, sizeof across - 1) == 0;
    const char *plain = is_across ? name + sizeof across - 1 : name;
    int f = 0;
    while (family_at(f) != NULL && strcmp(family_at(f)->name, plain) != 0)
        f++;
    if (!family_at(f))
        return false;
    *found = *family_at(f);
    if (is_across)
        found->has = has_across(found);
    return true;
}

static bool ends_with(const char *name, const char *suffix, size_t *length) {
    const size_t all = strlen(name), end = strlen(suffix);
    *length = all;
    if (all <= end || strcmp(name + all - end, suffix) != 0)
        return false;
    *length = all - end;
    return true;
}

/* By rank 0, or by others if its name says so. */
static void make_mistake(const char *name, const struct family *family, int rank, struct arguments *with) {
    size_t length;
    const bool made_by_all = ends_with(name, by_all, &length);
    const bool made_by_other = !made_by_all && ends_with(name, by_other, &length);
    const struct mistake *mistake = find_mistake(name, length, family);
    if (mistake && (made_by_all || rank == (mistake->by_other || made_by_other ? 1 : 0)))
        mistake->make(with);
}

static void call(const struct family *family, struct arguments *with) {
    if (with->instead)
        with->instead(with);
    else
        family->call(with);
    if (with->twice)
        family->call(with);
    if (with->after)
        with->after(with);
}

int other_rank(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return 1 - rank;
}

/* The receive is posted before the send is called: it may be a ready one. */
static void receive(const struct arguments *with) {
    int buffer[ELEMENTS];
    MPI_Request request = MPI_REQUEST_NULL;
    if (!with->instead)
        MPI_Irecv(buffer, ELEMENTS, with->type, 0, with->tag, with->communicator, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void send(const struct arguments *with) {
    if (!with->instead)
        MPI_Send(with->other, 1, with->type, 0, with->tag, with->communicator);
}

static void play_other_side(const struct family *family, struct arguments *with) {
    switch (family->side) {
    case SENDS: receive(with); break;
    case RECEIVES:
        send(with);
        if (with->after)
            with->after(with);
        break;
    case COLLECTIVE:
    case MEETS: call(family, with); break;
    case COMPLETES:
        send(with);
        if (strcmp(family->name, "Request_free") == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        break;
    case ACCESSES:
        if (with->after)
            with->after(with);
        break;
    case LOCAL: break;
    }
}

static bool uses_window(const struct family *family) {
    return family->side == ACCESSES || (family->side == MEETS && !(family->has & HAS_COMMON_FILE));
}

/* Rank 0 makes the call in an epoch, unless it is to open one. */
static void begin_accesses(const struct family *family, struct arguments *with, int rank) {
    with->peer = 1;
    with->displacement = 0;
    with->lock = MPI_LOCK_SHARED;
    MPI_Win_create(with->other, ELEMENTS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &with->window);
    if (rank == 0 && family->side == ACCESSES && !(family->has & HAS_UNLOCKED))
        MPI_Win_lock_all(0, with->window);
}

static void end_accesses(const struct family *family, struct arguments *with, int rank) {
    if (rank == 0 && family->side == ACCESSES && !(family->has & HAS_UNLOCKED))
        MPI_Win_unlock_all(with->window);
    MPI_Win_free(&with->window);
}

/* A communicator between the ranks, each of which is a group by itself. */
static void begin_across(struct arguments *with, int rank) {
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &with->communicator);
    if (rank == 1)
        with->peer = MPI_ROOT;
}

#define HAS_TOPOLOGY (HAS_GRID | HAS_GRAPH)
#define HAS_ANY_FILE (HAS_FILE | HAS_FILE_OR_DEFAULT | HAS_COMMON_FILE)

/* What the call is about. */
static void begin_objects(const struct family *family, struct arguments *with) {
    static const int two[] = {2}, periodic[] = {1}, index[] = {1, 2}, edges[] = {1, 0};
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    if (family->has & HAS_GROUP)
        MPI_Comm_group(MPI_COMM_WORLD, &with->group);
    if (family->has & HAS_INFO_OBJECT)
        MPI_Info_create(&with->info);
    if (family->has & HAS_GRID)
        MPI_Cart_create(MPI_COMM_WORLD, 1, two, periodic, 0, &with->communicator);
    if (family->has & HAS_GRAPH)
        MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &with->communicator);
    if (family->has & HAS_ANY_FILE) {
        MPI_File_open(family->has & HAS_COMMON_FILE ? MPI_COMM_WORLD : MPI_COMM_SELF, "rules.out", mode, MPI_INFO_NULL,
                      &with->file);
        MPI_File_set_size(with->file, sizeof(int));
    }
}

static void end_objects(const struct family *family, struct arguments *made) {
    if (family->has & HAS_GROUP)
        MPI_Group_free(&made->group);
    if (family->has & HAS_INFO_OBJECT)
        MPI_Info_free(&made->info);
    if (family->has & (HAS_TOPOLOGY | IS_ACROSS))
        MPI_Comm_free(&made->communicator);
    if (family->has & HAS_ANY_FILE)
        MPI_File_close(&made->file);
}

/* Everything but MPI_Init and MPI_Finalize. */
static void play(const struct family *family, const char *mistake, struct arguments *with) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (family->has & IS_ACROSS)
        begin_across(with, rank);
    if (uses_window(family))
        begin_accesses(family, with, rank);
    if (rank == 0 && family->side == SENDS)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && family->side == COMPLETES)
        MPI_Irecv(with->other, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &with->request);
    begin_objects(family, with);
    struct arguments made = *with;
    make_mistake(mistake, family, rank, with);
    if (rank == 0)
        call(family, with);
    else
        play_other_side(family, with);
    if (uses_window(family))
        end_accesses(family, with, rank);
    end_objects(family, &made);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        list();
        return 0;
    }
    struct family found;
    if (!find_family(argv[1], &found))
        return 2;
    const struct family *family = &found;
    const char *mistake = argv[2];
    int buffer[ELEMENTS] = {1, 2, 3, 4}, other[ELEMENTS] = {0};
    struct arguments with = {.buffer = buffer,
                             .other = other,
                             .count = 1,
                             .type = MPI_INT,
                             .tag = TAG,
                             .op = MPI_SUM,
                             .peer = family->side == COLLECTIVE ? 0 : 1,
                             .communicator = MPI_COMM_WORLD,
                             .info = MPI_INFO_NULL,
                             .group = MPI_GROUP_EMPTY,
                             .file = MPI_FILE_NULL,
                             .request = MPI_REQUEST_NULL,
                             .window = MPI_WIN_NULL,
                             .begins = 1,
                             .ends = 1};
    if (strcmp(mistake, before_init) == 0)
        family->call(&with);
    MPI_Init(&argc, &argv);
    play(family, mistake, &with);
    const bool is_rank_0 = other_rank() == 1;
    MPI_Finalize();
    if (is_rank_0 && strcmp(mistake, after_finalize) == 0)
        family->call(&with);
    return 0;
}
