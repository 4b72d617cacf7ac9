#include "models/mpi/preload/communicators/communicators.h"

#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/communicators/groups.h"
#include "models/mpi/preload/communicators/topology.h"
#include "models/mpi/preload/error_handlers.h"
#include "models/mpi/preload/objects.h"
#include "models/mpi/preload/rank.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* All that the program has not freed, in the order of their creation. */
static struct communicator **table;
static size_t entries;

/* Both groups of an intercommunicator in an order on which all agree: the one whose rank 0 has the lower rank in MPI_COMM_WORLD
 * first. */
static bool is_second(const struct members *members) {
    return members->remote != NULL && members->remote_size > 0 && members->remote[0] < members->world[0];
}

static int *unite(const struct members *members) {
    int *all = malloc(((size_t)members->size + (size_t)members->remote_size + 1) * sizeof *all);
    bool second = is_second(members);
    if (members->size > 0)
        memcpy(all + (second ? members->remote_size : 0), members->world, (size_t)members->size * sizeof *all);
    if (members->remote_size > 0)
        memcpy(all + (second ? 0 : members->size), members->remote, (size_t)members->remote_size * sizeof *all);
    return all;
}

static struct communicator *make(uint64_t context, const struct members *members) {
    size_t size = (size_t)members->size;
    struct communicator *made = calloc(1, sizeof *made + size * sizeof made->world[0]);
    made->handle = MPI_COMM_NULL;
    made->context = context;
    made->size = members->size;
    made->references = 1;
    memcpy(made->world, members->world, size * sizeof made->world[0]);
    made->rank = communicator_rank_of(made, rank_number());
    if (members->remote != NULL) {
        made->remote_size = members->remote_size;
        made->is_second = is_second(members);
        made->remote = malloc(((size_t)members->remote_size + 1) * sizeof *made->remote);
        memcpy(made->remote, members->remote, (size_t)members->remote_size * sizeof *made->remote);
    }
    int *all = unite(members);
    int first_group = made->is_second ? made->remote_size : made->size;
    rank_announce_context(context, all, made->size + made->remote_size, made->remote != NULL ? first_group : 0);
    free(all);
    return made;
}

static struct communicator *add(MPI_Comm handle, uint64_t context, const struct members *members) {
    struct communicator *added = make(context, members);
    added->handle = handle;
    added->handles_errors = !error_handler_is_fatal(handle);
    table = realloc(table, (entries + 1) * sizeof(struct communicator *));
    table[entries++] = added;
    object_made(OBJECT_COMMUNICATOR, handle);
    return added;
}

static void forget(const struct communicator *communicator) {
    size_t i = 0;
    while (table[i] != communicator)
        i++;
    memmove(&table[i], &table[i + 1], (--entries - i) * sizeof(struct communicator *));
    table = realloc(table, entries * sizeof(struct communicator *));
    object_freed(OBJECT_COMMUNICATOR, communicator->handle);
}

static uint64_t name_context(uint64_t parent, uint64_t creation, uint64_t shape, const struct members *members) {
    const uint64_t head[] = {parent, creation, shape, members->remote != NULL};
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, head, sizeof head);
    int *all = unite(members);
    XXH3_64bits_update(&state, all, (size_t)(members->size + members->remote_size) * sizeof *all);
    free(all);
    return XXH3_64bits_digest(&state);
}

void communicators_start(void) {
    int size = rank_count();
    int *world = malloc((size_t)size * sizeof *world);
    for (int i = 0; i < size; i++)
        world[i] = i;
    struct members all = {.world = world, .size = size};
    add(MPI_COMM_WORLD, WIRE_WORLD_CONTEXT, &all);
    free(world);
    int own = rank_number();
    struct members self = {.world = &own, .size = 1};
    add(MPI_COMM_SELF, name_context(WIRE_WORLD_CONTEXT, UINT64_MAX, 0, &self), &self);
}

struct communicator *communicator_find(MPI_Comm handle) {
    for (size_t i = 0; i < entries; i++) {
        if (table[i]->handle == handle)
            return table[i];
    }
    return NULL;
}

struct communicator *communicator_of_context(uint64_t context) {
    for (size_t i = 0; i < entries; i++) {
        if (table[i]->context == context)
            return table[i];
    }
    return NULL;
}

void communicator_count_creation(struct communicator *parent) { parent->created++; }

