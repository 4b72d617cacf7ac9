/* Proof by parts: explores each rank alone, at the sum instead of the product of the ranks' states (Schaeli 2009, chapter 4.4). One
 * run says which messages there are; then each rank is explored on its own with the messages that this run had for it, in every
 * order that might be. If it gives the same messages and ends in the same way in all of them, that is true of the whole program.
 *
 * A rank gives *gifts*: messages, each to one rank, and its entries into meetings (collectives), which each member leaves. Gifts
 * come in lines; a line of messages has one giver and one taker. An *event* is that a rank takes a message or leaves a meeting. The
 * *pasts* of a gift are sets of events of all ranks: whenever it is given, one of them has happened. A rank that is explored alone
 * may take a message only if its own part of one of the message's pasts is done: these events of its own, and that it has given
 * what others take there. At first each gift has the past that it had in the run. Whenever an exploration gives it after less, it
 * has that past too; what then was explored with too few is explored again, until nothing is new. The argument:
 *
 *  - Nothing is missed. Take any ordering of the program up to some event, and assume that each rank's part of it is a path of its graph
 *    up to there, and that each gift was given after one of its pasts. Let the next event be that rank r takes message m. One of m's pasts has
 *    happened, so r's part of that is done, and r's graph has the event as well. What r then gives it gives in its graph, after
 *    the events of its path and what these need; that these are a past of the gift, or more than one, is what its exploration has checked.
 *    Whatever else a rank is told (that its sends are complete, that a meeting is over) its graph has whenever it could be. That a meeting
 *    is over which the rank does not ask about yet comes there when it does: nobody can tell.
 *
 *  - Nobody gets stuck. The run puts the taking of messages and the meetings into an order; one is *earlier* than another in it. In a state
 *    of its graph a rank may wait for messages, of which it would take the first to come; for one of its own to be taken, as synchronous sends
 *    do; or for a meeting. Let what it waits for be the earliest of these (of its own messages that it may be waiting for, the latest). Call the
 *    state good if every gift that it has not given yet belongs to something later, and every message that it has not taken yet is later or would
 *    be taken. All states in which a rank waits are checked to be good, but those in which it would take a message that a probe has told it of.
 *    Suppose that the program is stuck, and let e be the earliest message not taken or meeting not complete. No rank waits for
 *    anything earlier than e: messages that it would take have not been taken; of its own messages that it waits for one has not; its meeting is not
 *    complete. So each rank has given its gifts for e, as those not given are later. If e is a message its taker would take it, or one that comes
 *    before it in its line, as it is not later; if it is a meeting all have entered it. So the program is not stuck; if nothing is left, all
 *    ranks have ended.
 *
 *  - It can always end. A rank that polls may be told again and again that there is nothing yet. There is one such move from a state, so these
 *    moves lead to a state in which the rank waits, or go round for ever. Other rounds there are none, so a rank can make only so many other
 *    moves. Assume that none is possible any more, wherever ranks go by being told that there is nothing yet. A rank that goes round so is like one
 *    that waits: for the messages that it would take somewhere on the round, and for those of its own that it asks about; this is checked to be
 *    good like a state. By the argument above e would be taken by a rank that waits or comes to where it takes e. So from wherever the
 *    program is there is a way to its end.
 *
 *  - All ends of a rank's graph are alike, so all orderings end alike.
 *
 * What a rank waits for orders its gifts too: once it has been told that a message of its own was taken, as synchronous sends
 * tell, that event has happened, and is in the pasts of what it gives from then on.
 *
 * It proves or gives up; it finds no errors. */
#ifndef POR_PARTS_H
#define POR_PARTS_H

#include "models/part.h"

/* The ranks. State numbers are the model's own, for each rank apart. */
struct parts_model {
    void *self;
    unsigned ranks;
    /* Makes the move and all that follows without doubt. False: gives up. */
    bool (*move)(void *self, unsigned rank, uint32_t state, const struct part_move *move, uint32_t *reached,
                 const struct part_gift **gift, size_t *gifts);
    /* Says that the move will be made soon. May do nothing, or be NULL. */
    void (*expect)(void *self, unsigned rank, uint32_t state, const struct part_move *move);
    /* False: gives up. */
    bool (*stand)(void *self, unsigned rank, uint32_t state, struct part_stand *stand);
    /* Would the rank take this message? By which of its open receives, as a small number; PART_SEES: it is looking for such a
     * message and will only be told of it; PART_NONE: no. */
    uint32_t (*takes)(void *self, unsigned rank, uint32_t state, uint32_t content);
    /* Of a line of entries: how many ranks take part. */
    uint32_t (*members)(void *self, uint32_t line);
    /* How many synchronous messages of this content has the rank given of which it does not know yet that they were taken? */
    uint32_t (*unreleased)(void *self, unsigned rank, uint32_t state, uint32_t content);
    /* Has a receive that names its source taken such a message, and has the rank not been told yet? If in doubt no. */
    bool (*unnoticed)(void *self, unsigned rank, uint32_t state, uint32_t content);
    /* Must `other` have entered before the rank with this entry can leave? If in doubt no. */
    bool (*needs)(void *self, uint32_t content, unsigned other);
    /* Asked once, about all that a rank gives: may all of it be under way at once? False: gives up. */
    bool (*fits)(void *self, unsigned rank, const uint32_t *content, size_t contents);
    /* Asked now and then, with the bytes that are held: give up? */
    bool (*stop)(void *self, uint64_t bytes);
};

struct parts_statistics {
    uint64_t states, transitions; /* of all graphs, in the last round */
    uint64_t deliveries;          /* messages taken and meetings left in them */
    unsigned rounds;              /* explorations until causes agreed */
    size_t messages, meetings;
};

/* True: proved. False: the model gave up, or `why` says what stood in the way. */
bool parts_prove(const struct parts_model *model, uint64_t most_states, struct parts_statistics *statistics, char *why,
                 size_t room);

/* Is the program proved as it is without what is loose (models/part.h), and does that order no messages? Then in every ordering of
 * it the messages could be taken as they are if nothing were loose. For: put back into the ordering that loose messages are taken
 * before their giver goes on, and that all enter loose meetings before any leaves. What precedes what in it, by messages, meetings
 * and what ranks do one after the other, is either still a partial order: then the ranks can act in the order of that, and each
 * receive takes what it took. Or something that follows from the going on precedes the taking; or something that follows from one's
 * leaving, another one's entering. Neither is so in any ordering if it is not in what precedes each event in any order of its rank,
 * all orders and ranks together. */
bool parts_prove_useless(const struct parts_model *model, uint64_t most_states, char *why, size_t room);

#endif
