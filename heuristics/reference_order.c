#include "heuristics/reference_order.h"

size_t reference_default(const struct transition *list, const uint32_t *chosen, size_t count) {
    size_t optional = REFERENCE_NONE;
    for (size_t i = 0; i < count; i++) {
        const struct transition *transition = &list[chosen[i]];
        if (transition->miss)
            continue;
        if (!transition->optional)
            return chosen[i];
        if (optional == REFERENCE_NONE)
            optional = chosen[i];
    }
    return optional;
}
