/* What the owner of a window sends of it in an epoch of fences or of post (MPI-3.1 section 11.7). Another process's access may come
 * after that, if its origin has heard of it before it made the access. One whose origin has heard nothing since the epoch began may
 * come at any time, so it must not change what is sent; nor may one whose origin has heard nothing but that all have entered some
 * barrier what is sent after that, nor anybody's what is sent when the owner says nothing more to others in the epoch.
 *
 * An origin does not know when its target posts. But nothing that it knows can have come after that if it has heard nothing
 *
 *     since its last MPI_Win_complete with this target, which the post waited for, since a fence, or since the window was made; or
 *     since a barrier, or any other blocking collective that nobody leaves before all have entered, by any communicator that has all
 *     members, if the target posted after the same one: if so many followed until the origin's MPI_Win_complete as the target has
 *     entered since its post.
 *
 * What MPI_Win_start waits for says nothing that may be relied on: it need not wait.
 *
 * Phases tell what goes on at the same time under locks. A phase ends for a member when it leaves a barrier of all members or such
 * a fence: nobody is in the next one yet while another is in the one before. So what somebody did in a phase that has ended is over
 * for who is in the next one, and of what somebody does in the same phase a member knows nothing that has heard nothing in it. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_TOLD_H
#define MODELS_MPI_PRELOAD_WINDOW_TOLD_H

#include "models/mpi/preload/windows/windows.h"

enum {
    HEARD_NOTHING = 0,
    HEARD_BARRIER,    /* ... since a barrier; and one more for each barrier that followed */
    HEARD_MOST = 30,  /* so many, or more */
    HEARD_MORE = 128, /* in an epoch of fences: added to the barriers left in it if something else was heard since the last */
    HEARD_SOMETHING = 255,
};

/* Is any of what is sent to be noted? */
bool told_wanted(void);
/* An access under a lock, of somebody who was in the phase `phase`, has reached the window: may it still be in progress, as far as
 * this process can know, which is the window's owner? */
bool told_may_go_on(const struct window *window, uint8_t phase);
/* The same number comes again after some phases. So that what was done in one phase is not taken for what is done in a later one, a
 * window's owner asks for others' accesses before that: has it not for so long? What was done in `phase` is then over for it. */
bool told_must_ask(const struct window *window);
bool told_is_over(uint8_t phase, uint8_t now);
/* Phases as a set, a bit each: this one; all but the one after it. */
uint16_t told_phase(uint8_t phase);
uint16_t told_phases_but_next(uint8_t phase);
/* How many barriers of all its members the window's owner had left in the epoch when somebody was in `phase` of `other`, a window of
 * the same members: UINT8_MAX if that is not known. */
uint8_t told_barriers_before(const struct window *window, const struct window *other, uint8_t phase);
/* May others hear something by this operation? Not by a receive, a message to itself, nor by entering a collective that brings
 * only this process something: a broadcast whose root it is not, or a gather whose root it is. */
bool told_gives(const struct wire_operation *operation);
/* ... nor by a receive, unless it is one of a message that is sent synchronously, which is not known before it is received? Where
 * ranks announce accesses it makes no difference; where they cannot (window_announced.h), it counts as nothing. */
bool told_may_give(const struct wire_operation *operation);
/* A call of the program sends `given`, and the process issues an operation. */
void told_note(const struct caller *caller, const struct footprint *given);
void told_said(const struct wire_operation *operation);
/* What was noted last was sent by an operation that had been issued. */
void told_said_before(void);
/* Others have changed memory of a window that the program may load. */
void told_of_changes(void);
/* The program goes on, and may have heard something from others: by such changes, or as a call of it is `answered`
 * (passive_is_told). */
void told_heard(bool answered);
/* ... no more than what all members of the communicator knew when they entered a collective that needs all. */
void told_barrier(const struct communicator *communicator);
/* It enters such a collective. Is it in one now that ends a phase of the window? */
void told_enters_barrier(const struct communicator *communicator);
bool told_leaves_barrier(const struct window *window);
/* What is to be noted with an access to `target` that is made now: in an epoch of start what has been heard, one of the above;
 * under a lock the phase; in an epoch of fences what told_judge makes of it. */
uint8_t told_of(const struct window *window, int target);
/* ... as a number of barriers of the epoch, or PIECE_HEARD if that is not all; and how many these are at least. */
uint8_t told_since(uint8_t heard);
uint8_t told_barriers(uint8_t heard);
bool told_more(uint8_t heard);
/* MPI_Win_complete has ended an epoch with its targets. */
void told_complete(struct window *window);
/* The epoch of a post has ended that brought these accesses: of each it becomes known how many barriers of all its owner had left
 * in it so that the origin had heard nothing that was said after these. PIECE_HEARD: it had, or it is not known. */
void told_judge(const struct window *window, char *batch, size_t size);

/* The call that sent some of the bytes from `from` to before `to` in this epoch so that an access that has `heard` this, as above,
 * may have come before; NULL: there is none. */
const struct caller *told_find(const struct window *window, uintptr_t from, uintptr_t to, uint8_t heard);
/* Has any call sent some of them in this epoch? */
bool told_ever(const struct window *window, uintptr_t from, uintptr_t to);

/* A fence, or a post, begins an epoch, or the window has just been made by all. What others do in it comes after: they may not
 * access the window before its owner has called that. */
void told_begin(struct window *window);
/* Frees what is noted. */
void told_forget(struct window *window);

#endif
