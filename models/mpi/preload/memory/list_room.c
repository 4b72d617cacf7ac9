#include "models/mpi/preload/memory/list_room.h"

#include <stdlib.h>
#include <string.h>

size_t list_room(size_t count, size_t least) {
    size_t room = least;
    while (room < count)
        room *= 2;
    return count > 0 ? room : 0;
}

void *list_fit(void *list, size_t before, size_t count, size_t least, size_t size) {
    const size_t had = list_room(before, least), has = list_room(count, least);
    if (has == had)
        return list;
    if (has == 0) {
        free(list);
        return NULL;
    }
    char *fitted = realloc(list, has * size);
    if (has > had)
        memset(fitted + had * size, 0, (has - had) * size);
    return fitted;
}
