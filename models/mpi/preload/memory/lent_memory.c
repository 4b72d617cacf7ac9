#include "models/mpi/preload/memory/lent_memory.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/rank.h"

static struct lent_memory *lent;

void lent_memory_begin(struct lent_memory *memory, const struct caller *borrower, const void *address, size_t size) {
    const uintptr_t from = (uintptr_t)address;
    *memory = (struct lent_memory){.from = from,
                                   .to = from + size,
                                   .frame = size > 0 ? stack_frame_of(address) : (struct stack_frame){0},
                                   .borrower = *borrower,
                                   .next = lent};
    lent = memory;
}

void lent_memory_end(struct lent_memory *memory) {
    struct lent_memory **link = &lent;
    while (*link != NULL && *link != memory)
        link = &(*link)->next;
    if (*link != NULL)
        *link = memory->next;
    *memory = (struct lent_memory){0};
}

void lent_memory_note_freed(uintptr_t from, uintptr_t to) {
    for (struct lent_memory *memory = lent; memory != NULL; memory = memory->next)
        memory->freed |= memory->from < memory->to && memory->from < to && from < memory->to;
}

bool lent_memory_is_lost(const struct lent_memory *memory) { return memory->freed || stack_frame_is_left(&memory->frame); }

void lent_memory_require(const struct caller *caller, const struct lent_memory *memory, const char *what) {
    if (!lent_memory_is_lost(memory))
        return;
    const struct wire_place places[2] = {
        {.site = memory->borrower.site, .rank = rank_number(), .function = memory->borrower.function}};
    rank_violation_at("buffer-in-use", caller->function, caller->site, places, "%s was called when the %s that %s was given %s",
                      function_name(caller->function), what, function_name(memory->borrower.function),
                      memory->freed ? "had been freed" : "was on the stack of a function that had returned");
}