struct communicator *communicator_create(struct communicator *parent, MPI_Comm real, const struct members *members,
                                         uint64_t shape) {
    return add(real, name_context(parent->context, parent->created, shape, members), members);
}

struct communicator *communicator_create_from(uint64_t origin, MPI_Comm real, const struct members *members) {
    return add(real, name_context(origin, 0, 0, members), members);
}

struct communicator *communicator_make_hidden(const struct communicator *communicator, uint64_t purpose,
                                              const struct members *members) {
    struct members own = communicator_members(communicator);
    if (members == NULL)
        members = &own;
    return make(name_context(communicator->context, UINT64_MAX, purpose, members), members);
}

struct members communicator_members(const struct communicator *communicator) {
    return (struct members){communicator->world, communicator->size, communicator->remote, communicator->remote_size};
}

MPI_Comm communicator_make_carrier(const struct communicator *parent) {
    MPI_Comm carrier = MPI_COMM_NULL;
    REAL(Comm_split)(parent->handle, 0, 0, &carrier);
    return carrier;
}

static int position_of(int world_rank, const int *world, int size) {
    if (world_rank >= 0 && world_rank < size && world[world_rank] == world_rank)
        return world_rank;
    for (int i = 0; i < size; i++) {
        if (world[i] == world_rank)
            return i;
    }
    return MPI_UNDEFINED;
}

int communicator_rank_of(const struct communicator *communicator, int world_rank) {
    return position_of(world_rank, communicator->world, communicator->size);
}

int communicator_peer_rank(const struct communicator *communicator, int world_rank) {
    if (!communicator_is_inter(communicator))
        return communicator_rank_of(communicator, world_rank);
    return position_of(world_rank, communicator->remote, communicator->remote_size);
}

int communicator_union_own(const struct communicator *communicator, int rank) {
    return communicator->is_second ? communicator->remote_size + rank : rank;
}

int communicator_union_remote(const struct communicator *communicator, int rank) {
    return communicator->is_second ? rank : communicator->size + rank;
}

struct communicator *communicator_hold(struct communicator *communicator) {
    communicator->references++;
    return communicator;
}

void communicator_release(struct communicator *communicator) {
    if (--communicator->references > 0)
        return;
    topology_free(communicator->topology);
    free(communicator->remote);
    free(communicator);
}

EXPORT(Comm_size)
int MPI_Comm_size(MPI_Comm handle, int *size) {
    ENTER(Comm_size, handle, size);
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        *size = communicator->size;
    return error;
}

EXPORT(Comm_rank)
int MPI_Comm_rank(MPI_Comm handle, int *rank) {
    ENTER(Comm_rank, handle, rank);
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        *rank = communicator->rank;
    return error;
}

/* Of intercommunicators both groups count. */
static int compare(const struct communicator *one, const struct communicator *other) {
    if (communicator_is_inter(one) != communicator_is_inter(other))
        return MPI_UNEQUAL;
    int own = group_compare(one->world, one->size, other->world, other->size);
    int remote = group_compare(one->remote, one->remote_size, other->remote, other->remote_size);
    if (own == MPI_UNEQUAL || remote == MPI_UNEQUAL)
        return MPI_UNEQUAL;
    return own == MPI_SIMILAR ? own : remote;
}

EXPORT(Comm_compare)
int MPI_Comm_compare(MPI_Comm first, MPI_Comm second, int *result) {
    ENTER(Comm_compare, first, second, result);
    struct communicator *one;
    struct communicator *other;
    int error = check_communicator(caller, first, &one);
    if (error == MPI_SUCCESS)
        error = check_communicator(caller, second, &other);
    if (error != MPI_SUCCESS)
        return error;
    *result = compare(one, other);
    if (*result == MPI_IDENT && one != other)
        *result = MPI_CONGRUENT;
    return MPI_SUCCESS;
}

EXPORT(Comm_group)
int MPI_Comm_group(MPI_Comm handle, MPI_Group *group) {
    ENTER(Comm_group, handle, group);
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        *group = group_create(communicator->world, communicator->size);
    return error;
}

