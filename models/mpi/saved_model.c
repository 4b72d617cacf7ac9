/* Writing a model to a file and reading it back: components and what they refer to, and what is assumed of the ranks. What is only
 * remembered (remembered.c) is found out again. */
#include "models/mpi/futures.h"
#include "models/mpi/model_parts.h"

#include <stdlib.h>

void model_put(FILE *out, const void *bytes, size_t size) {
    if (size)
        fwrite(bytes, 1, size, out);
}

bool model_get(FILE *in, void *bytes, size_t size) { return !size || fread(bytes, 1, size, in) == size; }

/* --- components ---------------------------------------------------------------------------------------------------------- */

struct component_head {
    uint32_t local, result, count, unissued; /* result: number of the step result, or NOTHING_NEXT */
};

static bool put_components(const struct mpi_model *model, FILE *out) {
    model_put(out, &model->components, sizeof model->components);
    for (uint32_t i = 0; i < model->components; i++) {
        const struct component *component = component_at(model, i);
        const struct component_head head = {component->local, component->result ? component->result->number : NOTHING_NEXT,
                                            component->count, component->unissued};
        if (component->result && head.result == NOTHING_NEXT)
            return false;
        model_put(out, &head, sizeof head);
        model_put(out, component->pending, component->count * sizeof *component->pending);
    }
    return true;
}

static bool get_component(struct mpi_model *model, uint32_t number, const struct model_reader *reader) {
    struct component_head head;
    const struct step_result *result = NULL;
    if (!model_get(reader->in, &head, sizeof head))
        return false;
    if (head.result != NOTHING_NEXT && !(result = reader->result(reader->context, head.result)))
        return false;
    draft_begin(model);
    model->draft.unissued = head.unissued;
    for (uint32_t i = 0; i < head.count; i++)
        if (!model_get(reader->in, draft_add(&model->draft), sizeof *model->draft.pending))
            return false;
    return draft_close(model, head.local, result) == number;
}

static bool get_components(struct mpi_model *model, const struct model_reader *reader) {
    uint32_t count;
    bool ok = model_get(reader->in, &count, sizeof count);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = get_component(model, i, reader);
    return ok;
}

/* --- lists of parts ------------------------------------------------------------------------------------------------------ */

/* Where each list begins is in its name's slot; it ends where the next one begins. */
static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void put_parts(const struct mpi_model *model, FILE *out) {
    uint32_t lists = 0, *first = model_resize(NULL, (model->part_names.used + 1) * sizeof *first);
    for (size_t i = 0; i < model->part_names.slots; i++)
        if (model->part_names.slot[i].number != UINT32_MAX)
            first[lists++] = model->part_names.slot[i].number;
    qsort(first, lists, sizeof *first, by_number);
    first[lists] = model->parts;
    model_put(out, &lists, sizeof lists);
    model_put(out, first, (lists + 1) * sizeof *first);
    model_put(out, model->part, model->parts * sizeof *model->part);
    free(first);
}

static bool get_parts(struct mpi_model *model, FILE *in) {
    uint32_t lists;
    if (!model_get(in, &lists, sizeof lists))
        return false;
    uint32_t *first = model_resize(NULL, ((size_t)lists + 1) * sizeof *first), *part = NULL;
    bool ok = model_get(in, first, ((size_t)lists + 1) * sizeof *first);
    if (ok) {
        part = model_resize(NULL, ((size_t)first[lists] + 1) * sizeof *part);
        ok = model_get(in, part, first[lists] * sizeof *part);
    }
    for (uint32_t i = 0; ok && i < lists; i++)
        ok = parts_intern(model, part + first[i], first[i + 1] - first[i]) == first[i];
    free(first);
    free(part);
    return ok;
}

/* --- all ----------------------------------------------------------------------------------------------------------------- */

bool mpi_model_save(const struct mpi_model *model, FILE *out) {
    model_put(out, &model->ranks, sizeof model->ranks);
    model_put(out, &model->expected, sizeof model->expected);
    model_put(out, &model->late, sizeof model->late);
    model_put(out, &model->met, sizeof model->met);
    model_put(out, &model->hurried, sizeof model->hurried);
    acts_save(model->acts, out);
    futures_save(model->futures, out);
    put_parts(model, out);
    return put_components(model, out);
}

bool mpi_model_load(struct mpi_model *model, const struct model_reader *reader) {
    unsigned ranks;
    FILE *in = reader->in;
    return model_get(in, &ranks, sizeof ranks) && ranks == model->ranks &&
           model_get(in, &model->expected, sizeof model->expected) && model_get(in, &model->late, sizeof model->late) &&
           model_get(in, &model->met, sizeof model->met) && model_get(in, &model->hurried, sizeof model->hurried) &&
           acts_load(model->acts, in) && futures_load(model->futures, in) && get_parts(model, in) &&
           get_components(model, reader);
}
