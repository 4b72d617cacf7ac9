/* Intercommunicators (MPI-3.1 section 6.6): made from two groups by their leaders, merged into one, and asked about.
 *
 * MPI_Intercomm_create is two messages between the leaders, in a context of its own, then a broadcast in each local group. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/communicators/groups.h"
#include "models/mpi/preload/point_to_point/requests.h"
#include "models/mpi/preload/rank.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { PURPOSE_INTERCOMM_CREATE = 0x696e7465 };

EXPORT(Comm_test_inter)
int MPI_Comm_test_inter(MPI_Comm handle, int *flag) {
    ENTER(Comm_test_inter, handle, flag);
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        *flag = communicator_is_inter(communicator);
    return error;
}

static int check_inter(const struct caller *caller, MPI_Comm handle, struct communicator **communicator) {
    int error = check_communicator(caller, handle, communicator);
    if (error == MPI_SUCCESS && !communicator_is_inter(*communicator))
        return reject(caller, handle, MPI_ERR_COMM, "a communicator that is no intercommunicator");
    return error;
}

EXPORT(Comm_remote_size)
int MPI_Comm_remote_size(MPI_Comm handle, int *size) {
    ENTER(Comm_remote_size, handle, size);
    struct communicator *communicator;
    int error = check_inter(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        *size = communicator->remote_size;
    return error;
}

EXPORT(Comm_remote_group)
int MPI_Comm_remote_group(MPI_Comm handle, MPI_Group *group) {
    ENTER(Comm_remote_group, handle, group);
    struct communicator *communicator;
    int error = check_inter(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        *group = group_create(communicator->remote, communicator->remote_size);
    return error;
}

/* What a leader says of its group. */
struct introduction {
    uint64_t context; /* of the local communicator, and which of the things made from it this is */
    uint64_t creation;
    int32_t size;
    int32_t world[];
};

static size_t introduction_size(int size) { return sizeof(struct introduction) + (size_t)size * sizeof(int32_t); }

/* Of this group, or room for that of any other. */
static struct introduction *introduce(const struct communicator *local) {
    struct introduction *own = calloc(1, introduction_size(rank_count()));
    own->context = local->context;
    own->creation = local->created;
    own->size = local->size;
    memcpy(own->world, local->world, (size_t)local->size * sizeof own->world[0]);
    return own;
}

/* The leaders exchange their introductions; the other's replaces ours. */
static int exchange(const struct caller *caller, const struct communicator *peers, int leader, int tag,
                    struct introduction *introduction) {
    struct communicator *hidden = communicator_make_hidden(peers, PURPOSE_INTERCOMM_CREATE, NULL);
    size_t room = introduction_size(rank_count());
    struct introduction *other = calloc(1, room);
    struct transfer send = {.kind = WIRE_SEND,
                            .communicator = hidden,
                            .buffer = introduction,
                            .type = MPI_BYTE,
                            .count = (int)introduction_size(introduction->size),
                            .peer = leader,
                            .tag = tag};
    struct transfer receive = {.kind = WIRE_RECEIVE,
                               .communicator = hidden,
                               .buffer = other,
                               .type = MPI_BYTE,
                               .count = (int)room,
                               .peer = leader,
                               .tag = tag};
    MPI_Request request[] = {request_make(caller, &receive, NULL), request_make(caller, &send, NULL)};
    request_start(caller, request[0]);
    request_start(caller, request[1]);
    int error = requests_exchange(caller, request[0], request[1], MPI_STATUS_IGNORE);
    memcpy(introduction, other, room);
    free(other);
    communicator_release(hidden);
    return error;
}

/* The leader's word to its group. */
static void spread(const struct caller *caller, struct communicator *local, int leader, struct introduction *introduction) {
    struct collective collective = {.caller = *caller, .communicator = local, .pattern = WIRE_FAN_OUT, .root = leader};
    bool leads = local->rank == leader;
    collective_enter(&collective, leads ? 1 : 0);
    size_t room = introduction_size(rank_count());
    if (leads)
        memcpy(rank_add_part(room), introduction, room);
    struct collective_answer answer = collective_leave(&collective);
    if (!leads)
        memcpy(introduction, collective_part(&answer, leader).bytes, room);
}

static void require_disjoint(const struct caller *caller, const struct communicator *local, const struct introduction *other) {
    for (int i = 0; i < other->size; i++) {
        if (communicator_rank_of(local, other->world[i]) != MPI_UNDEFINED)
            rank_violation("invalid-argument", caller->function, caller->site,
                           "%s was called with groups that both have rank %d", function_name(caller->function),
                           other->world[i]);
    }
}

