#include "models/mpi/signatures.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

const char *basic_type_name(uint32_t type) {
    static const char *const name[] = {
        "an unknown type",
#define BASIC_TYPE(name) #name,
#include "models/mpi/basic_types.def"
#undef BASIC_TYPE
    };
    return type < BASIC_TYPE_count ? name[type] : name[0];
}

/* A place in a pattern. */
struct cursor {
    const struct signature *signature;
    uint32_t run;
    uint64_t left; /* bytes of this run */
};

static struct cursor cursor_at_start(const struct signature *signature) {
    return (struct cursor){signature, 0, signature->run[0].bytes};
}

static void cursor_advance(struct cursor *cursor, uint64_t bytes) {
    cursor->left -= bytes;
    if (cursor->left)
        return;
    cursor->run = (cursor->run + 1) % cursor->signature->runs;
    cursor->left = cursor->signature->run[cursor->run].bytes;
}

static uint64_t smallest(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

bool signatures_match(const struct signature *sent, const struct signature *received, uint64_t bytes,
                      struct signature_mismatch *mismatch) {
    if (sent->name == received->name || !sent->runs || !received->runs)
        return true;
    struct cursor from = cursor_at_start(sent), to = cursor_at_start(received);
    for (uint64_t at = 0; at < bytes;) {
        uint32_t gives = sent->run[from.run].type, takes = received->run[to.run].type;
        if (gives != takes) {
            *mismatch = (struct signature_mismatch){gives, takes, at};
            return false;
        }
        uint64_t step = smallest(from.left, to.left, bytes - at);
        at += step;
        cursor_advance(&from, step);
        cursor_advance(&to, step);
    }
    return true;
}

static bool has_hash(uint32_t type, uint32_t hash, uint64_t bytes) {
    enum { LARGEST = 64 };
    const struct wire_run run = {.type = type, .bytes = bytes};
    const uint32_t own = (uint32_t)(XXH3_64bits(&run, sizeof run) >> 32);
    bool found = own == hash;
    for (uint64_t size = 1; size <= LARGEST && !found; size++) {
        const int64_t elements = (int64_t)(bytes / size);
        found = (uint32_t)XXH3_64bits_withSeed(&elements, sizeof elements, own) == hash;
    }
    return found;
}

uint32_t signature_basic_type(uint32_t hash, uint64_t bytes) {
    for (uint32_t type = BASIC_TYPE_none + 1; type < BASIC_TYPE_count; type++) {
        if (has_hash(type, hash, bytes))
            return type;
    }
    return BASIC_TYPE_none;
}
