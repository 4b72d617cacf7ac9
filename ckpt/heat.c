#include "ckpt/heat.h"

#include "ckpt/raw_syscall.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum {
    EPOCH = 16,         /* captures */
    HOT_FROM = 4,       /* dirty in so many captures of an epoch: becomes hot */
    HOT_UNTIL = 2,      /* changed in fewer captures of an epoch: is hot no more */
    PATIENCE_MOST = 4,  /* a page that was hot no more so often is looked at every 4^so often epochs */
    HOT = 0x80,         /* flag in heat[]; the rest counts captures of this epoch in which the page was dirty, if hot changed */
    SPAN_GAP = 1 << 16, /* ranges closer than this are scanned by one call: what lies between costs less than a call */
};

uint32_t heat_chunk(const struct image_range *range, uintptr_t address) {
    return range->first_chunk + (uint32_t)(address / CHUNK_BYTES - range->start / CHUNK_BYTES);
}

uint32_t heat_chunks(const struct image_range *range) {
    return (uint32_t)((range->end - 1) / CHUNK_BYTES - range->start / CHUNK_BYTES) + 1;
}

/* The part of a chunk that is open: false if there is none. */
static bool chunk_bounds(const struct image_range *range, uint32_t chunk, uintptr_t *start, uintptr_t *end) {
    uintptr_t base = (range->start / CHUNK_BYTES + (chunk - range->first_chunk)) * CHUNK_BYTES;
    *start = base > range->start ? base : range->start;
    *end = base + CHUNK_BYTES < range->open ? base + CHUNK_BYTES : range->open;
    return *start < *end;
}

bool heat_is_cold(const struct image *image, const struct image_range *range, uintptr_t address) {
    const uint32_t index = range->first + (uint32_t)((address - range->start) / PAGE_BYTES);
    return image->chunk[heat_chunk(range, address)] & CHUNK_COLD && !(image->heat[index] & HOT);
}

bool heat_warm(struct image *image, const struct image_range *range, uintptr_t address) {
    if (!heat_is_cold(image, range, address))
        return false;
    const uint32_t chunk = heat_chunk(range, address);
    uintptr_t start, end;
    image->chunk[chunk] = CHUNK_TOUCHED;
    image->spans_stale = true;
    if (chunk_bounds(range, chunk, &start, &end))
        image_protect(range, start, end - start, PROT_READ | PROT_WRITE);
    return true;
}

/* Of a chunk that is open from `start` to `end`, all pages but those that are hot, in ascending order. */
static void cool(struct image *image, const struct image_range *range, uint32_t chunk, uintptr_t start, uintptr_t end) {
    image->chunk[chunk] = CHUNK_COLD;
    image->spans_stale = true;
    for (uint32_t i = 0; i < image->hots; i++) {
        const uintptr_t hot = image_address(image, image->hot[i]);
        if (hot < start || hot >= end)
            continue;
        if (hot > start)
            image_protect(range, start, hot - start, PROT_READ);
        start = hot + PAGE_BYTES;
    }
    if (start < end)
        image_protect(range, start, end - start, PROT_READ);
}

/* --- hot pages ------------------------------------------------------------------------------------------------------- */

static void remove_hot(struct image *image, uint32_t at) {
    image->heat[image->hot[at]] = 0;
    image->hots--;
    memmove(image->hot + at, image->hot + at + 1, (image->hots - at) * sizeof *image->hot);
}

static void add_hot(struct image *image, uint32_t index) {
    if (image->hots == IMAGE_HOT || !image->tracker->leave_alone(image, index, true))
        return;
    uint32_t at = image->hots++;
    for (; at > 0 && image->hot[at - 1] > index; at--)
        image->hot[at] = image->hot[at - 1];
    image->hot[at] = index;
    image->heat[index] = HOT;
}

/* It will be found if it is written: its chunk may be cold. */
static void end_hot(struct image *image, uint32_t at) {
    const uint32_t index = image->hot[at];
    remove_hot(image, at);
    heat_warm(image, image_range_of_page(image, index), image_address(image, index));
}

void heat_forget(struct image *image) {
    while (image->hots)
        end_hot(image, image->hots - 1);
}

void heat_changed(struct image *image, uint32_t index) {
    if (image->heat[index] & HOT)
        image->heat[index]++;
}