/* The same on both sides. */
static uint64_t name_pair(const struct communicator *local, const struct introduction *other, int tag) {
    const uint64_t own_name[] = {local->context, local->created};
    const uint64_t other_name[] = {other->context, other->creation};
    uint64_t seed = (uint32_t)tag;
    bool own_first = local->world[0] < other->world[0];
    seed = XXH3_64bits_withSeed(own_first ? own_name : other_name, sizeof own_name, seed);
    return XXH3_64bits_withSeed(own_first ? other_name : own_name, sizeof own_name, seed);
}

/* What only the leader's arguments say is checked only there. */
static int check_leader(const struct caller *caller, MPI_Comm handle, int remote_leader, int tag, struct communicator **peers) {
    int error = check_communicator(caller, handle, peers);
    if (error == MPI_SUCCESS)
        error = check_send_peer(caller, *peers, remote_leader, tag);
    if (error == MPI_SUCCESS && remote_leader == MPI_PROC_NULL)
        return reject(caller, handle, MPI_ERR_RANK, "MPI_PROC_NULL as the remote leader");
    return error;
}

EXPORT(Intercomm_create)
int MPI_Intercomm_create(MPI_Comm local_handle, int local_leader, MPI_Comm peer_handle, int remote_leader, int tag,
                         MPI_Comm *result) {
    ENTER(Intercomm_create, local_handle, local_leader, peer_handle, remote_leader, tag, result);
    struct communicator *local;
    struct communicator *peers = NULL;
    int error = check_communicator(caller, local_handle, &local);
    if (error == MPI_SUCCESS)
        error = check_intracommunicator(caller, local);
    if (error == MPI_SUCCESS)
        error = check_root(caller, local, local_leader);
    bool leads = error == MPI_SUCCESS && local->rank == local_leader;
    if (leads)
        error = check_leader(caller, peer_handle, remote_leader, tag, &peers);
    if (error != MPI_SUCCESS)
        return error;
    struct introduction *other = introduce(local);
    if (leads)
        error = exchange(caller, peers, remote_leader, tag, other);
    spread(caller, local, local_leader, other);
    require_disjoint(caller, local, other);
    struct members members = {local->world, local->size, other->world, other->size};
    *result = communicator_make_carrier(local);
    communicator_create_from(name_pair(local, other, tag), *result, &members);
    communicator_count_creation(local);
    free(other);
    return error;
}

/* What a group says of `high`: all of its members, which are these ranks of MPI_COMM_WORLD, must say the same. */
static bool group_is_high(const struct collective *collective, struct collective_answer *answer, const int *world, int size,
                          int (*number)(const struct communicator *communicator, int rank)) {
    bool high = false;
    for (int i = 0; i < size; i++) {
        struct collective_part part = collective_part(answer, number(collective->communicator, i));
        bool says = *(const char *)part.bytes != 0;
        if (i > 0 && says != high)
            collective_mismatch(collective, world[i] == rank_number() ? world[0] : world[i],
                                "ranks %d and %d of one group called %s with different values of high", world[0], world[i],
                                function_name(collective->caller.function));
        high = says;
    }
    return high;
}

/* If both groups say the same, the order is open: the group that is first towards the explorer comes first. */
EXPORT(Intercomm_merge)
int MPI_Intercomm_merge(MPI_Comm handle, int high, MPI_Comm *result) {
    ENTER(Intercomm_merge, handle, high, result);
    struct communicator *parent;
    int error = check_inter(caller, handle, &parent);
    if (error != MPI_SUCCESS)
        return error;
    struct collective collective = collective_of_all(caller, parent);
    collective.pattern = WIRE_BOTH_GROUPS;
    collective_enter(&collective, 1);
    *(char *)rank_add_part(1) = high != 0;
    struct collective_answer answer = collective_leave(&collective);
    communicator_count_creation(parent);
    bool own = group_is_high(&collective, &answer, parent->world, parent->size, communicator_union_own);
    bool other = group_is_high(&collective, &answer, parent->remote, parent->remote_size, communicator_union_remote);
    bool own_first = own == other ? !parent->is_second : other;
    int *world = malloc(((size_t)parent->size + (size_t)parent->remote_size) * sizeof *world);
    memcpy(world + (own_first ? 0 : parent->remote_size), parent->world, (size_t)parent->size * sizeof *world);
    memcpy(world + (own_first ? parent->size : 0), parent->remote, (size_t)parent->remote_size * sizeof *world);
    struct members members = {.world = world, .size = parent->size + parent->remote_size};
    *result = communicator_make_carrier(parent);
    communicator_create(parent, *result, &members, 0);
    free(world);
    return MPI_SUCCESS;
}
