#include "models/mpi/preload/buffer_room.h"

#include "models/mpi/preload/control.h"
#include "models/mpi/preload/data.h"
#include "models/mpi/preload/names.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/static_objects.h"

static void require_room_in_static(const struct caller *caller, const void *buffer, uint64_t bytes) {
    const struct static_object *object = static_object_at(buffer);
    if (object == NULL || bytes <= object->end - (uintptr_t)buffer)
        return;
    rank_violation(
        "invalid-argument", caller->function, caller->site,
        "%s uses %llu bytes from the beginning of its buffer on, and the variable \"%s\" that it is in ends after %zu",
        function_name(caller->function), (unsigned long long)bytes, object->name, (size_t)(object->end - (uintptr_t)buffer));
}

void require_room_for(const struct caller *caller, const void *buffer, uint64_t bytes, MPI_Datatype type) {
    if (bytes == 0 || !data_is_plain(type))
        return;
    size_t room = arena_room(buffer);
    if (room == SIZE_MAX)
        require_room_in_static(caller, buffer, bytes);
    else if (bytes > room)
        rank_violation(
            "invalid-argument", caller->function, caller->site,
            "%s uses %llu bytes from the beginning of its buffer on, and the heap block that it is in ends after %zu",
            function_name(caller->function), (unsigned long long)bytes, room);
}

void require_room(const struct caller *caller, const void *buffer, MPI_Count count, MPI_Datatype type) {
    require_room_for(caller, buffer, (uint64_t)count * data_size(type), type);
}

void require_room_of_blocks(const struct caller *caller, const struct blocks *blocks, int n) {
    if (blocks_are_alike(blocks)) {
        require_room(caller, blocks->base, blocks->count * n, blocks->type);
        return;
    }
    for (int i = 0; i < n; i++) {
        struct block block = block_of(blocks, i);
        require_room(caller, block.buffer, block.count, block.type);
    }
}
