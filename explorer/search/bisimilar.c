#include "explorer/search/bisimilar.h"

#include "explorer/containers/search_storage.h"
#include "models/name_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Nothing is guessed any more when it was wrong about so many calls. */
enum { WRONG_MOST = 16 };

#define NO_LOCAL UINT32_MAX

/* A local state that was met. */
struct member {
    uint32_t class;                   /* one more than its number, as it was at first; 0: not met */
    uint32_t next;                    /* another member of its class; NO_LOCAL: none */
    uint32_t before;                  /* a step from there led here first; NO_LOCAL: none did */
    const struct step_result *result; /* of that step; NULL: none */
    bool guessed;                     /* that it is like the others in its class */
};

/* A step that was asked for of one of the class. */
struct asked {
    uint32_t answer;
    uint32_t by;                      /* the member from which it was executed first, */
    const struct step_result *result; /* what that did; NULL: none has been executed yet */
};

struct class {
    uint32_t parent; /* another class that it has become part of, or itself */
    uint32_t first, last;
    unsigned rank;
    uint64_t told; /* of what its first member was told and has asked for, in any order */
    struct asked *asked;
    size_t count, room;
};

struct work {
    uint32_t local, answer;
};

struct pair {
    uint32_t one, other;
};

struct copied {
    struct copied *before;
    struct step_result result;
};

struct bisimilar {
    unsigned program_ranks;
    const struct step_source *steps;
    struct step_source source;
    struct member *member; /* by local state */
    size_t member_room;
    struct class *class;
    size_t classes, class_room;
    struct name_table guesses; /* what members of a class have in common, to one of them */
    struct resolution **answer;
    size_t answers, answer_room, answer_bytes;
    struct name_table answer_names;
    struct name_table told_names; /* a local state and an answer, to what was told */
    const struct step_result **told;
    size_t tolds, told_room;
    struct work *work; /* steps to be executed, from `worked` on */
    size_t worked, works, work_room;
    struct pair *pair; /* local states that must be alike, and perhaps are not in one class yet */
    size_t pairs, pair_room;
    uint64_t merged;
    bool differs, hopeless;
    uint32_t wrong[WRONG_MOST]; /* sites of calls */
    unsigned wrongs;
    struct copied *copied; /* of all searches */
    uint64_t copied_bytes;
};

/* ---- answers ---- */

static uint32_t intern(struct bisimilar *bisimilar, const struct resolution *answer) {
    const size_t size = resolution_size(answer);
    const struct name name = name_of(answer, size);
    uint32_t number = name_table_find(&bisimilar->answer_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    number = (uint32_t)bisimilar->answers;
    bisimilar->answer =
        storage_grow(bisimilar->answer, &bisimilar->answer_room, bisimilar->answers + 1, sizeof *bisimilar->answer);
    bisimilar->answer[bisimilar->answers++] = memcpy(storage_new(1, size), answer, size);
    bisimilar->answer_bytes += size;
    name_table_add(&bisimilar->answer_names, name, number);
    return number;
}

/* By its request, not by where that is in a list which may get shorter. */
static uint64_t hash_of_completion(const struct call *call, const struct completion *completion) {
    const bool has_request = call && completion->index < call->requests;
    const uint64_t fields[] = {(uint32_t)completion->source,
                               (uint32_t)completion->tag,
                               completion->payload,
                               completion->cancelled,
                               completion->parts,
                               has_request ? call->request[completion->index] : completion->index};
    return XXH3_64bits(fields, sizeof fields);
}

/* A sum, as what it is of may come in any order. No answer is nothing: members of a class have been told equally often. */
static uint64_t sum_of_answer(const struct step_result *before, const struct resolution *answer) {
    const struct call *call = before && answer->kind == WIRE_COMPLETED ? &before->call : NULL;
    uint64_t sum = XXH3_64bits(&answer->kind, sizeof answer->kind);
    for (uint32_t i = 0; i < answer->completions; i++)
        sum += hash_of_completion(call, &answer->completion[i]);
    return sum;
}

/* What it asks for, and says to others. Requests that are left are those that were made less those that were answered. */
static uint64_t sum_of_operations(const struct step_result *result) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < result->operations; i++) {
        const struct operation *operation = &result->operation[i];
        const bool is_collective = operation->kind == WIRE_COLLECTIVE;
        const uint64_t brought = !is_collective ? operation->payload
                                 : operation->parts
                                     ? XXH3_64bits(result->part + operation->payload, operation->parts * sizeof *result->part)
                                     : 0;
        const uint64_t fields[] = {operation->kind, operation->request,        operation->context,
                                   brought,         (uint32_t)operation->peer, (uint32_t)operation->tag};
        sum += XXH3_64bits(fields, sizeof fields);
    }
    return sum;
}

