#include "models/mpi/preload/process/page_rights.h"

#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <string.h>
#include <sys/mman.h>

enum { PIECES_MOST = 512 };

/* Ascending, and apart from each other. What is in none may be read and written. On pages of its own, so that what each step
 * changes stays on few. */
static struct {
    struct piece {
        uintptr_t start, end;
        uint64_t protection; /* PROT_NONE or PROT_READ */
    } piece[PIECES_MOST];
    uint32_t pieces;
} __attribute__((aligned(PAGE_BYTES))) rights;

static void remove_piece(uint32_t at) {
    rights.pieces--;
    memmove(&rights.piece[at], &rights.piece[at + 1], (rights.pieces - at) * sizeof *rights.piece);
    memset(&rights.piece[rights.pieces], 0, sizeof *rights.piece);
}

static bool add_piece(const struct piece *piece) {
    if (rights.pieces == PIECES_MOST)
        return false;
    uint32_t at = rights.pieces++;
    for (; at > 0 && rights.piece[at - 1].start > piece->start; at--)
        rights.piece[at] = rights.piece[at - 1];
    rights.piece[at] = *piece;
    return true;
}

/* Leaves what is outside of the pieces that lie there. */
static bool clear(uintptr_t start, uintptr_t end) {
    bool room = true;
    for (uint32_t i = 0; i < rights.pieces;) {
        const struct piece piece = rights.piece[i];
        if (piece.end <= start || piece.start >= end) {
            i++;
            continue;
        }
        image_unprotect(&control->image, piece.start, piece.end);
        remove_piece(i);
        if (piece.start < start)
            room &= add_piece(&(struct piece){piece.start, start, piece.protection});
        if (piece.end > end)
            room &= add_piece(&(struct piece){end, piece.end, piece.protection});
        i = 0;
    }
    return room;
}

/* Pieces that touch each other become one, however they were made. */
static void merge(void) {
    for (uint32_t i = 1; i < rights.pieces;) {
        struct piece *before = &rights.piece[i - 1];
        if (before->end == rights.piece[i].start && before->protection == rights.piece[i].protection) {
            before->end = rights.piece[i].end;
            remove_piece(i);
        } else {
            i++;
        }
    }
}

/* A fault on the way would have them applied while they change. */
static void will_change(void) { make_writable((uintptr_t)&rights, sizeof rights); }

bool page_rights_set(uintptr_t start, uintptr_t end, int protection) {
    will_change();
    bool room = clear(start, end);
    if (!(protection & PROT_WRITE) && start < end)
        room &= add_piece(&(struct piece){start, end, (uint64_t)protection & PROT_READ});
    merge();
    page_rights_apply();
    return room;
}

void page_rights_forget(uintptr_t start, uintptr_t end) {
    if (rights.pieces == 0)
        return;
    will_change();
    clear(start / PAGE_BYTES * PAGE_BYTES, (end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    page_rights_apply();
}

void page_rights_apply(void) {
    for (uint32_t i = 0; i < rights.pieces; i++)
        image_restrict(&control->image, rights.piece[i].start, rights.piece[i].end, (int)rights.piece[i].protection);
}

void page_rights_lift(void) {
    for (uint32_t i = 0; i < rights.pieces; i++)
        image_unprotect(&control->image, rights.piece[i].start, rights.piece[i].end);
}

bool page_rights_forbid(uintptr_t address, bool writes) {
    uint32_t i = 0;
    while (i < rights.pieces && rights.piece[i].end <= address)
        i++;
    return i < rights.pieces && rights.piece[i].start <= address && (writes || !(rights.piece[i].protection & PROT_READ));
}
