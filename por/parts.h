/* Proof by parts: explores each rank alone, at the sum instead of the product of the ranks' states (Schaeli 2009, chapter 4.4). One run
 * says which messages there are; then each rank is explored on its own with the messages that this run had for it, in every order
 * that might be. If it gives the same messages and ends in the same way in all of them, that is true of the whole program.
 *
 * A rank gives *gifts*: messages, each to one rank, and its entries into meetings (collectives), which each member leaves. Gifts come in
 * lines, one after the other: a line of messages has one giver and one taker. An *event* is that a rank takes a message
 * or leaves a meeting. Of each gift it is known which of its giver's events it needs: those before it in every order of the giver's
 * graph (its causes). A rank that is explored alone may take a message only after those of its own events that the message
 * needs, by way of other ranks' events. Causes are first those of the run; what an exploration shows not to be needed is left
 * out, and the exploration done again, until they agree. The argument:
 *
 *  - Nothing is missed. Take any ordering of the program up to some event, and assume that each rank's part of it is a path of its graph
 *    up to there. The next event is that rank r takes message m. Its giver's part is a path on which m is given, so m's causes precede it
 *    there; by the same argument at the ranks they came from, r's events that m needs are done. So r's graph has this event as well.
 *    Whatever else the rank could be told (that its sends are complete, that a meeting is over) its graph has at any time.
 *
 *  - Nobody gets stuck. The run puts the messages' being taken and the meetings into an order; an *early* one is before another in
 *    it. Call a state of a rank's graph in which the rank waits good if there is something that it waits for (the earliest message that
 *    it would take; or the latest of its own messages that a synchronous sender might wait for; or its meeting) such that every gift it has not
 *    given yet belongs to something later, and every message not yet taken is later or would be taken. All states are checked to be good.
 *    Suppose that the program is stuck, and let e be the earliest message not taken or meeting not complete. What a rank waits for is no earlier
 *    than e, so each rank has given its gifts for e, as those not given are later. If e is a message its taker would take it, as it is not
 *    later; if it is a meeting all have entered it. So the program is not stuck; if nothing is left, all ranks have ended.
 *    Each rank's graph is finite and without cycles, so no ordering is endless.
 *
 *  - All ends of a rank's graph are alike, so all orderings end alike.
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
    /* False: gives up. */
    bool (*stand)(void *self, unsigned rank, uint32_t state, struct part_stand *stand);
    /* Would the rank take this message? By which of its open receives, as a small number; PART_SEES: it is looking for such a message
     * and will only be told of it; PART_NONE: no. */
    uint32_t (*takes)(void *self, unsigned rank, uint32_t state, uint32_t content);
    /* Does whatever takes or sees one of these messages, of one line, do so with the other? */
    bool (*alike)(void *self, uint32_t content, uint32_t other);
    /* Of a line of entries: how many ranks take part. */
    uint32_t (*members)(void *self, uint32_t line);
    /* Must `other` have entered before the rank with this entry can leave? If in doubt no. */
    bool (*needs)(void *self, uint32_t content, unsigned other);
    /* Asked once, about all that a rank gives: may all of it be under way at once? False: gives up. */
    bool (*fits)(void *self, unsigned rank, const uint32_t *content, size_t contents);
    /* Asked now and then: give up? */
    bool (*stop)(void *self);
};

struct parts_statistics {
    uint64_t states, transitions; /* of all graphs, in the last round */
    uint64_t deliveries;          /* messages taken and meetings left in them */
    unsigned rounds;              /* explorations until causes agreed */
    size_t messages, meetings;
    uint64_t bytes; /* at most held */
};

/* True: proved. False: the model gave up, or `why` says what stood in the way. */
bool parts_prove(const struct parts_model *model, uint64_t most_states, struct parts_statistics *statistics, char *why,
                 size_t room);

#endif