/* ---- what steps do ---- */

static bool lists_are_alike(const uint32_t *one, const uint32_t *other, uint32_t count) {
    return (!one && !other) || (one && other && memcmp(one, other, count * sizeof *one) == 0);
}

static bool calls_are_alike(const struct call *a, const struct call *b) {
    return a->kind == b->kind && a->function == b->function && a->requests == b->requests && a->context == b->context &&
           a->peer == b->peer && a->tag == b->tag && a->site == b->site &&
           (a->requests == 0 ||
            (lists_are_alike(a->request, b->request, a->requests) && lists_are_alike(a->position, b->position, a->requests)));
}

static bool brings_alike(const struct step_result *one, const struct operation *a, const struct step_result *other,
                         const struct operation *b) {
    if (a->parts != b->parts || a->empties != b->empties)
        return false;
    if (a->kind != WIRE_COLLECTIVE)
        return a->payload == b->payload;
    return (a->parts == 0 || lists_are_alike(one->part + a->payload, other->part + b->payload, a->parts)) &&
           (a->empties == 0 || lists_are_alike(one->part + a->empty, other->part + b->empty, a->empties));
}

static bool operations_are_alike(const struct step_result *one, const struct step_result *other, uint32_t i) {
    const struct operation *a = &one->operation[i], *b = &other->operation[i];
    return a->kind == b->kind && a->mode == b->mode && a->function == b->function && a->request == b->request &&
           a->context == b->context && a->peer == b->peer && a->tag == b->tag && a->site == b->site &&
           a->capacity == b->capacity && a->agreement == b->agreement && a->touches == b->touches &&
           brings_alike(one, a, other, b);
}

static bool places_are_alike(const struct wire_place *a, const struct wire_place *b) {
    return a->rank == b->rank && a->function == b->function && a->site == b->site;
}

static bool ends_are_alike(const struct step_result *one, const struct step_result *other) {
    const struct wire_end *a = &one->end, *b = &other->end;
    return a->kind == b->kind && a->finalized == b->finalized && a->function == b->function && a->code == b->code &&
           a->site == b->site && a->leaked_requests == b->leaked_requests && a->leak_site == b->leak_site &&
           memcmp(a->class_name, b->class_name, sizeof a->class_name) == 0 && a->leaked_handles == b->leaked_handles &&
           a->handle_function == b->handle_function && a->leak_function == b->leak_function &&
           a->handle_site == b->handle_site && memcmp(a->handle_kind, b->handle_kind, sizeof a->handle_kind) == 0 &&
           places_are_alike(&a->place[0], &b->place[0]) && places_are_alike(&a->place[1], &b->place[1]) &&
           strcmp(one->end_text ? one->end_text : "", other->end_text ? other->end_text : "") == 0;
}

static uint64_t output_of(const struct bisimilar *bisimilar, uint32_t local) {
    return bisimilar->steps->output(bisimilar->steps->self, local);
}

/* What counts of the memory in which a rank ends. */
static uint64_t memory_of(const struct bisimilar *bisimilar, const struct step_result *result) {
    const struct step_source *steps = bisimilar->steps;
    return result->ended && steps->memory ? steps->memory(steps->self, result->local) : 0;
}

static bool do_the_same(const struct bisimilar *bisimilar, const struct step_result *one, const struct step_result *other) {
    bool same = one->ended == other->ended && one->operations == other->operations &&
                output_of(bisimilar, one->local) == output_of(bisimilar, other->local) &&
                (one->ended ? ends_are_alike(one, other) : calls_are_alike(&one->call, &other->call)) &&
                memory_of(bisimilar, one) == memory_of(bisimilar, other);
    for (uint32_t i = 0; same && i < one->operations; i++)
        same = operations_are_alike(one, other, i);
    return same;
}

/* ---- classes ---- */

static bool is_member(const struct bisimilar *bisimilar, uint32_t local) {
    return local < bisimilar->member_room && bisimilar->member[local].class > 0;
}

