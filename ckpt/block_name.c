#include "ckpt/block_store.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct block_name block_name_avx2(const void *content, size_t size); /* block_name_avx2.c */

static struct block_name block_name_any(const void *content, size_t size) {
    XXH128_hash_t hash = XXH3_128bits(content, size);
    return (struct block_name){hash.low64, hash.high64};
}

static struct block_name (*chosen)(const void *content, size_t size) = block_name_any;

__attribute__((constructor)) static void choose(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2"))
        chosen = block_name_avx2;
}

struct block_name block_name(const void *content, size_t size) {
    return chosen(content, size);
}
