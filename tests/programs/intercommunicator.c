/* Two groups, the odd ranks and the even ones, and all that can be done over the intercommunicator between them: questions,
 * messages, every collective in both directions, duplicates and parts of it. Results against values computed by hand: process p
 * of either group is number `rank` of `own` there, the other group has `others`; even processes contribute positive numbers,
 * odd ones negative ones. */
/* explore: ranks=4 verdict=race-free buffering=none */
/* explore: ranks=5 verdict=race-free buffering=infinite */
/* explore: ranks=3 verdict=race-free */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

enum { MOST = 8 };

static int world_rank, rank, own, others, odd;
static MPI_Comm bridge;

/* What number `n` of the other group brings. */
static int theirs(int n) { return odd ? 10 + n : -(10 + n); }
static int mine(void) { return odd ? -(10 + rank) : 10 + rank; }

static int sum_of_theirs(void) {
    int sum = 0;
    for (int i = 0; i < others; i++)
        sum += theirs(i);
    return sum;
}

static void questions(void) {
    int flag, size, remote, relation, group_size, position;
    MPI_Group group, world;
    MPI_Comm parent;
    MPI_Comm_test_inter(bridge, &flag);
    assert(flag);
    MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
    assert(!flag);
    MPI_Comm_size(bridge, &size);
    MPI_Comm_remote_size(bridge, &remote);
    assert(size == own && remote == others);
    MPI_Comm_compare(bridge, MPI_COMM_WORLD, &relation);
    assert(relation == MPI_UNEQUAL);
    MPI_Comm_compare(bridge, bridge, &relation);
    assert(relation == MPI_IDENT);
    MPI_Comm_remote_group(bridge, &group);
    MPI_Group_size(group, &group_size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int first = 0;
    MPI_Group_translate_ranks(group, 1, &first, world, &position);
    assert(group_size == others && position == !odd);
    MPI_Group_free(&group);
    MPI_Comm_group(bridge, &group);
    MPI_Group_rank(group, &position);
    assert(position == rank);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Comm_get_parent(&parent);
    assert(parent == MPI_COMM_NULL);
}

/* Each with its like of the other group; where there is none, nobody. The wildcard's status names a rank of that group. */
static void messages(void) {
    int value = mine(), got = 0, partner = rank < others ? rank : MPI_PROC_NULL;
    MPI_Status status;
    MPI_Sendrecv(&value, 1, MPI_INT, partner, 3, &got, 1, MPI_INT, partner, 3, bridge, &status);
    assert(partner == MPI_PROC_NULL || (got == theirs(rank) && status.MPI_SOURCE == rank));
    MPI_Request request;
    if (partner == MPI_PROC_NULL)
        return;
    MPI_Isend(&value, 1, MPI_INT, partner, 4, bridge, &request);
    MPI_Probe(MPI_ANY_SOURCE, 4, bridge, &status);
    assert(status.MPI_SOURCE == rank);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, bridge, &status);
    assert(got == theirs(rank) && status.MPI_SOURCE == rank);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Number 0 of the group with `odd` == root_odd is the root; in its group all others have no part. */
static void rooted(int root_odd) {
    int in_root_group = odd == root_odd;
    int root = in_root_group ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
    int value = root == MPI_ROOT ? 77 : 0, sum = 0, all[MOST], counts[MOST], places[MOST], given[MOST], got = -1;
    int contribution = mine();
    MPI_Request request;
    for (int i = 0; i < MOST; i++) {
        all[i] = -1;
        counts[i] = 1;
        places[i] = MOST - 1 - i;
        given[i] = 50 + i;
    }
    MPI_Bcast(&value, 1, MPI_INT, root, bridge);
    assert(value == (root == MPI_PROC_NULL ? 0 : 77));
    value = root == MPI_ROOT ? 88 : 0;
    MPI_Ibcast(&value, 1, MPI_INT, root, bridge, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    assert(value == (root == MPI_PROC_NULL ? 0 : 88));
    MPI_Reduce(&contribution, &sum, 1, MPI_INT, MPI_SUM, root, bridge);
    assert(sum == (root == MPI_ROOT ? sum_of_theirs() : 0));
    MPI_Gather(&contribution, 1, MPI_INT, all, 1, MPI_INT, root, bridge);
    for (int i = 0; i < MOST; i++)
        assert(all[i] == (root == MPI_ROOT && i < others ? theirs(i) : -1));
    MPI_Gatherv(&contribution, 1, MPI_INT, all, counts, places, MPI_INT, root, bridge);
    for (int i = 0; root == MPI_ROOT && i < others; i++)
        assert(all[MOST - 1 - i] == theirs(i));
    MPI_Scatter(given, 1, MPI_INT, &got, 1, MPI_INT, root, bridge);
    assert(got == (in_root_group ? -1 : 50 + rank));
    MPI_Scatterv(given, counts, places, MPI_INT, &got, 1, MPI_INT, root, bridge);
    assert(got == (in_root_group ? -1 : 50 + MOST - 1 - rank));
}

static void unrooted(void) {
    int value = mine(), all[MOST], given[MOST], sum = 0;
    MPI_Request request[2];
    MPI_Barrier(bridge);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, bridge);
    assert(sum == sum_of_theirs());
    MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, bridge);
    for (int i = 0; i < others; i++)
        assert(all[i] == theirs(i));
    for (int i = 0; i < others; i++)
        given[i] = 100 * value + i;
    MPI_Alltoall(given, 1, MPI_INT, all, 1, MPI_INT, bridge);
    for (int i = 0; i < others; i++)
        assert(all[i] == 100 * theirs(i) + rank);
    sum = 0;
    MPI_Ibarrier(bridge, &request[0]);
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, bridge, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    assert(sum == sum_of_theirs());
    /* own * others elements: each of this group gets `others` of them, and each of the other group `own`. */
    int long_input[MOST * MOST], part[MOST];
    for (int i = 0; i < own * others; i++)
        long_input[i] = value + i;
    MPI_Reduce_scatter_block(long_input, part, others, MPI_INT, MPI_SUM, bridge);
    for (int i = 0; i < others; i++)
        assert(part[i] == sum_of_theirs() + others * (rank * others + i));
}

