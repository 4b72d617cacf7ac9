#include "models/mpi/preload/disjoint_buffers.h"

#include "models/mpi/preload/arguments.h"
#include "models/mpi/preload/data.h"

/* Bytes from `from` to before `to`. */
struct range {
    uintptr_t from, to;
};

static struct range range_of(const struct block *block)
{
    if (block->count <= 0 || !data_is_plain(block->type))
        return (struct range){0, 0};
    uintptr_t from = (uintptr_t)block->buffer;
    return (struct range){from, from + (size_t)block->count * data_size(block->type)};
}

/* Blocks that are all alike follow each other. */
static bool is_one_piece(const struct blocks *blocks)
{
    return blocks->counts == NULL && blocks->types == NULL;
}

static int pieces(const struct blocks *blocks, int n)
{
    return is_one_piece(blocks) ? 1 : n;
}

static struct range piece(const struct blocks *blocks, int n, int i)
{
    struct block block = block_of(blocks, i);
    if (is_one_piece(blocks))
        block.count *= n;
    return range_of(&block);
}

static bool meets(struct range range, const struct blocks *blocks, int n)
{
    for (int i = 0; i < pieces(blocks, n); i++) {
        struct range other = piece(blocks, n, i);
        if (range.from < other.to && other.from < range.to)
            return true;
    }
    return false;
}

int check_disjoint(const struct caller *caller, const struct communicator *communicator, const struct blocks *given,
                   int given_blocks, const struct blocks *taken, int taken_blocks)
{
    for (int i = 0; i < pieces(given, given_blocks); i++) {
        if (meets(piece(given, given_blocks, i), taken, taken_blocks))
            return reject(caller, communicator->handle, MPI_ERR_BUFFER, "buffers for sending and receiving that overlap");
    }
    return MPI_SUCCESS;
}

int check_disjoint_block(const struct caller *caller, const struct communicator *communicator, const struct block *given,
                         const struct blocks *taken, int taken_blocks)
{
    const struct blocks blocks = {.base = given->buffer, .count = given->count, .type = given->type};
    return check_disjoint(caller, communicator, &blocks, 1, taken, taken_blocks);
}

bool blocks_overlap(const struct block *one, const struct block *other)
{
    const struct blocks blocks = {.base = other->buffer, .count = other->count, .type = other->type};
    return meets(range_of(one), &blocks, 1);
}
