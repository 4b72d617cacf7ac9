/* Which of the image's memory is worth watching how. Three temperatures:
 *
 *     hot pages     written in many steps: left writable and compared by content, which costs less than a fault each time
 *     warm chunks   watched; one scan a capture, which costs some 0.7 us for each 2 MiB
 *     cold chunks   not written for long, but for hot pages: read-only and not looked at; the first write to another page of it
 *                   faults and warms the chunk
 *
 * What the program writes changes with time, so temperatures are set anew every EPOCH captures. */
#ifndef CKPT_HEAT_H
#define CKPT_HEAT_H

#include "ckpt/image.h"

enum { CHUNK_BYTES = 2 << 20 }; /* what one page table page maps; chunks are aligned to it */

/* Parts of image->chunk[]. */
enum { CHUNK_COLD = 1, CHUNK_TOUCHED = 2 };

/* The chunk of an address in a range. */
uint32_t heat_chunk(const struct image_range *range, uintptr_t address);
/* Number of chunks of a range. */
uint32_t heat_chunks(const struct image_range *range);

/* To be called with what the tracker has collected: adds the hot pages to image->dirty, counts, and at the end of an epoch sets
 * temperatures. Returns the new number of dirty pages. */
size_t heat_collected(struct image *image, size_t count);
/* A dirty page had really changed. */
void heat_changed(struct image *image, uint32_t index);
/* No page is hot any more; the tracker watches them all again. */
void heat_forget(struct image *image);
/* Does the next write to the page at `address` warm its chunk? */
bool heat_is_cold(const struct image *image, const struct image_range *range, uintptr_t address);
/* Warms the chunk if that is so: true if it was. */
bool heat_warm(struct image *image, const struct image_range *range, uintptr_t address);
/* What is to be scanned: brings image->span up to date. */
void heat_spans(struct image *image);

#endif
