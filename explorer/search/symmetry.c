#include "explorer/search/symmetry_parts.h"

#include "explorer/containers/search_storage.h"

#include <string.h>

/* ---- messages ---- */

static bool image_of_message(void *context, const struct message *message, uint32_t *payload) {
    const struct mirror *mirror = context;
    *payload = name_table_find(&mirror->messages, name_of(message, sizeof *message));
    return *payload != NAME_UNKNOWN;
}

static int32_t swap_number(const struct swap *swap, int32_t rank) { return (int32_t)swap_rank(swap, (unsigned)rank); }

/* False: its image is another one. */
static bool set_message(struct mirror *mirror, const struct message *message, uint32_t payload) {
    const struct name name = name_of(message, sizeof *message);
    const uint32_t known = name_table_find(&mirror->messages, name);
    if (known == NAME_UNKNOWN)
        name_table_add(&mirror->messages, name, payload);
    return known == NAME_UNKNOWN || known == payload;
}

static bool learn_message(void *context, const struct message *message, uint32_t payload) {
    struct mirror *mirror = context;
    struct message image = *message;
    image.from = swap_number(&mirror->swap, message->from);
    image.to = swap_number(&mirror->swap, message->to);
    image.payload = payload;
    return set_message(mirror, message, payload) && set_message(mirror, &image, message->payload);
}

/* ---- local states ---- */

const struct local_image *image_of_local(const struct mirror *mirror, uint32_t local) {
    return local < mirror->local_room && mirror->local[local].next ? &mirror->local[local] : NULL;
}

static bool set_local(struct mirror *mirror, unsigned rank, uint32_t local, const struct step_result *own, uint32_t image,
                      const struct step_result *result) {
    if (turns_hold_up(mirror, local))
        return false;
    mirror->local = storage_grow_zeroed(mirror->local, &mirror->local_room, (size_t)local + 1, sizeof *mirror->local);
    struct local_image *known = &mirror->local[local];
    if (!known->next)
        *known = (struct local_image){image + 1, result, own, rank};
    return known->next == image + 1;
}

bool learn_local(struct mirror *mirror, unsigned rank, uint32_t local, const struct step_result *own, uint32_t image,
                 const struct step_result *result) {
    return set_local(mirror, rank, local, own, image, result) &&
           set_local(mirror, swap_rank(&mirror->swap, rank), image, result, local, own);
}

/* ---- components ---- */

static bool find_image(struct symmetry *symmetry, struct mirror *mirror, unsigned rank, uint32_t component, uint32_t *image) {
    const struct local_image *local = image_of_local(mirror, mpi_model_local(symmetry->model, component));
    return local &&
           mpi_model_swap_component(symmetry->model, &mirror->swap, rank, component, local->next - 1, local->result, image);
}

bool image_of_component(struct symmetry *symmetry, struct mirror *mirror, unsigned rank, uint32_t component, uint32_t *image) {
    mirror->component =
        storage_grow_zeroed(mirror->component, &mirror->component_room, (size_t)component + 1, sizeof *mirror->component);
    uint32_t *known = &mirror->component[component];
    if (*known >= IMAGES) {
        *image = *known - IMAGES;
        return true;
    }
    if (!find_image(symmetry, mirror, rank, component, image))
        return false;
    if (*known == NOT_ASKED)
        *known = *image + IMAGES;
    return true;
}

/* The same for states to be changed: that there is none stays so. UINT32_MAX: there is none. */
static uint32_t lasting_image(struct symmetry *symmetry, struct mirror *mirror, unsigned rank, uint32_t component) {
    uint32_t image;
    if (component < mirror->component_room && mirror->component[component] != NOT_ASKED)
        return mirror->component[component] == NO_IMAGE ? UINT32_MAX : mirror->component[component] - IMAGES;
    if (image_of_component(symmetry, mirror, rank, component, &image))
        return image;
    mirror->component[component] = NO_IMAGE;
    return UINT32_MAX;
}

/* ---- steps ---- */

/* The number of the step; SIZE_MAX: it is not known. */
static size_t find_step(const struct symmetry *symmetry, uint32_t component, const struct resolution *answer,
                        struct name *name) {
    *name = name_of(answer, resolution_size(answer));
    name->high ^= component * 0x9e3779b97f4a7c15u;
    const uint32_t number = name_table_find(&symmetry->names, *name);
    return number == NAME_UNKNOWN ? SIZE_MAX : number;
}

