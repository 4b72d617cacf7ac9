#include "models/mpi/preload/communicators.h"

#include "models/mpi/preload/arguments.h"
#include "models/mpi/preload/collective_data.h"
#include "models/mpi/preload/groups.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/topology.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* All that the program has not freed, in the order of their creation. */
static struct communicator **table;
static size_t entries;

static struct communicator *make(MPI_Comm handle, uint64_t context, const int *world, int size)
{
    struct communicator *added = calloc(1, sizeof *added + (size_t)size * sizeof added->world[0]);
    added->handle = handle;
    added->context = context;
    added->size = size;
    added->references = 1;
    memcpy(added->world, world, (size_t)size * sizeof added->world[0]);
    added->rank = communicator_rank_of(added, rank_number());
    rank_announce_context(context, added->world, size);
    return added;
}

static struct communicator *add(MPI_Comm handle, uint64_t context, const int *world, int size)
{
    table = realloc(table, (entries + 1) * sizeof(struct communicator *));
    table[entries] = make(handle, context, world, size);
    return table[entries++];
}

static void forget(const struct communicator *communicator)
{
    size_t i = 0;
    while (table[i] != communicator)
        i++;
    memmove(&table[i], &table[i + 1], (--entries - i) * sizeof(struct communicator *));
    table[entries] = NULL;
}

static uint64_t name_context(uint64_t parent, uint64_t creation, const int *world, int size)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &parent, sizeof parent);
    XXH3_64bits_update(&state, &creation, sizeof creation);
    XXH3_64bits_update(&state, world, (size_t)size * sizeof *world);
    return XXH3_64bits_digest(&state);
}

void communicators_start(void)
{
    int size = rank_count();
    int *world = malloc((size_t)size * sizeof *world);
    for (int i = 0; i < size; i++)
        world[i] = i;
    add(MPI_COMM_WORLD, WIRE_WORLD_CONTEXT, world, size);
    free(world);
    int self = rank_number();
    add(MPI_COMM_SELF, name_context(WIRE_WORLD_CONTEXT, UINT64_MAX, &self, 1), &self, 1);
}

struct communicator *communicator_find(MPI_Comm handle)
{
    for (size_t i = 0; i < entries; i++) {
        if (table[i]->handle == handle)
            return table[i];
    }
    return NULL;
}

void communicator_count_creation(struct communicator *parent)
{
    parent->created++;
}

struct communicator *communicator_create(struct communicator *parent, MPI_Comm real, const int *world, int size)
{
    return add(real, name_context(parent->context, parent->created, world, size), world, size);
}

struct communicator *communicator_create_hidden(const struct communicator *parent, uint64_t purpose, const int *world,
                                                int size)
{
    return make(MPI_COMM_NULL, name_context(~parent->context, purpose, world, size), world, size);
}

MPI_Comm communicator_make_carrier(const struct communicator *parent)
{
    MPI_Comm carrier = MPI_COMM_NULL;
    REAL(Comm_split)(parent->handle, 0, 0, &carrier);
    return carrier;
}

int communicator_rank_of(const struct communicator *communicator, int world_rank)
{
    if (world_rank >= 0 && world_rank < communicator->size && communicator->world[world_rank] == world_rank)
        return world_rank;
    for (int i = 0; i < communicator->size; i++) {
        if (communicator->world[i] == world_rank)
            return i;
    }
    return MPI_UNDEFINED;
}

struct communicator *communicator_hold(struct communicator *communicator)
{
    communicator->references++;
    return communicator;
}

void communicator_release(struct communicator *communicator)
{
    if (--communicator->references > 0)
        return;
    topology_free(communicator->topology);
    free(communicator);
}

EXPORT(Comm_size)
int MPI_Comm_size(MPI_Comm handle, int *size)
{
    ENTER(Comm_size, handle, size);
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        *size = communicator->size;
    return error;
}

EXPORT(Comm_rank)
int MPI_Comm_rank(MPI_Comm handle, int *rank)
{
    ENTER(Comm_rank, handle, rank);
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        *rank = communicator->rank;
    return error;
}