static uint32_t class_of(struct bisimilar *bisimilar, uint32_t local) {
    uint32_t number = bisimilar->member[local].class - 1;
    while (bisimilar->class[number].parent != number)
        number = bisimilar->class[number].parent;
    bisimilar->member[local].class = number + 1;
    return number;
}

static struct asked *find_asked(const struct class *class, uint32_t answer) {
    for (size_t i = 0; i < class->count; i++)
        if (class->asked[i].answer == answer)
            return &class->asked[i];
    return NULL;
}

static void add_asked(struct class *class, struct asked asked) {
    class->asked = storage_grow(class->asked, &class->room, class->count + 1, sizeof *class->asked);
    class->asked[class->count++] = asked;
}

static void add_work(struct bisimilar *bisimilar, uint32_t local, uint32_t answer) {
    const struct step_source *steps = bisimilar->steps;
    bisimilar->work = storage_grow(bisimilar->work, &bisimilar->work_room, bisimilar->works + 1, sizeof *bisimilar->work);
    bisimilar->work[bisimilar->works++] = (struct work){local, answer};
    steps->want(steps->self, local, bisimilar->answer[answer], false);
}

static void work_for_all(struct bisimilar *bisimilar, const struct class *class, uint32_t answer) {
    for (uint32_t local = class->first; local != NO_LOCAL; local = bisimilar->member[local].next)
        add_work(bisimilar, local, answer);
}

static void work_for_answers(struct bisimilar *bisimilar, const struct class *class, uint32_t local) {
    for (size_t i = 0; i < class->count; i++)
        add_work(bisimilar, local, class->asked[i].answer);
}

static uint32_t new_class(struct bisimilar *bisimilar, uint32_t local, unsigned rank, uint64_t told) {
    const uint32_t number = (uint32_t)bisimilar->classes;
    bisimilar->class = storage_grow(bisimilar->class, &bisimilar->class_room, bisimilar->classes + 1, sizeof *bisimilar->class);
    bisimilar->class[bisimilar->classes++] =
        (struct class){.parent = number, .first = local, .last = local, .rank = rank, .told = told};
    return number;
}

static bool is_wrong(const struct bisimilar *bisimilar, uint32_t site) {
    for (unsigned i = 0; i < bisimilar->wrongs; i++)
        if (bisimilar->wrong[i] == site)
            return true;
    return false;
}

/* In no class yet. */
static struct member *add_member(struct bisimilar *bisimilar, uint32_t local, uint32_t before,
                                 const struct step_result *result) {
    bisimilar->member =
        storage_grow_zeroed(bisimilar->member, &bisimilar->member_room, (size_t)local + 1, sizeof *bisimilar->member);
    bisimilar->member[local] = (struct member){.next = NO_LOCAL, .before = before, .result = result};
    return &bisimilar->member[local];
}

/* What those that are guessed to be alike have in common. */
static struct name name_of_guess(const struct bisimilar *bisimilar, const struct step_result *result, unsigned rank,
                                 uint64_t told) {
    const struct call *call = &result->call;
    const bool ended = result->ended;
    const uint64_t fields[] = {rank,
                               told,
                               output_of(bisimilar, result->local),
                               memory_of(bisimilar, result),
                               ended,
                               ended ? (uint64_t)result->end.kind << 32 | (uint32_t)result->end.code : call->kind,
                               ended ? result->end.site : call->site,
                               ended ? 0 : call->function,
                               ended ? 0 : call->context,
                               ended ? 0 : (uint64_t)(uint32_t)call->peer << 32 | (uint32_t)call->tag,
                               ended ? 0 : call->requests};
    const uint64_t requests = ended || !call->requests ? 0 : XXH3_64bits(call->request, call->requests * sizeof *call->request);
    struct name name = name_of(fields, sizeof fields);
    name.low ^= requests;
    return name;
}