bool add_step(struct symmetry *symmetry, unsigned rank, uint32_t component, const struct resolution *answer,
              const struct step_result *result) {
    struct name name;
    if (find_step(symmetry, component, answer, &name) != SIZE_MAX)
        return false;
    const size_t bytes = resolution_size(answer);
    struct resolution *copy = storage_new(1, bytes);
    memcpy(copy, answer, bytes);
    symmetry->answer_bytes += bytes;
    symmetry->step = storage_grow(symmetry->step, &symmetry->room, symmetry->count + 1, sizeof *symmetry->step);
    name_table_add(&symmetry->names, name, (uint32_t)symmetry->count);
    symmetry->step[symmetry->count++] = (struct known_step){rank, component, copy, result};
    return true;
}

/* The image of a step: where, and with which answer, in symmetry->image. */
struct image {
    unsigned rank;
    uint32_t component, local;
};

static bool image_of_step(struct symmetry *symmetry, struct mirror *mirror, const struct known_step *step,
                          struct image *image) {
    symmetry->image = storage_grow(symmetry->image, &symmetry->image_room, resolution_size(step->answer), 1);
    image->rank = swap_rank(&mirror->swap, step->rank);
    if (!image_of_component(symmetry, mirror, step->rank, step->component, &image->component) ||
        !mpi_model_swap_answer(symmetry->model, &mirror->swap, step->rank, step->component, step->answer, symmetry->image))
        return false;
    image->local = mpi_model_local(symmetry->model, image->component);
    return true;
}

static bool is_closed(const struct mirror *mirror, size_t number) {
    return number < mirror->closed_room && mirror->closed[number];
}

static void set_closed(struct mirror *mirror, size_t number) {
    mirror->closed = storage_grow_zeroed(mirror->closed, &mirror->closed_room, (size_t)number + 1, sizeof *mirror->closed);
    mirror->closed_count += !mirror->closed[number];
    mirror->closed[number] = true;
}

/* It is the step's image, as symmetry->image is that of the answer, if it does what it should. */
static bool compare(struct symmetry *symmetry, struct mirror *mirror, size_t number, const struct image *image,
                    const struct step_result *result) {
    const struct known_step step = symmetry->step[number]; /* a copy: turns_learn may add to the list */
    set_closed(mirror, number);
    if (!mpi_model_is_image_result(symmetry->model, &mirror->swap, step.rank, step.result, result))
        return turns_learn(symmetry, mirror, &step, image->component, result);
    return learn_local(mirror, step.rank, step.result->local, step.result, result->local, result);
}

/* Of a step taken that has been told of by nobody, ranks are known to be able to take it. */
static void note_image(struct symmetry *symmetry, const struct image *image, const struct step_result *result) {
    if (!add_step(symmetry, image->rank, image->component, symmetry->image, result))
        return;
    symmetry->state[image->rank] = image->component;
    mpi_model_note(symmetry->model, symmetry->state, image->rank, symmetry->image, result);
}

/* Has the image of a step executed, if there is one. False: it is no image, or could not be executed. */
static bool close_step(struct symmetry *symmetry, struct mirror *mirror, size_t number) {
    struct image image;
    if (is_closed(mirror, number) || !image_of_step(symmetry, mirror, &symmetry->step[number], &image))
        return true;
    const struct step_source *steps = symmetry->steps;
    const struct step_result *result = steps->get(steps->self, image.local, symmetry->image);
    if (!result || !compare(symmetry, mirror, number, &image, result))
        return false;
    note_image(symmetry, &image, result);
    return true;
}

static void want_images(struct symmetry *symmetry, size_t number) {
    const struct step_source *steps = symmetry->steps;
    struct image image;
    for (unsigned i = 0; i < symmetry->mirrors; i++)
        if (!is_closed(&symmetry->mirror[i], number) &&
            image_of_step(symmetry, &symmetry->mirror[i], &symmetry->step[number], &image))
            steps->want(steps->self, image.local, symmetry->image, false);
}

static bool close_new_steps(struct symmetry *symmetry) {
    for (; symmetry->looked_at < symmetry->count; symmetry->looked_at++) {
        want_images(symmetry, symmetry->looked_at);
        for (unsigned i = 0; i < symmetry->mirrors; i++)
            if (!close_step(symmetry, &symmetry->mirror[i], symmetry->looked_at))
                return false;
    }
    return true;
}

bool learn_step(struct symmetry *symmetry, unsigned rank, uint32_t component, const struct resolution *answer,
                const struct step_result *result) {
    add_step(symmetry, rank, component, answer, result);
    return symmetry->mirrors == 0 || close_new_steps(symmetry);
}

