#include "models/mpi/preload/windows/window_received.h"

#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/datatypes/footprint.h"
#include "models/mpi/preload/windows/windows.h"

/* The owner's stores are what differs from the shadow: these bytes shall, whatever they are. */
static void make_differ(const struct window *window, size_t i, intptr_t piece, size_t size) {
    const struct window_region *region = &window->memory.region[i];
    const intptr_t start = (intptr_t)region->bytes, end = start + (intptr_t)region->size;
    const intptr_t last = piece + (intptr_t)size < end ? piece + (intptr_t)size : end;
    for (intptr_t at = piece > start ? piece : start; at < last; at++)
        window->shadow.region[i].bytes[at - start] = (char)~region->bytes[at - start];
}

static void note_piece(const struct window *window, intptr_t piece, size_t size) {
    for (size_t region = 0; region < window->memory.regions; region++)
        make_differ(window, region, piece, size);
}

static void note(const struct window *window, const struct footprint *received) {
    for (uint32_t i = 0; i < received->combs; i++) {
        const struct comb *comb = footprint_comb(received, i);
        for (size_t k = 0; k < comb->pieces; k++)
            note_piece(window, comb->at + (ptrdiff_t)k * comb->distance, comb->size);
    }
}

void windows_note_received(const void *buffer, MPI_Datatype type, size_t size) {
    struct footprint received = {0};
    const struct window *window;
    for (size_t i = 0; size > 0 && (window = window_at(i)) != NULL; i++) {
        if (!window_is_target(window))
            continue;
        if (received.combs == 0)
            footprint_add(&received, buffer, (MPI_Count)(size / data_size(type)), type);
        note(window, &received);
    }
    footprint_free(&received);
}