static void descendants(void) {
    MPI_Comm copy, pairs, chosen;
    int relation, size, remote, sum = 0, one = 1;
    MPI_Comm_dup(bridge, &copy);
    MPI_Comm_compare(bridge, copy, &relation);
    assert(relation == MPI_CONGRUENT);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
    assert(sum == others);
    MPI_Comm_free(&copy);
    /* Number n of one group with number n of the other; who has no like gets nothing. */
    MPI_Comm_split(bridge, rank, 0, &pairs);
    assert((pairs == MPI_COMM_NULL) == (rank >= others));
    if (pairs != MPI_COMM_NULL) {
        MPI_Comm_size(pairs, &size);
        MPI_Comm_remote_size(pairs, &remote);
        assert(size == 1 && remote == 1);
        int value = mine(), got = 0;
        MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, pairs, MPI_STATUS_IGNORE);
        assert(got == theirs(rank));
        MPI_Comm_free(&pairs);
    }
    MPI_Group group, first;
    const int zero = 0;
    MPI_Comm_group(bridge, &group);
    MPI_Group_incl(group, 1, &zero, &first);
    MPI_Comm_create(bridge, first, &chosen);
    assert((chosen == MPI_COMM_NULL) == (rank > 0));
    if (chosen != MPI_COMM_NULL) {
        MPI_Comm_remote_size(chosen, &remote);
        assert(remote == 1);
        MPI_Comm_free(&chosen);
    }
    MPI_Group_free(&first);
    MPI_Group_free(&group);
}

static void merged(void) {
    MPI_Comm all;
    int position, size, lowest;
    MPI_Intercomm_merge(bridge, !odd, &all); /* the odd ones come first */
    MPI_Comm_rank(all, &position);
    MPI_Comm_size(all, &size);
    assert(size == own + others && position == (odd ? rank : others + rank));
    lowest = world_rank;
    MPI_Bcast(&lowest, 1, MPI_INT, 0, all);
    assert(lowest == 1);
    MPI_Comm_free(&all);
}

/* How the bridge compares with another one, of our group in this order and the other's part of it. */
static int compared_with(MPI_Comm local, int leader, int remote_leader) {
    int relation;
    MPI_Comm other;
    MPI_Intercomm_create(local, leader, MPI_COMM_WORLD, remote_leader, 13, &other);
    MPI_Comm_compare(bridge, other, &relation);
    MPI_Comm_free(&other);
    return relation;
}

/* Both groups count. The odd ones are turned round first, then the even ones, of whom the odd ones' first is all that takes part. */
static void relations(MPI_Comm half) {
    MPI_Comm turned, first;
    int odds = odd ? own : others;
    MPI_Comm_split(half, 0, -rank, &turned);
    MPI_Comm_split(half, rank == 0 ? 0 : MPI_UNDEFINED, 0, &first);
    int relation = compared_with(odd ? turned : half, 0, odd ? 0 : 2 * odds - 1);
    assert(relation == (odds > 1 ? MPI_SIMILAR : MPI_CONGRUENT));
    if (!odd) {
        relation = compared_with(turned, own - 1, 1);
        assert(relation == (odds > 1 ? MPI_UNEQUAL : own > 1 ? MPI_SIMILAR : MPI_CONGRUENT));
    } else if (first != MPI_COMM_NULL) {
        relation = compared_with(first, 0, 0);
        assert(relation == (odds > 1 ? MPI_UNEQUAL : others > 1 ? MPI_SIMILAR : MPI_CONGRUENT));
    }
    if (first != MPI_COMM_NULL)
        MPI_Comm_free(&first);
    MPI_Comm_free(&turned);
}

int main(int argc, char **argv) {
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    odd = world_rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, odd, 0, &half);
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &own);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !odd, 12, &bridge);
    MPI_Comm_remote_size(bridge, &others);
    questions();
    relations(half);
    messages();
    rooted(0);
    rooted(1);
    unrooted();
    descendants();
    merged();
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