bool symmetry_note(struct symmetry *symmetry, const uint32_t *state, unsigned rank, const struct resolution *answer,
                   const struct step_result *result) {
    return learn_step(symmetry, rank, state[rank], answer, result) &&
           (symmetry->mirrors == 0 || turns_hold(symmetry, state, rank, answer, result));
}

static size_t all_closed(const struct symmetry *symmetry) {
    size_t closed = 0;
    for (unsigned i = 0; i < symmetry->mirrors; i++)
        closed += symmetry->mirror[i].closed_count;
    return closed;
}

/* What is known of communicators may have grown since the image was found. */
static bool still_has_image(struct symmetry *symmetry, struct mirror *mirror, uint32_t component) {
    const struct local_image *local = image_of_local(mirror, mpi_model_local(symmetry->model, component));
    uint32_t image;
    return find_image(symmetry, mirror, local->rank, component, &image) && image + IMAGES == mirror->component[component];
}

static bool all_have_images(struct symmetry *symmetry, struct mirror *mirror) {
    bool all = true;
    for (uint32_t component = 0; all && component < mirror->component_room; component++)
        all = mirror->component[component] < IMAGES || still_has_image(symmetry, mirror, component);
    return all;
}

bool symmetry_close(struct symmetry *symmetry) {
    size_t before;
    do {
        before = all_closed(symmetry);
        symmetry->looked_at = 0;
        if (!close_new_steps(symmetry))
            return false;
    } while (all_closed(symmetry) > before);
    bool all = true;
    for (unsigned i = 0; i < symmetry->mirrors && all; i++)
        all = all_have_images(symmetry, &symmetry->mirror[i]);
    return all;
}

/* ---- looking for mirrors ---- */

/* A mirror is worth having if of all steps known one in WORTHWHILE has an image; before any is executed for it, one in LIKELY must be
 * known to have one. Looking for mirrors ends when each step has been looked at so many times for each rank. */
enum { WORTHWHILE = 4, LIKELY = 16, LOOKS_MOST = 16 };

static void clear_mirror(struct mirror *mirror) {
    name_table_free(&mirror->messages);
    free(mirror->local);
    free(mirror->component);
    free(mirror->closed);
    free(mirror->in_turn);
    *mirror = (struct mirror){0};
}

static bool has_mirror(const struct symmetry *symmetry, unsigned rank) {
    for (unsigned i = 0; i < symmetry->mirrors; i++)
        if (symmetry->mirror[i].swap.one == rank)
            return true;
    return false;
}

/* Is the state its own image? */
static bool begin_with(struct symmetry *symmetry, struct mirror *mirror, const uint32_t *state) {
    struct mpi_model *model = symmetry->model;
    for (unsigned rank = 0; rank < symmetry->ranks; rank++) {
        const uint32_t here = state[rank], there = state[swap_rank(&mirror->swap, rank)];
        if (!mpi_model_is_image(model, &mirror->swap, rank, here, there) ||
            !learn_local(mirror, rank, mpi_model_local(model, here), mpi_model_result(model, here),
                         mpi_model_local(model, there), mpi_model_result(model, there)))
            return false;
    }
    return true;
}

/* Compares a step with its image if that is known already: nothing is executed for a mirror that is none. */
static bool compare_if_known(struct symmetry *symmetry, struct mirror *mirror, size_t number) {
    struct image image;
    struct name name;
    if (is_closed(mirror, number) || !image_of_step(symmetry, mirror, &symmetry->step[number], &image))
        return true;
    const size_t there = find_step(symmetry, image.component, symmetry->image, &name);
    return there == SIZE_MAX || compare(symmetry, mirror, number, &image, symmetry->step[there].result);
}

/* Looks at all steps, as often as something follows from that. False: the mirror is none. */
static bool look_at_steps(struct symmetry *symmetry, struct mirror *mirror,
                          bool (*look)(struct symmetry *symmetry, struct mirror *mirror, size_t number)) {
    size_t before;
    do {
        before = mirror->closed_count;
        symmetry->looks += symmetry->count;
        for (size_t i = 0; i < symmetry->count; i++)
            if (!look(symmetry, mirror, i))
                return false;
    } while (mirror->closed_count > before);
    return true;
}

static bool holds(struct symmetry *symmetry, struct mirror *mirror) {
    return look_at_steps(symmetry, mirror, compare_if_known) && mirror->closed_count > symmetry->count / LIKELY &&
           look_at_steps(symmetry, mirror, close_step) && mirror->closed_count > symmetry->count / WORTHWHILE;
}

