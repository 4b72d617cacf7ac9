#include "tests/oracle/network.h"

#include <string.h>

/* Is the message still on its way, for anyone to receive? */
static bool in_flight(const struct sent *sent) { return !sent->matched && !sent->cancelled && sent->claim == NO_CLAIM; }

static bool is_open(const struct posted *posted) { return !posted->matched && !posted->cancelled; }

static bool accepts(const struct posted *posted, unsigned from, const struct sent *sent) {
    return posted->comm == sent->comm && (posted->source == PEER_ANY || posted->source == (int)from) &&
           (posted->tag == TAG_ANY || posted->tag == sent->tag);
}

/* Does a receive posted before number `before` at rank `to` take the message? Then a later one cannot (3.5, order). */
static bool is_taken_earlier(const struct network *network, unsigned from, unsigned s, unsigned to, unsigned before) {
    const struct rank_state *receiver = &network->rank[to];
    for (unsigned r = 0; r < before; r++)
        if (is_open(&receiver->posted[r]) && accepts(&receiver->posted[r], from, &network->rank[from].sent[s]))
            return true;
    return false;
}

bool network_may_match(const struct network *network, unsigned from, unsigned s, unsigned to, unsigned r) {
    const struct rank_state *sender = &network->rank[from];
    const struct posted *posted = &network->rank[to].posted[r];
    if (sender->sent[s].to != to || !in_flight(&sender->sent[s]) || !is_open(posted) ||
        !accepts(posted, from, &sender->sent[s]))
        return false;
    /* Messages do not overtake: an earlier one that this receive would take goes first. */
    for (unsigned earlier = 0; earlier < s; earlier++)
        if (sender->sent[earlier].to == to && in_flight(&sender->sent[earlier]) &&
            accepts(posted, from, &sender->sent[earlier]))
            return false;
    return !is_taken_earlier(network, from, s, to, r);
}

int network_find(const struct network *network, unsigned to, unsigned from, int tag, unsigned comm) {
    const struct rank_state *sender = &network->rank[from];
    for (unsigned s = 0; s < sender->sends; s++) {
        const struct sent *sent = &sender->sent[s];
        if (sent->to != to || sent->comm != comm || !in_flight(sent) || (tag != TAG_ANY && tag != sent->tag))
            continue;
        /* The first such message is what the receive would get, unless a receive already posted is to get it: then
         * that one is matched first, and the next message is looked at after that. */
        return is_taken_earlier(network, from, s, to, network->rank[to].receives) ? -1 : (int)s;
    }
    return -1;
}

bool network_is_ready(const struct network *network, unsigned from, unsigned to, int tag, unsigned comm) {
    const struct rank_state *sender = &network->rank[from], *receiver = &network->rank[to];
    const struct sent message = {.to = (uint8_t)to, .comm = (uint8_t)comm, .tag = (int8_t)tag};
    int left = 0;
    for (unsigned r = 0; r < receiver->receives; r++)
        left += is_open(&receiver->posted[r]) && accepts(&receiver->posted[r], from, &message);
    for (unsigned s = 0; s < sender->sends; s++)
        left -= sender->sent[s].to == to && sender->sent[s].comm == comm && sender->sent[s].tag == tag &&
                in_flight(&sender->sent[s]);
    return left > 0;
}

unsigned network_attached(const struct rank_state *rank) {
    unsigned attached = 0;
    for (unsigned s = 0; s < rank->sends; s++)
        attached += rank->sent[s].attached && !rank->sent[s].matched && !rank->sent[s].cancelled;
    return attached;
}

/* After MPI_Cancel a send completes normally only if its message was received (3.8.4), buffered or not. */
bool sent_is_complete(const struct sent *sent) {
    if (sent->matched || sent->cancelled)
        return true;
    return sent->cancelling ? sent->claim != NO_CLAIM : !sent->synchronous;
}
bool posted_is_complete(const struct posted *posted) { return posted->matched || posted->cancelled; }

/* Removes the send if both sides are done with it. */
static void drop_send(struct rank_state *rank, unsigned s) {
    const struct sent *sent = &rank->sent[s];
    if (sent->owner != OWNER_NOBODY || (!sent->matched && !sent->cancelled))
        return;
    rank->sends--;
    memmove(&rank->sent[s], &rank->sent[s + 1], (rank->sends - s) * sizeof *sent);
    memset(&rank->sent[rank->sends], 0, sizeof *sent);
}

static void drop_receive(struct rank_state *rank, unsigned r) {
    const struct posted *posted = &rank->posted[r];
    if (posted->owner != OWNER_NOBODY || !posted_is_complete(posted))
        return;
    rank->receives--;
    memmove(&rank->posted[r], &rank->posted[r + 1], (rank->receives - r) * sizeof *posted);
    memset(&rank->posted[rank->receives], 0, sizeof *posted);
}

void network_match(struct network *network, unsigned from, unsigned s, unsigned to, unsigned r) {
    struct posted *posted = &network->rank[to].posted[r];
    posted->matched = 1;
    posted->sender = (uint8_t)from;
    posted->value = network->rank[from].sent[s].value;
    network->rank[from].sent[s].matched = 1;
    drop_receive(&network->rank[to], r);
    drop_send(&network->rank[from], s);
}

void network_receive_claimed(struct network *network, unsigned from, unsigned s) {
    network->rank[from].sent[s].matched = 1;
    network->rank[from].sent[s].claim = NO_CLAIM;
    drop_send(&network->rank[from], s);
}

bool network_may_cancel_send(const struct sent *sent) { return sent->cancelling && in_flight(sent); }

bool network_may_cancel_receive(const struct posted *posted) { return posted->cancelling && is_open(posted); }

void network_cancel_send(struct rank_state *rank, unsigned s) {
    rank->sent[s].cancelled = 1;
    drop_send(rank, s);
}

void network_cancel_receive(struct rank_state *rank, unsigned r) {
    rank->posted[r].cancelled = 1;
    drop_receive(rank, r);
}

int network_send_of(const struct rank_state *rank, unsigned owner) {
    for (unsigned s = 0; s < rank->sends; s++)
        if (rank->sent[s].owner == owner)
            return (int)s;
    return -1;
}

int network_receive_of(const struct rank_state *rank, unsigned owner) {
    for (unsigned r = 0; r < rank->receives; r++)
        if (rank->posted[r].owner == owner)
            return (int)r;
    return -1;
}

void network_disown_send(struct rank_state *rank, unsigned s) {
    rank->sent[s].owner = OWNER_NOBODY;
    drop_send(rank, s);
}

void network_disown_receive(struct rank_state *rank, unsigned r) {
    rank->posted[r].owner = OWNER_NOBODY;
    drop_receive(rank, r);
}
