#include "models/mpi/preload/communicators/groups.h"

#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/objects.h"
#include "models/mpi/preload/rank.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_HANDLE 0x88000000u /* the form of MPICH's own group handles */

/* By slot; NULL where unused. New groups take the lowest unused slot. */
static struct group **table;
static uint32_t slots;

static const struct group empty;

static struct group *find(MPI_Group handle) {
    uint32_t slot = (uint32_t)handle - FIRST_HANDLE;
    return slot < slots ? table[slot] : NULL;
}

MPI_Group group_create(const int *world, int size) {
    if (size == 0)
        return MPI_GROUP_EMPTY;
    uint32_t slot = 0;
    while (slot < slots && table[slot] != NULL)
        slot++;
    if (slot == slots)
        table = realloc(table, ++slots * sizeof(struct group *));
    struct group *group = malloc(sizeof *group + (size_t)size * sizeof group->world[0]);
    group->size = size;
    memcpy(group->world, world, (size_t)size * sizeof group->world[0]);
    table[slot] = group;
    object_made(OBJECT_GROUP, (int)(FIRST_HANDLE + slot));
    return (MPI_Group)(FIRST_HANDLE + slot);
}

/* So that groups that are no more have left no trace. */
static void shrink_table(void) {
    while (slots > 0 && table[slots - 1] == NULL)
        slots--;
    table = realloc(table, slots * sizeof(struct group *));
}

int check_group(const struct caller *caller, MPI_Group handle, const struct group **group) {
    *group = &empty;
    if (handle == MPI_GROUP_EMPTY)
        return MPI_SUCCESS;
    const struct group *found = find(handle);
    if (found == NULL)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_GROUP, "%s",
                      handle == MPI_GROUP_NULL ? "MPI_GROUP_NULL" : "a group that does not exist or was freed");
    *group = found;
    return MPI_SUCCESS;
}

static int position_of(const int *world, int size, int world_rank) {
    for (int i = 0; i < size; i++) {
        if (world[i] == world_rank)
            return i;
    }
    return MPI_UNDEFINED;
}

int group_rank_of(const struct group *group, int world_rank) { return position_of(group->world, group->size, world_rank); }

int group_compare(const int *first, int first_size, const int *second, int second_size) {
    if (first_size != second_size)
        return MPI_UNEQUAL;
    bool same_order = true;
    for (int i = 0; i < first_size; i++) {
        int position = position_of(second, second_size, first[i]);
        if (position == MPI_UNDEFINED)
            return MPI_UNEQUAL;
        same_order &= position == i;
    }
    return same_order ? MPI_IDENT : MPI_SIMILAR;
}

/* A group under construction, with room for `capacity` members. */
struct selection {
    int *world;
    int size;
};

static struct selection select_start(int capacity) {
    return (struct selection){.world = malloc(((size_t)capacity + 1) * sizeof(int))};
}

static void select_add(struct selection *selection, int world_rank) { selection->world[selection->size++] = world_rank; }

static MPI_Group select_finish(struct selection *selection) {
    MPI_Group handle = group_create(selection->world, selection->size);
    free(selection->world);
    return handle;
}

static int check_two_groups(const struct caller *caller, MPI_Group first, MPI_Group second, const struct group **one,
                            const struct group **other) {
    int error = check_group(caller, first, one);
    return error == MPI_SUCCESS ? check_group(caller, second, other) : error;
}

static int check_number(const struct caller *caller, int n, const char *what) {
    return n >= 0 ? MPI_SUCCESS : reject(caller, MPI_COMM_WORLD, MPI_ERR_ARG, "a negative number of %s (%d)", what, n);
}

static int check_ranks(const struct caller *caller, const struct group *group, const int *ranks, int n) {
    int error = check_number(caller, n, "ranks");
    if (error != MPI_SUCCESS)
        return error;
    for (int i = 0; i < n; i++) {
        if (ranks[i] < 0 || ranks[i] >= group->size)
            return reject(caller, MPI_COMM_WORLD, MPI_ERR_RANK, "rank %d in a group of size %d", ranks[i], group->size);
        if (position_of(ranks, i, ranks[i]) != MPI_UNDEFINED)
            return reject(caller, MPI_COMM_WORLD, MPI_ERR_RANK, "rank %d twice", ranks[i]);
    }
    return MPI_SUCCESS;
}