/* Both lists ascend. The tracker knows nothing of hot pages. */
static size_t merge_hot(struct image *image, size_t count) {
    size_t from = count, hot = image->hots, to = count + hot;
    while (hot > 0) {
        if (from > 0 && image->dirty[from - 1] > image->hot[hot - 1])
            image->dirty[--to] = image->dirty[--from];
        else
            image->dirty[--to] = image->hot[--hot];
    }
    return count + image->hots;
}

/* --- epochs ---------------------------------------------------------------------------------------------------------- */

static void count_dirty(struct image *image, size_t count) {
    const struct image_range *range = NULL;
    for (size_t i = 0; i < count; i++) {
        uint32_t index = image->dirty[i];
        if (image->heat[index] & HOT)
            continue;
        if (!range || index < range->first || index >= range->first + (range->end - range->start) / PAGE_BYTES)
            range = image_range_of_page(image, index);
        uintptr_t address = range->start + (uintptr_t)(index - range->first) * PAGE_BYTES;
        image->chunk[heat_chunk(range, address)] |= CHUNK_TOUCHED;
        if (image->heat[index]++ == 0)
            image->counted[image->counteds++] = index;
    }
}

/* A hot page may be written in every step and hold what it held whenever somebody looks. That shows only when it is watched, and
 * it becomes hot again: so the next time is later. */
static void gain_patience(struct image *image, uint32_t index) {
    if (image->patience[index] < PATIENCE_MOST)
        image->patience[index]++;
}

static void set_hot_pages(struct image *image) {
    const uint64_t epoch = image->captures / EPOCH;
    for (uint32_t i = image->hots; i-- > 0;) {
        uint32_t index = image->hot[i];
        unsigned changed = image->heat[index] & ~HOT;
        image->heat[index] = HOT;
        if (changed >= HOT_UNTIL || epoch % (1u << 2 * image->patience[index]) != 0)
            continue;
        if (image->tracker->leave_alone(image, index, false)) {
            end_hot(image, i);
            gain_patience(image, index);
        }
    }
    for (size_t i = 0; i < image->counteds; i++) {
        uint32_t index = image->counted[i];
        bool hot = image->heat[index] >= HOT_FROM;
        image->heat[index] = 0;
        if (hot)
            add_hot(image, index);
    }
    image->counteds = 0;
}

static void set_cold_chunks(struct image *image) {
    if (image->tracker->fault)
        return; /* such a tracker protects every page anyway */
    for (uint32_t i = 0; i < image->ranges; i++) {
        const struct image_range *range = &image->range[i];
        uint32_t chunks = heat_chunks(range);
        for (uint32_t chunk = range->first_chunk; chunk < range->first_chunk + chunks; chunk++) {
            uintptr_t start, end;
            if (!chunk_bounds(range, chunk, &start, &end))
                break; /* the rest is closed */
            if (image->chunk[chunk] == 0)
                cool(image, range, chunk, start, end);
            image->chunk[chunk] &= ~CHUNK_TOUCHED;
        }
    }
}

size_t heat_collected(struct image *image, size_t count) {
    count = merge_hot(image, count);
    count_dirty(image, count);
    if (++image->captures % EPOCH == 0) {
        set_cold_chunks(image);
        set_hot_pages(image);
    }
    return count;
}

/* --- what to scan ---------------------------------------------------------------------------------------------------- */

static void add_span(struct image *image, uintptr_t start, uintptr_t end) {
    struct image_span *last = image->spans ? &image->span[image->spans - 1] : NULL;
    if (last && start - last->end < SPAN_GAP)
        last->end = end;
    else
        image->span[image->spans++] = (struct image_span){start, end};
}

void heat_spans(struct image *image) {
    if (!image->spans_stale)
        return;
    image->spans_stale = false;
    image->spans = 0;
    for (uint32_t i = 0; i < image->ranges; i++) {
        const struct image_range *range = &image->range[i];
        uint32_t chunks = heat_chunks(range);
        for (uint32_t chunk = range->first_chunk; chunk < range->first_chunk + chunks; chunk++) {
            uintptr_t start, end;
            if (!chunk_bounds(range, chunk, &start, &end))
                break;
            if (!(image->chunk[chunk] & CHUNK_COLD))
                add_span(image, start, end);
        }
    }
}
