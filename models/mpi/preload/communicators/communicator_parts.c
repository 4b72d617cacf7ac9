/* Communicators for some of the members: split by colour or by type, and created from groups (MPI-3.1 sections 6.4.2 and
 * 6.6). Every member hears what all others said and works out the same lists. Of an intercommunicator both groups are
 * divided alike. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/communicators/groups.h"
#include "models/mpi/preload/rank.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { PURPOSE_CREATE_GROUP = 0x67726f75 };

/* What each member says in a split. */
struct wish {
    int32_t color;
    int32_t key;
};

struct candidate {
    int32_t key;
    int rank; /* in the parent: equal keys keep the old order */
};

static int order_candidates(const void *first, const void *second) {
    const struct candidate *one = first;
    const struct candidate *other = second;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return one->rank < other->rank ? -1 : one->rank > other->rank;
}

/* One group of the parent as it is being divided. */
struct side {
    const struct communicator *parent;
    const int *world;
    int size;
    int (*number)(const struct communicator *parent, int rank); /* of a member in the answer */
};

static int same_number(const struct communicator *parent, int rank) {
    (void)parent;
    return rank;
}

static struct side own_side(const struct communicator *parent) {
    return (struct side){parent, parent->world, parent->size,
                         communicator_is_inter(parent) ? communicator_union_own : same_number};
}

/* Empty if there is no other group. */
static struct side remote_side(const struct communicator *parent) {
    return (struct side){parent, parent->remote, parent->remote_size, communicator_union_remote};
}

/* The world ranks of those with our colour, in their new order; `world` has room for all. */
static int choose_members(const struct side *side, struct collective_answer *answer, int32_t color, int *world) {
    struct candidate *candidate = calloc((size_t)side->size + 1, sizeof *candidate);
    int size = 0;
    for (int i = 0; i < side->size; i++) {
        struct wish wish;
        memcpy(&wish, collective_part(answer, side->number(side->parent, i)).bytes, sizeof wish);
        if (wish.color == color)
            candidate[size++] = (struct candidate){wish.key, i};
    }
    qsort(candidate, (size_t)size, sizeof *candidate, order_candidates);
    for (int i = 0; i < size; i++)
        world[i] = side->world[candidate[i].rank];
    free(candidate);
    return size;
}

/* The communicator of the chosen members. An intercommunicator without anybody in one of its groups is MPI_COMM_NULL. */
static MPI_Comm finish(struct communicator *parent, const struct members *chosen) {
    if (communicator_is_inter(parent) && chosen->remote_size == 0)
        return MPI_COMM_NULL;
    MPI_Comm carrier = communicator_make_carrier(parent);
    communicator_create(parent, carrier, chosen, 0);
    return carrier;
}

static struct collective begin(const struct caller *caller, struct communicator *parent) {
    struct collective collective = collective_of_all(caller, parent);
    if (communicator_is_inter(parent))
        collective.pattern = WIRE_BOTH_GROUPS;
    return collective;
}

static MPI_Comm split(const struct caller *caller, struct communicator *parent, int color, int key) {
    struct collective collective = begin(caller, parent);
    collective_enter(&collective, 1);
    *(struct wish *)rank_add_part(sizeof(struct wish)) = (struct wish){color, key};
    struct collective_answer answer = collective_leave(&collective);
    communicator_count_creation(parent);
    if (color == MPI_UNDEFINED)
        return MPI_COMM_NULL;
    struct side own = own_side(parent);
    struct side remote = remote_side(parent);
    int *world = malloc(((size_t)own.size + (size_t)remote.size) * sizeof *world);
    struct members chosen = {.world = world};
    chosen.size = choose_members(&own, &answer, color, world);
    if (communicator_is_inter(parent))
        chosen.remote = world + own.size;
    chosen.remote_size = choose_members(&remote, &answer, color, world + own.size);
    MPI_Comm result = finish(parent, &chosen);
    free(world);
    return result;
}

EXPORT(Comm_split)
int MPI_Comm_split(MPI_Comm handle, int color, int key, MPI_Comm *result) {
    ENTER(Comm_split, handle, color, key, result);
    struct communicator *parent;
    int error = check_communicator(caller, handle, &parent);
    if (error != MPI_SUCCESS)
        return error;
    if (color < 0 && color != MPI_UNDEFINED)
        return reject(caller, handle, MPI_ERR_ARG, "a negative color (%d)", color);
    *result = split(caller, parent, color, key);
    return MPI_SUCCESS;
}

/* All ranks count as being on one node, with shared memory, and on no smaller part of it: who asks for parts of the hardware that
 * MPICH names itself gets none (MPI-4.0 section 7.4.2). */
static bool is_hardware(int type) { return type == MPI_COMM_TYPE_HW_GUIDED || type == MPI_COMM_TYPE_HW_UNGUIDED; }

static bool asks_for_shared_memory(MPI_Info info) {
    char value[sizeof "mpi_shared_memory"];
    int length = sizeof value, found = 0;
    if (info != MPI_INFO_NULL)
        REAL(Info_get_string)(info, "mpi_hw_resource_type", &length, value, &found);
    return found && length == sizeof value && strcmp(value, "mpi_shared_memory") == 0;
}