EXPORT(Comm_compare)
int MPI_Comm_compare(MPI_Comm first, MPI_Comm second, int *result)
{
    ENTER(Comm_compare, first, second, result);
    struct communicator *one;
    struct communicator *other;
    int error = check_communicator(caller, first, &one);
    if (error == MPI_SUCCESS)
        error = check_communicator(caller, second, &other);
    if (error != MPI_SUCCESS)
        return error;
    *result = group_compare(one->world, one->size, other->world, other->size);
    if (*result == MPI_IDENT && one != other)
        *result = MPI_CONGRUENT;
    return MPI_SUCCESS;
}

EXPORT(Comm_group)
int MPI_Comm_group(MPI_Comm handle, MPI_Group *group)
{
    ENTER(Comm_group, handle, group);
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        *group = group_create(communicator->world, communicator->size);
    return error;
}

/* `copy` is one of MPICH's own duplications: it runs the program's attribute callbacks. */
static int finish_duplicate(struct communicator *parent, int error, MPI_Comm copy, MPI_Comm *result)
{
    if (error != MPI_SUCCESS)
        return error;
    struct communicator *created = communicator_create(parent, copy, parent->world, parent->size);
    created->topology = topology_copy(parent->topology);
    *result = copy;
    return MPI_SUCCESS;
}

static int synchronise(const struct caller *caller, MPI_Comm handle, struct communicator **parent)
{
    int error = check_communicator(caller, handle, parent);
    if (error != MPI_SUCCESS)
        return error;
    collective_enter(caller, *parent, WIRE_ALL_TO_ALL, COLLECTIVE_NO_ROOT, 0, 0);
    collective_leave(caller, *parent);
    communicator_count_creation(*parent);
    return MPI_SUCCESS;
}

EXPORT(Comm_dup)
int MPI_Comm_dup(MPI_Comm handle, MPI_Comm *result)
{
    ENTER(Comm_dup, handle, result);
    struct communicator *parent;
    int error = synchronise(caller, handle, &parent);
    if (error != MPI_SUCCESS)
        return error;
    MPI_Comm copy = MPI_COMM_NULL;
    error = REAL(Comm_dup)(handle, &copy);
    return finish_duplicate(parent, error, copy, result);
}

EXPORT(Comm_dup_with_info)
int MPI_Comm_dup_with_info(MPI_Comm handle, MPI_Info info, MPI_Comm *result)
{
    ENTER(Comm_dup_with_info, handle, info, result);
    struct communicator *parent;
    int error = synchronise(caller, handle, &parent);
    if (error != MPI_SUCCESS)
        return error;
    MPI_Comm copy = MPI_COMM_NULL;
    error = REAL(Comm_dup_with_info)(handle, info, &copy);
    return finish_duplicate(parent, error, copy, result);
}

/* What each member says in MPI_Comm_split. */
struct wish {
    int32_t color;
    int32_t key;
};

struct candidate {
    int32_t key;
    int rank; /* in the parent: equal keys keep the old order */
};

static int order_candidates(const void *first, const void *second)
{
    const struct candidate *one = first;
    const struct candidate *other = second;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return one->rank < other->rank ? -1 : one->rank > other->rank;
}

/* The world ranks of those with our colour, in their new order. */
static int choose_members(const struct communicator *parent, const struct wire_resolution *answer, int32_t color, int *world)
{
    struct candidate *candidate = calloc((size_t)parent->size, sizeof *candidate);
    int size = 0;
    for (int i = 0; i < parent->size; i++) {
        struct wish wish;
        memcpy(&wish, collective_part(answer, i).bytes, sizeof wish);
        if (wish.color == color)
            candidate[size++] = (struct candidate){wish.key, i};
    }
    qsort(candidate, (size_t)size, sizeof *candidate, order_candidates);
    for (int i = 0; i < size; i++)
        world[i] = parent->world[candidate[i].rank];
    free(candidate);
    return size;
}