static bool try_mirror(struct symmetry *symmetry, const uint32_t *state, unsigned one, unsigned other) {
    struct mirror *mirror = &symmetry->mirror[symmetry->mirrors];
    *mirror = (struct mirror){.swap = {one, other, symmetry->program_ranks, image_of_message, learn_message, mirror}};
    if (begin_with(symmetry, mirror, state) && holds(symmetry, mirror)) {
        symmetry->mirrors++;
        return true;
    }
    clear_mirror(mirror);
    return false;
}

bool symmetry_look(struct symmetry *symmetry, const uint32_t *state) {
    memcpy(symmetry->state, state, symmetry->ranks * sizeof *state);
    for (unsigned one = 0; one + 1 < symmetry->program_ranks; one++) {
        unsigned other = one + 1;
        while (!has_mirror(symmetry, one) && other < symmetry->program_ranks && !try_mirror(symmetry, state, one, other))
            other++;
    }
    return symmetry->looks <= (uint64_t)LOOKS_MOST * symmetry->ranks * symmetry->count;
}

bool symmetry_is_known(const struct symmetry *symmetry) { return symmetry->mirrors > 0; }

/* ---- changing states ---- */

void symmetry_begin(struct symmetry *symmetry) {
    for (unsigned i = 0; i < symmetry->mirrors; i++)
        for (size_t k = 0; k < symmetry->mirror[i].component_room; k++)
            if (symmetry->mirror[i].component[k] == NO_IMAGE)
                symmetry->mirror[i].component[k] = NOT_ASKED;
    if (symmetry->kind_room)
        memset(symmetry->kind, 0, symmetry->kind_room * sizeof *symmetry->kind);
    symmetry->kinds = 0;
}

static void add_to_orbit(struct symmetry *symmetry, size_t *count, uint32_t component, unsigned rank) {
    symmetry->orbit = storage_grow(symmetry->orbit, &symmetry->orbit_room, *count + 1, sizeof *symmetry->orbit);
    symmetry->orbit_rank =
        storage_grow(symmetry->orbit_rank, &symmetry->orbit_rank_room, *count + 1, sizeof *symmetry->orbit_rank);
    symmetry->orbit[*count] = component;
    symmetry->orbit_rank[(*count)++] = rank;
}

static uint32_t *kind_of(struct symmetry *symmetry, uint32_t component) {
    symmetry->kind = storage_grow_zeroed(symmetry->kind, &symmetry->kind_room, (size_t)component + 1, sizeof *symmetry->kind);
    return &symmetry->kind[component];
}

/* Gives a component and its images, theirs, and so on a kind. */
static void name_kind(struct symmetry *symmetry, unsigned rank, uint32_t component) {
    const uint32_t kind = ++symmetry->kinds;
    size_t count = 0;
    *kind_of(symmetry, component) = kind;
    add_to_orbit(symmetry, &count, component, rank);
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < symmetry->mirrors; k++) {
            struct mirror *mirror = &symmetry->mirror[k];
            const unsigned at = symmetry->orbit_rank[i];
            const uint32_t image = lasting_image(symmetry, mirror, at, symmetry->orbit[i]);
            if (image == UINT32_MAX || *kind_of(symmetry, image))
                continue;
            *kind_of(symmetry, image) = kind;
            add_to_orbit(symmetry, &count, image, swap_rank(&mirror->swap, at));
        }
}

static bool swap_state(struct symmetry *symmetry, struct mirror *mirror, const uint32_t *state, uint32_t *image) {
    for (unsigned rank = 0; rank < symmetry->ranks; rank++) {
        const uint32_t component = lasting_image(symmetry, mirror, rank, state[rank]);
        if (component == UINT32_MAX || symmetry->kind[component] != symmetry->kind[state[rank]])
            return false;
        image[swap_rank(&mirror->swap, rank)] = component;
    }
    return true;
}

static bool comes_before(const uint32_t *a, const uint32_t *b, unsigned count) {
    unsigned i = 0;
    while (i < count && a[i] == b[i])
        i++;
    return i < count && a[i] < b[i];
}

/* Is the image to be preferred? Kinds are sorted; those of other ranks than the two are the same in it. */
static bool is_better(const struct symmetry *symmetry, const struct mirror *mirror, const uint32_t *state,
                      const uint32_t *image) {
    const uint32_t *kind = symmetry->kind;
    const uint32_t one = kind[state[mirror->swap.one]], other = kind[state[mirror->swap.other]];
    return one != other ? one > other : comes_before(image, state, symmetry->ranks);
}