/* Puts a local state that has just been met into a class: that of one that it is guessed to be like, or one of its own. */
static void meet(struct bisimilar *bisimilar, const struct step_result *result, uint32_t before, uint32_t answer) {
    const uint32_t local = result->local;
    if (is_member(bisimilar, local))
        return;
    const struct class *from = &bisimilar->class[class_of(bisimilar, before)];
    const unsigned rank = from->rank;
    const uint64_t told =
        from->told + sum_of_answer(bisimilar->member[before].result, bisimilar->answer[answer]) + sum_of_operations(result);
    struct member *member = add_member(bisimilar, local, before, result);
    const bool may_be_alike = result->ended ? !step_ended_badly(result) : !is_wrong(bisimilar, result->call.site);
    const bool may_guess = rank < bisimilar->program_ranks && !bisimilar->hopeless && may_be_alike;
    const struct name name = name_of_guess(bisimilar, result, rank, told);
    const uint32_t like = may_guess ? name_table_find(&bisimilar->guesses, name) : NAME_UNKNOWN;
    if (like == NAME_UNKNOWN) {
        member->class = new_class(bisimilar, local, rank, told) + 1;
        if (may_guess)
            name_table_add(&bisimilar->guesses, name, local);
        return;
    }
    const uint32_t number = class_of(bisimilar, like);
    struct class *class = &bisimilar->class[number];
    member->class = number + 1;
    member->guessed = !result->ended;
    bisimilar->member[class->last].next = local;
    class->last = local;
    bisimilar->merged++;
    work_for_answers(bisimilar, class, local);
}

/* ---- what turns out ---- */

/* What was guessed on the way there first is not guessed again. */
static bool blame(struct bisimilar *bisimilar, uint32_t local) {
    while (local != NO_LOCAL && !bisimilar->member[local].guessed)
        local = bisimilar->member[local].before;
    const uint32_t site = local == NO_LOCAL ? 0 : bisimilar->member[local].result->call.site;
    if (local == NO_LOCAL || is_wrong(bisimilar, site))
        return false;
    if (bisimilar->wrongs == WRONG_MOST)
        bisimilar->hopeless = true;
    else
        bisimilar->wrong[bisimilar->wrongs++] = site;
    return true;
}

static bool differ(struct bisimilar *bisimilar, uint32_t one, uint32_t other) {
    if (!bisimilar->differs) {
        const bool blamed = blame(bisimilar, one);
        bisimilar->hopeless |= !blame(bisimilar, other) && !blamed;
    }
    bisimilar->differs = true;
    return false;
}

static void add_pair(struct bisimilar *bisimilar, uint32_t one, uint32_t other) {
    bisimilar->pair = storage_grow(bisimilar->pair, &bisimilar->pair_room, bisimilar->pairs + 1, sizeof *bisimilar->pair);
    bisimilar->pair[bisimilar->pairs++] = (struct pair){one, other};
}

/* Two did the same so far? Then where that led is one class. */
static bool compare(struct bisimilar *bisimilar, const struct asked *one, const struct asked *other) {
    if (!one->result || !other->result || one->result == other->result)
        return true;
    if (!do_the_same(bisimilar, one->result, other->result))
        return differ(bisimilar, one->by, other->by);
    add_pair(bisimilar, one->result->local, other->result->local);
    return true;
}

/* All that was asked of the one is asked of the other. */
static bool share_asked(struct bisimilar *bisimilar, struct class *into, const struct class *from) {
    for (size_t i = 0; i < into->count; i++)
        if (!find_asked(from, into->asked[i].answer))
            work_for_all(bisimilar, from, into->asked[i].answer);
    for (size_t i = 0; i < from->count; i++) {
        struct asked *asked = find_asked(into, from->asked[i].answer);
        if (asked && !compare(bisimilar, asked, &from->asked[i]))
            return false;
        if (asked && !asked->result)
            *asked = from->asked[i];
        if (!asked) {
            add_asked(into, from->asked[i]);
            work_for_all(bisimilar, into, from->asked[i].answer);
        }
    }
    return true;
}

static bool unite(struct bisimilar *bisimilar, uint32_t one, uint32_t other) {
    const uint32_t a = class_of(bisimilar, one), b = class_of(bisimilar, other);
    if (a == b)
        return true;
    struct class *into = &bisimilar->class[a < b ? a : b], *from = &bisimilar->class[a < b ? b : a];
    if (into->rank != from->rank)
        return differ(bisimilar, one, other);
    if (!share_asked(bisimilar, into, from))
        return false;
    bisimilar->member[into->last].next = from->first;
    into->last = from->last;
    from->parent = into->parent;
    free(from->asked);
    from->asked = NULL;
    from->count = from->room = 0;
    bisimilar->merged++;
    return true;
}