/* `copy` is one of MPICH's own duplications: it runs the program's attribute callbacks. */
static int finish_duplicate(struct communicator *parent, int error, MPI_Comm copy, MPI_Comm *result) {
    *result = MPI_COMM_NULL;
    if (error != MPI_SUCCESS)
        return error;
    struct members members = communicator_members(parent);
    struct communicator *created = communicator_create(parent, copy, &members, topology_shape(parent->topology));
    communicator_set_topology(created, topology_copy(parent->topology));
    *result = copy;
    return MPI_SUCCESS;
}

static int synchronise(const struct caller *caller, MPI_Comm handle, struct communicator **parent) {
    int error = check_communicator(caller, handle, parent);
    if (error != MPI_SUCCESS)
        return error;
    struct collective collective = collective_of_all(caller, *parent);
    collective_enter(&collective, 0);
    collective_leave(&collective);
    communicator_count_creation(*parent);
    return MPI_SUCCESS;
}

EXPORT(Comm_dup)
int MPI_Comm_dup(MPI_Comm handle, MPI_Comm *result) {
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
int MPI_Comm_dup_with_info(MPI_Comm handle, MPI_Info info, MPI_Comm *result) {
    ENTER(Comm_dup_with_info, handle, info, result);
    struct communicator *parent;
    int error = check_object(caller, OBJECT_INFO, info);
    if (error == MPI_SUCCESS)
        error = synchronise(caller, handle, &parent);
    if (error != MPI_SUCCESS)
        return error;
    MPI_Comm copy = MPI_COMM_NULL;
    error = REAL(Comm_dup_with_info)(handle, info, &copy);
    return finish_duplicate(parent, error, copy, result);
}

static void allow_use(const struct collective *collective, struct collective_answer *answer) {
    (void)answer;
    collective->made->is_incomplete = false;
}

/* The communicator is made at once, as its attributes are those of the time of the call. */
static int duplicate_later(const struct caller *caller, MPI_Comm handle, MPI_Info info, MPI_Comm *result,
                           MPI_Request *request) {
    struct communicator *parent;
    int error = check_communicator(caller, handle, &parent);
    if (error == MPI_SUCCESS)
        error = check_object(caller, OBJECT_INFO, info);
    if (error == MPI_SUCCESS)
        error = check_request_place(caller, request);
    if (error != MPI_SUCCESS)
        return error;
    struct collective collective = collective_of_all(caller, parent);
    collective.manner.request = request;
    collective_enter(&collective, 0);
    communicator_count_creation(parent);
    MPI_Comm copy = MPI_COMM_NULL;
    error = info == MPI_INFO_NULL ? REAL(Comm_dup)(handle, &copy) : REAL(Comm_dup_with_info)(handle, info, &copy);
    error = finish_duplicate(parent, error, copy, result);
    if (error == MPI_SUCCESS) {
        collective.made = communicator_find(copy);
        collective.made->is_incomplete = true;
        collective.take = allow_use;
    }
    collective_finish(&collective);
    return error;
}

EXPORT(Comm_idup)
int MPI_Comm_idup(MPI_Comm handle, MPI_Comm *result, MPI_Request *request) {
    ENTER(Comm_idup, handle, result, request);
    return duplicate_later(caller, handle, MPI_INFO_NULL, result, request);
}

EXPORT(Comm_idup_with_info)
int MPI_Comm_idup_with_info(MPI_Comm handle, MPI_Info info, MPI_Comm *result, MPI_Request *request) {
    ENTER(Comm_idup_with_info, handle, info, result, request);
    return duplicate_later(caller, handle, info, result, request);
}

/* Collective by the standard, but it need not synchronise: each member forgets the communicator by itself, which is
 * the loosest implementation and hides no order of events. */
static int free_communicator(const struct caller *caller, MPI_Comm *handle) {
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

EXPORT(Comm_free)
int MPI_Comm_free(MPI_Comm *handle) {
    ENTER(Comm_free, handle);
    return free_communicator(caller, handle);
}

/* Waits until what was sent is there (MPI-3.1 section 10.5.4): it may wait for all, and need not. */
EXPORT(Comm_disconnect)
int MPI_Comm_disconnect(MPI_Comm *handle) {
    ENTER(Comm_disconnect, handle);
    struct collective collective = collective_of_all(caller, NULL);
    int error = check_communicator(caller, *handle, &collective.communicator);
    if (error != MPI_SUCCESS)
        return error;
    collective.is_empty = true;
    collective_enter(&collective, 0);
    collective_leave(&collective);
    return free_communicator(caller, handle);
}