EXPORT(Comm_split)
int MPI_Comm_split(MPI_Comm handle, int color, int key, MPI_Comm *result)
{
    ENTER(Comm_split, handle, color, key, result);
    struct communicator *parent;
    int error = check_communicator(caller, handle, &parent);
    if (error != MPI_SUCCESS)
        return error;
    if (color < 0 && color != MPI_UNDEFINED)
        return reject(caller, handle, MPI_ERR_ARG, "a negative color (%d)", color);
    collective_enter(caller, parent, WIRE_ALL_TO_ALL, COLLECTIVE_NO_ROOT, 0, 1);
    *(struct wish *)rank_add_part(sizeof(struct wish)) = (struct wish){color, key};
    const struct wire_resolution *answer = collective_leave(caller, parent);
    communicator_count_creation(parent);
    *result = MPI_COMM_NULL;
    if (color == MPI_UNDEFINED)
        return MPI_SUCCESS;
    int *world = malloc((size_t)parent->size * sizeof *world);
    int size = choose_members(parent, answer, color, world);
    *result = communicator_make_carrier(parent);
    communicator_create(parent, *result, world, size);
    free(world);
    return MPI_SUCCESS;
}

/* Members of one new communicator must all have passed the same group. */
static void require_same_group(const struct caller *caller, const struct communicator *parent,
                               const struct wire_resolution *answer, const struct group *group)
{
    for (int i = 0; i < group->size; i++) {
        int member = communicator_rank_of(parent, group->world[i]);
        struct collective_part part = collective_part(answer, member);
        size_t size = (size_t)group->size * sizeof group->world[0];
        if (part.size != size || memcmp(part.bytes, group->world, size) != 0)
            rank_violation("collective-mismatch", caller->function, caller->site,
                           "ranks %d and %d passed different groups to MPI_Comm_create", rank_number(), group->world[i]);
    }
}

EXPORT(Comm_create)
int MPI_Comm_create(MPI_Comm handle, MPI_Group group_handle, MPI_Comm *result)
{
    ENTER(Comm_create, handle, group_handle, result);
    struct communicator *parent;
    const struct group *group;
    int error = check_communicator(caller, handle, &parent);
    if (error == MPI_SUCCESS)
        error = check_group(caller, group_handle, &group);
    if (error != MPI_SUCCESS)
        return error;
    for (int i = 0; i < group->size; i++) {
        if (communicator_rank_of(parent, group->world[i]) == MPI_UNDEFINED)
            return reject(caller, handle, MPI_ERR_GROUP, "a group that is not part of the communicator");
    }
    collective_enter(caller, parent, WIRE_ALL_TO_ALL, COLLECTIVE_NO_ROOT, 0, 1);
    size_t size = (size_t)group->size * sizeof group->world[0];
    memcpy(rank_add_part(size), group->world, size);
    const struct wire_resolution *answer = collective_leave(caller, parent);
    communicator_count_creation(parent);
    *result = MPI_COMM_NULL;
    if (group_rank_of(group, rank_number()) == MPI_UNDEFINED)
        return MPI_SUCCESS;
    require_same_group(caller, parent, answer, group);
    *result = communicator_make_carrier(parent);
    communicator_create(parent, *result, group->world, group->size);
    return MPI_SUCCESS;
}

/* Collective by the standard, but it need not synchronise: each member forgets the communicator by itself, which is
 * the loosest implementation and hides no order of events. */
EXPORT(Comm_free)
int MPI_Comm_free(MPI_Comm *handle)
{
    ENTER(Comm_free, handle);
    struct communicator *communicator;
    int error = check_communicator(caller, *handle, &communicator);
    if (error != MPI_SUCCESS)
        return error;
    if (*handle == MPI_COMM_WORLD || *handle == MPI_COMM_SELF)
        return reject(caller, *handle, MPI_ERR_COMM, "a predefined communicator");
    /* The program's delete callbacks still see the communicator. */
    error = REAL(Comm_free)(handle);
    if (error != MPI_SUCCESS)
        return error;
    forget(communicator);
    communicator->handle = MPI_COMM_NULL;
    communicator_release(communicator);
    return MPI_SUCCESS;
}