/* A step was executed that was asked of a class. False: it did not do what it should. */
static bool learn(struct bisimilar *bisimilar, struct work work, const struct step_result *result) {
    meet(bisimilar, result, work.local, work.answer);
    struct asked *asked = find_asked(&bisimilar->class[class_of(bisimilar, work.local)], work.answer);
    if (!asked->result)
        *asked = (struct asked){work.answer, work.local, result};
    bool alike = compare(bisimilar, asked, &(struct asked){work.answer, work.local, result});
    while (alike && bisimilar->pairs > 0) {
        const struct pair pair = bisimilar->pair[--bisimilar->pairs];
        alike = unite(bisimilar, pair.one, pair.other);
    }
    bisimilar->pairs = 0;
    return alike;
}

/* Others may ask while a step is waited for. False: it cannot be had, or some do not do the same. */
static bool execute(struct bisimilar *bisimilar, struct work work) {
    const struct step_source *steps = bisimilar->steps;
    const struct step_result *result = steps->get(steps->self, work.local, bisimilar->answer[work.answer]);
    return result && !bisimilar->differs && learn(bisimilar, work, result);
}

static bool execute_all(struct bisimilar *bisimilar) {
    while (bisimilar->worked < bisimilar->works)
        if (!execute(bisimilar, bisimilar->work[bisimilar->worked++]))
            return false;
    bisimilar->worked = bisimilar->works = 0;
    return true;
}

/* ---- telling ---- */

/* The same step, leading to the first of the class that it leads to. What is to be reported is told as it was. */
static const struct step_result *told_so(struct bisimilar *bisimilar, const struct step_result *result) {
    const uint32_t first = bisimilar->class[class_of(bisimilar, result->local)].first;
    if (first == result->local || step_ended_badly(result))
        return result;
    struct copied *copied = storage_new(1, sizeof *copied);
    *copied = (struct copied){bisimilar->copied, *result};
    copied->result.local = first;
    bisimilar->copied = copied;
    bisimilar->copied_bytes += sizeof *copied;
    return &copied->result;
}

static struct name name_of_step(uint32_t local, uint32_t answer) { return (struct name){local, answer}; }

/* Asked again, it tells the same again. */
static const struct step_result *find_told(const struct bisimilar *bisimilar, uint32_t local, uint32_t answer) {
    const uint32_t number = name_table_find(&bisimilar->told_names, name_of_step(local, answer));
    return number == NAME_UNKNOWN ? NULL : bisimilar->told[number];
}

static const struct step_result *tell(struct bisimilar *bisimilar, uint32_t local, uint32_t answer) {
    const struct step_result *told = find_told(bisimilar, local, answer);
    if (told)
        return told;
    told = told_so(bisimilar, find_asked(&bisimilar->class[class_of(bisimilar, local)], answer)->result);
    bisimilar->told = storage_grow(bisimilar->told, &bisimilar->told_room, bisimilar->tolds + 1, sizeof *bisimilar->told);
    name_table_add(&bisimilar->told_names, name_of_step(local, answer), (uint32_t)bisimilar->tolds);
    return bisimilar->told[bisimilar->tolds++] = told;
}

static const struct step_result *get(void *self, uint32_t local, const struct resolution *resolution) {
    struct bisimilar *bisimilar = self;
    const uint32_t answer = intern(bisimilar, resolution);
    const struct step_result *told = find_told(bisimilar, local, answer);
    if (told)
        return told;
    if (bisimilar->differs)
        return NULL;
    struct class *class = &bisimilar->class[class_of(bisimilar, local)];
    if (!find_asked(class, answer)) {
        add_asked(class, (struct asked){answer, local, NULL});
        work_for_all(bisimilar, class, answer);
    }
    if (!execute_all(bisimilar))
        return NULL;
    /* Somebody else may be waiting for all of these steps. */
    const bool is_done = find_asked(&bisimilar->class[class_of(bisimilar, local)], answer)->result != NULL;
    return is_done || execute(bisimilar, (struct work){local, answer}) ? tell(bisimilar, local, answer) : NULL;
}

static void want(void *self, uint32_t local, const struct resolution *resolution, bool follow) {
    struct bisimilar *bisimilar = self;
    const struct step_source *steps = bisimilar->steps;
    const uint32_t first = bisimilar->class[class_of(bisimilar, local)].first;
    for (uint32_t member = first; member != NO_LOCAL; member = bisimilar->member[member].next)
        steps->want(steps->self, member, resolution, follow);
}