static bool may_be_better(const struct symmetry *symmetry, const struct mirror *mirror, const uint32_t *state) {
    return symmetry->kind[state[mirror->swap.one]] >= symmetry->kind[state[mirror->swap.other]];
}

static bool change_by(struct symmetry *symmetry, struct mirror *mirror, uint32_t *state) {
    uint32_t *image = symmetry->other;
    if (!may_be_better(symmetry, mirror, state) || !swap_state(symmetry, mirror, state, image) ||
        !is_better(symmetry, mirror, state, image))
        return false;
    memcpy(state, image, symmetry->ranks * sizeof *state);
    return true;
}

void symmetry_change(struct symmetry *symmetry, uint32_t *state) {
    bool changed = true;
    for (unsigned rank = 0; rank < symmetry->ranks; rank++)
        if (!*kind_of(symmetry, state[rank]))
            name_kind(symmetry, rank, state[rank]);
    while (changed) {
        changed = false;
        for (unsigned i = 0; i < symmetry->mirrors; i++)
            changed |= change_by(symmetry, &symmetry->mirror[i], state);
    }
}

/* ---- what was proved ---- */

bool symmetry_ends(const struct symmetry *symmetry,
                   bool (*as_it_should)(void *context, unsigned rank, uint32_t local, const struct step_result *result),
                   void *context) {
    for (unsigned i = 0; i < symmetry->mirrors; i++) {
        const struct mirror *mirror = &symmetry->mirror[i];
        for (uint32_t local = 0; local < mirror->local_room; local++) {
            const struct local_image *image = image_of_local(mirror, local);
            if (!image || !image->own || !image->own->ended)
                continue;
            const unsigned there = swap_rank(&mirror->swap, image->rank);
            if (as_it_should(context, image->rank, local, image->own) !=
                as_it_should(context, there, image->next - 1, image->result))
                return false;
        }
    }
    return true;
}

unsigned symmetry_first_like(const struct symmetry *symmetry, unsigned rank) {
    for (unsigned i = symmetry->mirrors; i-- > 0;)
        if (symmetry->mirror[i].swap.other == rank)
            return symmetry_first_like(symmetry, symmetry->mirror[i].swap.one);
    return rank;
}

/* ---- life ---- */

struct symmetry *symmetry_create(unsigned ranks, unsigned program_ranks, struct mpi_model *model,
                                 const struct step_source *steps) {
    struct symmetry *symmetry = storage_new(1, sizeof *symmetry);
    symmetry->ranks = ranks;
    symmetry->program_ranks = program_ranks;
    symmetry->model = model;
    symmetry->steps = steps;
    symmetry->mirror = storage_new(ranks + 1, sizeof *symmetry->mirror);
    symmetry->state = storage_new(ranks, sizeof *symmetry->state);
    symmetry->other = storage_new(ranks, sizeof *symmetry->other);
    symmetry->trial = storage_new(ranks, sizeof *symmetry->trial);
    return symmetry;
}

void symmetry_destroy(struct symmetry *symmetry) {
    if (!symmetry)
        return;
    for (unsigned i = 0; i < symmetry->mirrors; i++)
        clear_mirror(&symmetry->mirror[i]);
    for (size_t i = 0; i < symmetry->count; i++)
        free(symmetry->step[i].answer);
    name_table_free(&symmetry->names);
    free(symmetry->mirror);
    free(symmetry->step);
    free(symmetry->kind);
    free(symmetry->state);
    free(symmetry->other);
    free(symmetry->trial);
    free(symmetry->passed);
    free(symmetry->orbit);
    free(symmetry->orbit_rank);
    free(symmetry->image);
    free(symmetry);
}

uint64_t symmetry_memory(const struct symmetry *symmetry) {
    uint64_t bytes = symmetry->room * sizeof *symmetry->step + symmetry->answer_bytes + name_table_bytes(&symmetry->names) +
                     symmetry->kind_room * sizeof *symmetry->kind + symmetry->passed_room;
    for (unsigned i = 0; i < symmetry->mirrors; i++) {
        const struct mirror *mirror = &symmetry->mirror[i];
        bytes += mirror->local_room * sizeof *mirror->local + name_table_bytes(&mirror->messages) +
                 mirror->component_room * sizeof *mirror->component + mirror->closed_room + mirror->in_turn_room;
    }
    return bytes;
}