static MPI_Group include(const struct group *group, const int *ranks, int n) {
    struct selection chosen = select_start(n);
    for (int i = 0; i < n; i++)
        select_add(&chosen, group->world[ranks[i]]);
    return select_finish(&chosen);
}

static MPI_Group exclude(const struct group *group, const int *ranks, int n) {
    struct selection chosen = select_start(group->size);
    for (int i = 0; i < group->size; i++) {
        if (position_of(ranks, n, i) == MPI_UNDEFINED)
            select_add(&chosen, group->world[i]);
    }
    return select_finish(&chosen);
}

/* The ranks that (first, last, stride) triplets stand for, to be freed. */
static int expand_ranges(const struct caller *caller, const struct group *group, int n, int ranges[][3],
                         struct selection *ranks) {
    *ranks = select_start(group->size);
    int error = check_number(caller, n, "ranges");
    if (error != MPI_SUCCESS)
        return error;
    for (int i = 0; i < n; i++) {
        const int first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];
        if (stride == 0 || (stride > 0 ? first > last : first < last))
            return reject(caller, MPI_COMM_WORLD, MPI_ERR_ARG, "a range from %d to %d by steps of %d", first, last, stride);
        for (long rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
            if (rank < 0 || rank >= group->size || ranks->size == group->size)
                return reject(caller, MPI_COMM_WORLD, MPI_ERR_RANK, "rank %ld in a group of size %d", rank, group->size);
            select_add(ranks, (int)rank);
        }
    }
    return check_ranks(caller, group, ranks->world, ranks->size);
}

EXPORT(Group_size)
int MPI_Group_size(MPI_Group handle, int *size) {
    ENTER(Group_size, handle, size);
    const struct group *group;
    int error = check_group(caller, handle, &group);
    if (error == MPI_SUCCESS)
        *size = group->size;
    return error;
}

EXPORT(Group_rank)
int MPI_Group_rank(MPI_Group handle, int *rank) {
    ENTER(Group_rank, handle, rank);
    const struct group *group;
    int error = check_group(caller, handle, &group);
    if (error == MPI_SUCCESS)
        *rank = group_rank_of(group, rank_number());
    return error;
}

EXPORT(Group_compare)
int MPI_Group_compare(MPI_Group first, MPI_Group second, int *result) {
    ENTER(Group_compare, first, second, result);
    const struct group *one;
    const struct group *other;
    int error = check_two_groups(caller, first, second, &one, &other);
    if (error == MPI_SUCCESS)
        *result = group_compare(one->world, one->size, other->world, other->size);
    return error;
}

EXPORT(Group_translate_ranks)
int MPI_Group_translate_ranks(MPI_Group first, int n, const int ranks[], MPI_Group second, int translated[]) {
    ENTER(Group_translate_ranks, first, n, ranks, second, translated);
    const struct group *one;
    const struct group *other;
    int error = check_two_groups(caller, first, second, &one, &other);
    if (error == MPI_SUCCESS)
        error = check_number(caller, n, "ranks");
    if (error != MPI_SUCCESS)
        return error;
    for (int i = 0; i < n; i++) {
        if (ranks[i] == MPI_PROC_NULL) {
            translated[i] = MPI_PROC_NULL;
            continue;
        }
        error = check_ranks(caller, one, &ranks[i], 1);
        if (error != MPI_SUCCESS)
            return error;
        translated[i] = group_rank_of(other, one->world[ranks[i]]);
    }
    return MPI_SUCCESS;
}

static int choose_ranks(const struct caller *caller, MPI_Group handle, int n, const int ranks[],
                        MPI_Group choose(const struct group *group, const int *ranks, int n), MPI_Group *result) {
    const struct group *group;
    int error = check_group(caller, handle, &group);
    if (error == MPI_SUCCESS)
        error = check_ranks(caller, group, ranks, n);
    if (error == MPI_SUCCESS)
        *result = choose(group, ranks, n);
    return error;
}

