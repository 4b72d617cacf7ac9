/* What requests to agents touch (struct wire_touches), by number, and which of them commute for that. */
#include "models/mpi/model_parts.h"

#include <stdlib.h>
#include <string.h>

struct touches {
    uint64_t window;
    uint32_t count;
    bool alone, asks;
    uint16_t phases;
    struct wire_touch touch[];
};

uint32_t mpi_model_touches_named(const struct mpi_model *model, uint64_t name) {
    uint32_t number = name_table_find(&model->touches_names, name_of_hash(name));
    return number == NAME_UNKNOWN ? 0 : number;
}

uint32_t mpi_model_touches(struct mpi_model *model, const struct wire_touches *touches, const struct wire_touch *touch) {
    uint32_t number = mpi_model_touches_named(model, touches->name);
    if (number)
        return number;
    const uint64_t bytes = sizeof(struct touches) + touches->touches * sizeof *touch;
    struct touches *made = model_zeroed(bytes);
    made->window = touches->window;
    made->count = touches->touches;
    made->alone = touches->alone != 0;
    made->asks = touches->asks != 0;
    made->phases = touches->phases;
    if (made->count)
        memcpy(made->touch, touch, made->count * sizeof *touch);
    model->touches = model_room_shared(model, model->touches, &model->touches_room, model->touched, sizeof *model->touches);
    model->touches[model->touched++] = made;
    model->touches_bytes += bytes;
    name_table_add(&model->touches_names, name_of_hash(touches->name), model->touched);
    return model->touched;
}

uint64_t touches_memory(const struct mpi_model *model) {
    return model->touches_bytes + model->touches_room * sizeof *model->touches + name_table_bytes(&model->touches_names);
}

void touches_free(struct mpi_model *model) {
    for (uint32_t i = 0; i < model->touched; i++)
        free(model->touches[i]);
    free(model->touches);
    name_table_free(&model->touches_names);
}

static bool accumulates(uint64_t manner, enum wire_accumulating how) {
    return (manner & WIRE_TOUCH_ACCUMULATES) && (manner & WIRE_ACCUMULATING) == (uint64_t)how;
}

static bool manners_commute(uint64_t one, uint64_t other) {
    if (one == other)
        return one != WIRE_TOUCH_ALONE && !accumulates(one, WIRE_IN_ORDER);
    return (one | WIRE_ACCUMULATING) == (other | WIRE_ACCUMULATING) &&
           (accumulates(one, WIRE_COMPLETES) || accumulates(other, WIRE_COMPLETES));
}

static bool touch_commutes(const struct wire_touch *one, const struct wire_touch *other) {
    return one->last < other->first || other->last < one->first || manners_commute(one->manner, other->manner);
}

static bool touches_commute(const struct touches *one, const struct touches *other) {
    if (one->window != other->window)
        return true;
    if (one->alone || other->alone)
        return false;
    if ((one->asks || other->asks) && !(one->phases & other->phases))
        return true;
    if ((one->asks && one->count == 0) || (other->asks && other->count == 0))
        return false;
    for (uint32_t i = 0; i < one->count; i++)
        for (uint32_t k = 0; k < other->count; k++)
            if (!touch_commutes(&one->touch[i], &other->touch[k]))
                return false;
    return true;
}

static const struct touches *numbered(const struct mpi_model *model, uint32_t number) {
    return atomic_load_explicit(&model->touches, memory_order_acquire)[number - 1];
}

bool request_meets_calm(const struct mpi_model *model, const struct pending *receive, struct request request) {
    if (receive->mode != WIRE_CALM)
        return false;
    return !receive->touches ||
           (request.touches && touches_commute(numbered(model, receive->touches), numbered(model, request.touches)));
}

bool requests_commute(const struct mpi_model *model, struct request one, struct request other) {
    if (one.tag < 0 || other.tag < 0)
        return false;
    if (one.tag & other.tag & WIRE_READS)
        return true;
    return one.touches && other.touches && touches_commute(numbered(model, one.touches), numbered(model, other.touches));
}
