/* What few programs do, and what is a transition depends on: see struct expectations. */
#include "models/mpi/model_parts.h"

#include <string.h>

static bool is_everybody(const struct expectations *expectations) { return expectations->hurries > HURRIES_MOST; }

static bool has_hurry(const struct expectations *expectations, struct hurry hurry) {
    for (uint32_t i = 0; i < expectations->hurries && !is_everybody(expectations); i++)
        if (expectations->hurry[i].from == hurry.from && expectations->hurry[i].to == hurry.to &&
            expectations->hurry[i].mode == hurry.mode)
            return true;
    return is_everybody(expectations);
}

static void add_hurry(struct expectations *expectations, struct hurry hurry) {
    if (has_hurry(expectations, hurry))
        return;
    if (expectations->hurries < HURRIES_MOST)
        expectations->hurry[expectations->hurries] = hurry;
    expectations->hurries++;
}

static bool has_cancelling(const struct expectations *expectations, struct cancelling cancelling) {
    uint32_t i = 0;
    if (expectations->cancels > CANCELS_MOST)
        return true;
    while (i < expectations->cancels && memcmp(&expectations->cancelling[i], &cancelling, sizeof cancelling) != 0)
        i++;
    return i < expectations->cancels;
}

static void add_cancelling(struct expectations *expectations, struct cancelling cancelling) {
    if (has_cancelling(expectations, cancelling))
        return;
    if (expectations->cancels < CANCELS_MOST)
        expectations->cancelling[expectations->cancels] = cancelling;
    expectations->cancels++;
}

static bool cancels_hold(const struct expectations *expectations, const struct expectations *other) {
    bool all = other->cancels <= CANCELS_MOST || expectations->cancels > CANCELS_MOST;
    for (uint32_t i = 0; i < other->cancels && i < CANCELS_MOST; i++)
        all &= has_cancelling(expectations, other->cancelling[i]);
    return all;
}

static bool holds(const struct expectations *expectations, const struct expectations *other) {
    bool all = cancels_hold(expectations, other);
    for (uint32_t i = 0; i < other->hurries && i < HURRIES_MOST; i++)
        all &= has_hurry(expectations, other->hurry[i]);
    return all && (!is_everybody(other) || is_everybody(expectations));
}

void mpi_model_expect(struct mpi_model *model, const struct expectations *more) {
    struct expectations *expected = &model->expected;
    const uint32_t before = expected->hurries;
    for (uint32_t i = 0; i < more->cancels && i < CANCELS_MOST; i++)
        add_cancelling(expected, more->cancelling[i]);
    if (more->cancels > CANCELS_MOST)
        expected->cancels = CANCELS_MOST + 1;
    for (uint32_t i = 0; i < more->hurries && i < HURRIES_MOST; i++)
        add_hurry(expected, more->hurry[i]);
    if (is_everybody(more))
        expected->hurries = HURRIES_MOST + 1;
    for (uint32_t i = 0; i < expected->hurries && i < HURRIES_MOST; i++) {
        const struct hurry *hurry = &expected->hurry[i];
        rank_set_add(&model->late, hurry->to);
        if (hurry->mode == WIRE_READY) /* the receive may take another message before it goes on */
            rank_set_add(&model->late, hurry->from);
    }
    for (unsigned rank = 0; rank < model->ranks - model->agents && is_everybody(expected); rank++)
        rank_set_add(&model->late, rank);
    if (expected->hurries != before)
        remembered_forget(model); /* what was one move may be two */
}

const struct expectations *mpi_model_expectations(const struct mpi_model *model) { return &model->expected; }

bool mpi_model_surprised(const struct mpi_model *model) { return !holds(&model->expected, &model->met); }

void mpi_model_expect_surprises(struct mpi_model *model) { mpi_model_expect(model, &model->met); }

void expectations_note_hurry(struct mpi_model *model, unsigned from, const struct operation *send) {
    add_hurry(&model->met, (struct hurry){(uint16_t)from, (uint16_t)send->peer, send->mode});
}

void expectations_note_cancelling(struct mpi_model *model, unsigned rank, const struct pending *pending) {
    if (pending)
        add_cancelling(&model->met, (struct cancelling){(uint16_t)rank, pending->kind, pending->tag});
    else
        model->met.cancels = CANCELS_MOST + 1;
}

bool model_may_cancel(const struct mpi_model *model, unsigned rank, const struct pending *pending) {
    return model->expected.cancels > 0 &&
           has_cancelling(&model->expected, (struct cancelling){(uint16_t)rank, pending->kind, pending->tag});
}

bool model_may_be_late(const struct mpi_model *model, unsigned rank) { return rank_set_has(&model->late, rank); }

bool model_may_hurry(const struct mpi_model *model, int32_t from, unsigned to) {
    const struct expectations *expected = &model->expected;
    for (uint32_t i = 0; i < expected->hurries && i < HURRIES_MOST; i++)
        if (expected->hurry[i].to == to && (from < 0 || expected->hurry[i].from == from))
            return true;
    return is_everybody(expected);
}