EXPORT(Comm_split_type)
int MPI_Comm_split_type(MPI_Comm handle, int type, int key, MPI_Info info, MPI_Comm *result) {
    ENTER(Comm_split_type, handle, type, key, info, result);
    struct communicator *parent;
    int error = check_communicator(caller, handle, &parent);
    if (error == MPI_SUCCESS)
        error = check_object(caller, OBJECT_INFO, info);
    if (error != MPI_SUCCESS)
        return error;
    if (type != MPI_COMM_TYPE_SHARED && type != MPI_UNDEFINED && !is_hardware(type))
        rank_refuse(caller->function, caller->site, "MPI_Comm_split_type with a type of the implementation is not supported");
    bool all = type == MPI_COMM_TYPE_SHARED || (type == MPI_COMM_TYPE_HW_GUIDED && asks_for_shared_memory(info));
    *result = split(caller, parent, all ? 0 : MPI_UNDEFINED, key);
    return MPI_SUCCESS;
}

/* Members of one new communicator must all have passed the same group. */
static void require_same_group(const struct collective *collective, struct collective_answer *answer,
                               const struct group *group) {
    struct side own = own_side(collective->communicator);
    size_t size = (size_t)group->size * sizeof group->world[0];
    for (int i = 0; i < group->size; i++) {
        int member = communicator_rank_of(own.parent, group->world[i]);
        struct collective_part part = collective_part(answer, own.number(own.parent, member));
        if (part.size != size || memcmp(part.bytes, group->world, size) != 0)
            collective_mismatch(collective, group->world[i], "ranks %d and %d passed different groups to MPI_Comm_create",
                                rank_number(), group->world[i]);
    }
}

/* What the other group's members passed: theirs must agree, but for those that stay outside. */
static int remote_group(struct collective_answer *answer, const struct communicator *parent, int *world) {
    for (int i = 0; i < parent->remote_size; i++) {
        struct collective_part part = collective_part(answer, communicator_union_remote(parent, i));
        if (part.size == 0)
            continue;
        memcpy(world, part.bytes, part.size);
        return (int)(part.size / sizeof *world);
    }
    return 0;
}

static int check_part_of(const struct caller *caller, const struct communicator *parent, const struct group *group) {
    for (int i = 0; i < group->size; i++) {
        if (communicator_rank_of(parent, group->world[i]) == MPI_UNDEFINED)
            return reject(caller, parent->handle, MPI_ERR_GROUP, "a group that is not part of the communicator");
    }
    return MPI_SUCCESS;
}

EXPORT(Comm_create)
int MPI_Comm_create(MPI_Comm handle, MPI_Group group_handle, MPI_Comm *result) {
    ENTER(Comm_create, handle, group_handle, result);
    struct communicator *parent;
    const struct group *group;
    int error = check_communicator(caller, handle, &parent);
    if (error == MPI_SUCCESS)
        error = check_group(caller, group_handle, &group);
    if (error == MPI_SUCCESS)
        error = check_part_of(caller, parent, group);
    if (error != MPI_SUCCESS)
        return error;
    struct collective collective = begin(caller, parent);
    collective_enter(&collective, 1);
    size_t size = (size_t)group->size * sizeof group->world[0];
    memcpy(rank_add_part(size), group->world, size);
    struct collective_answer answer = collective_leave(&collective);
    communicator_count_creation(parent);
    *result = MPI_COMM_NULL;
    if (group_rank_of(group, rank_number()) == MPI_UNDEFINED)
        return MPI_SUCCESS;
    require_same_group(&collective, &answer, group);
    struct members chosen = {.world = group->world, .size = group->size};
    int *world = malloc(((size_t)parent->remote_size + 1) * sizeof *world);
    if (communicator_is_inter(parent))
        chosen.remote = world;
    chosen.remote_size = remote_group(&answer, parent, world);
    *result = finish(parent, &chosen);
    free(world);
    return MPI_SUCCESS;
}

/* How often each member has created a communicator of a group so far: as each counts every such call of its own, no two calls
 * have the same numbers. */
static uint64_t name_by_counts(struct collective_answer *answer, const struct communicator *hidden) {
    uint64_t name = hidden->context;
    for (int i = 0; i < hidden->size; i++) {
        struct collective_part part = collective_part(answer, i);
        name = XXH3_64bits_withSeed(part.bytes, part.size, name);
    }
    return name;
}

/* Collective over the group, not over the communicator. Calls with different tags may be under way at the same time. */
EXPORT(Comm_create_group)
int MPI_Comm_create_group(MPI_Comm handle, MPI_Group group_handle, int tag, MPI_Comm *result) {
    ENTER(Comm_create_group, handle, group_handle, tag, result);
    struct communicator *parent;
    const struct group *group;
    int error = check_communicator(caller, handle, &parent);
    if (error == MPI_SUCCESS)
        error = check_intracommunicator(caller, parent);
    if (error == MPI_SUCCESS)
        error = check_group(caller, group_handle, &group);
    if (error == MPI_SUCCESS)
        error = check_part_of(caller, parent, group);
    if (error == MPI_SUCCESS)
        error = check_tag(caller, parent, tag);
    if (error != MPI_SUCCESS)
        return error;
    *result = MPI_COMM_NULL;
    if (group_rank_of(group, rank_number()) == MPI_UNDEFINED)
        return MPI_SUCCESS;
    struct members members = {.world = group->world, .size = group->size};
    struct communicator *hidden =
        communicator_make_hidden(parent, (uint64_t)PURPOSE_CREATE_GROUP << 32 | (uint32_t)tag, &members);
    struct collective collective = collective_of_all(caller, hidden);
    collective_enter(&collective, 1);
    *(uint64_t *)rank_add_part(sizeof(uint64_t)) = parent->created_of_groups++;
    struct collective_answer answer = collective_leave(&collective);
    *result = communicator_make_carrier(parent);
    communicator_create_from(name_by_counts(&answer, hidden), *result, &members);
    communicator_release(hidden);
    return MPI_SUCCESS;
}