EXPORT(Group_incl)
int MPI_Group_incl(MPI_Group handle, int n, const int ranks[], MPI_Group *result) {
    ENTER(Group_incl, handle, n, ranks, result);
    return choose_ranks(caller, handle, n, ranks, include, result);
}

EXPORT(Group_excl)
int MPI_Group_excl(MPI_Group handle, int n, const int ranks[], MPI_Group *result) {
    ENTER(Group_excl, handle, n, ranks, result);
    return choose_ranks(caller, handle, n, ranks, exclude, result);
}

static int choose_ranges(const struct caller *caller, MPI_Group handle, int n, int ranges[][3],
                         MPI_Group choose(const struct group *group, const int *ranks, int n), MPI_Group *result) {
    const struct group *group;
    int error = check_group(caller, handle, &group);
    if (error != MPI_SUCCESS)
        return error;
    struct selection ranks;
    error = expand_ranges(caller, group, n, ranges, &ranks);
    if (error == MPI_SUCCESS)
        *result = choose(group, ranks.world, ranks.size);
    free(ranks.world);
    return error;
}

EXPORT(Group_range_incl)
int MPI_Group_range_incl(MPI_Group handle, int n, int ranges[][3], MPI_Group *result) {
    ENTER(Group_range_incl, handle, n, ranges, result);
    return choose_ranges(caller, handle, n, ranges, include, result);
}

EXPORT(Group_range_excl)
int MPI_Group_range_excl(MPI_Group handle, int n, int ranges[][3], MPI_Group *result) {
    ENTER(Group_range_excl, handle, n, ranges, result);
    return choose_ranges(caller, handle, n, ranges, exclude, result);
}

EXPORT(Group_union)
int MPI_Group_union(MPI_Group first, MPI_Group second, MPI_Group *result) {
    ENTER(Group_union, first, second, result);
    const struct group *one;
    const struct group *other;
    int error = check_two_groups(caller, first, second, &one, &other);
    if (error != MPI_SUCCESS)
        return error;
    struct selection chosen = select_start(one->size + other->size);
    for (int i = 0; i < one->size; i++)
        select_add(&chosen, one->world[i]);
    for (int i = 0; i < other->size; i++) {
        if (group_rank_of(one, other->world[i]) == MPI_UNDEFINED)
            select_add(&chosen, other->world[i]);
    }
    *result = select_finish(&chosen);
    return MPI_SUCCESS;
}

/* The members of `one`, in their order, that are (or are not) in `other` too. */
static MPI_Group filter(const struct group *one, const struct group *other, bool in_other) {
    struct selection chosen = select_start(one->size);
    for (int i = 0; i < one->size; i++) {
        if ((group_rank_of(other, one->world[i]) != MPI_UNDEFINED) == in_other)
            select_add(&chosen, one->world[i]);
    }
    return select_finish(&chosen);
}

EXPORT(Group_intersection)
int MPI_Group_intersection(MPI_Group first, MPI_Group second, MPI_Group *result) {
    ENTER(Group_intersection, first, second, result);
    const struct group *one;
    const struct group *other;
    int error = check_two_groups(caller, first, second, &one, &other);
    if (error == MPI_SUCCESS)
        *result = filter(one, other, true);
    return error;
}

EXPORT(Group_difference)
int MPI_Group_difference(MPI_Group first, MPI_Group second, MPI_Group *result) {
    ENTER(Group_difference, first, second, result);
    const struct group *one;
    const struct group *other;
    int error = check_two_groups(caller, first, second, &one, &other);
    if (error == MPI_SUCCESS)
        *result = filter(one, other, false);
    return error;
}

EXPORT(Group_free)
int MPI_Group_free(MPI_Group *handle) {
    ENTER(Group_free, handle);
    const struct group *group;
    int error = check_group(caller, *handle, &group);
    if (error != MPI_SUCCESS)
        return error;
    if (*handle != MPI_GROUP_EMPTY) {
        uint32_t slot = (uint32_t)*handle - FIRST_HANDLE;
        free(table[slot]);
        table[slot] = NULL;
        object_freed(OBJECT_GROUP, *handle);
        shrink_table();
    }
    *handle = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}