static uint32_t root(void *self, unsigned rank) {
    struct bisimilar *bisimilar = self;
    const uint32_t local = bisimilar->steps->root(bisimilar->steps->self, rank);
    if (!is_member(bisimilar, local))
        add_member(bisimilar, local, NO_LOCAL, NULL)->class = new_class(bisimilar, local, rank, 0) + 1;
    return local;
}

static uint64_t output(void *self, uint32_t local) { return output_of(self, local); }

static uint64_t memory(void *self, uint32_t local) {
    const struct step_source *steps = ((const struct bisimilar *)self)->steps;
    return steps->memory(steps->self, local);
}

static char *memory_difference(void *self, uint32_t local, uint32_t other) {
    const struct step_source *steps = ((const struct bisimilar *)self)->steps;
    return steps->memory_difference(steps->self, local, other);
}

static void share(void *self, pthread_mutex_t *lock) {
    const struct step_source *steps = ((const struct bisimilar *)self)->steps;
    steps->share(steps->self, lock);
}

/* ---- life ---- */

static void forget(struct bisimilar *bisimilar) {
    for (size_t i = 0; i < bisimilar->classes; i++)
        free(bisimilar->class[i].asked);
    for (size_t i = 0; i < bisimilar->answers; i++)
        free(bisimilar->answer[i]);
    free(bisimilar->answer);
    free(bisimilar->member);
    free(bisimilar->class);
    free(bisimilar->told);
    free(bisimilar->work);
    free(bisimilar->pair);
    name_table_free(&bisimilar->guesses);
    name_table_free(&bisimilar->answer_names);
    name_table_free(&bisimilar->told_names);
}

struct bisimilar *bisimilar_create(unsigned program_ranks) {
    struct bisimilar *bisimilar = storage_new(1, sizeof *bisimilar);
    bisimilar->program_ranks = program_ranks;
    return bisimilar;
}

const struct step_source *bisimilar_begin(struct bisimilar *bisimilar, const struct step_source *steps) {
    struct bisimilar fresh = {.program_ranks = bisimilar->program_ranks,
                              .steps = steps,
                              .hopeless = bisimilar->hopeless,
                              .wrongs = bisimilar->wrongs,
                              .copied = bisimilar->copied,
                              .copied_bytes = bisimilar->copied_bytes};
    memcpy(fresh.wrong, bisimilar->wrong, sizeof fresh.wrong);
    forget(bisimilar);
    *bisimilar = fresh;
    bisimilar->source = (struct step_source){.root = root,
                                             .get = get,
                                             .want = want,
                                             .output = output,
                                             .memory = steps->memory ? memory : NULL,
                                             .memory_difference = steps->memory_difference ? memory_difference : NULL,
                                             .share = steps->share ? share : NULL,
                                             .self = bisimilar};
    return &bisimilar->source;
}

bool bisimilar_differs(const struct bisimilar *bisimilar) { return bisimilar->differs; }
bool bisimilar_has_guesses(const struct bisimilar *bisimilar) { return !bisimilar->hopeless; }
uint64_t bisimilar_merged(const struct bisimilar *bisimilar) { return bisimilar->merged; }

void bisimilar_destroy(struct bisimilar *bisimilar) {
    if (!bisimilar)
        return;
    forget(bisimilar);
    while (bisimilar->copied) {
        struct copied *before = bisimilar->copied->before;
        free(bisimilar->copied);
        bisimilar->copied = before;
    }
    free(bisimilar);
}

uint64_t bisimilar_memory(const struct bisimilar *bisimilar) {
    uint64_t bytes = bisimilar->member_room * sizeof *bisimilar->member + bisimilar->class_room * sizeof *bisimilar->class +
                     name_table_bytes(&bisimilar->guesses) + bisimilar->answer_bytes +
                     bisimilar->answer_room * sizeof *bisimilar->answer + name_table_bytes(&bisimilar->answer_names) +
                     name_table_bytes(&bisimilar->told_names) + bisimilar->told_room * sizeof *bisimilar->told +
                     bisimilar->work_room * sizeof *bisimilar->work + bisimilar->copied_bytes;
    for (size_t i = 0; i < bisimilar->classes; i++)
        bytes += bisimilar->class[i].room * sizeof *bisimilar->class[i].asked;
    return bytes;
}
