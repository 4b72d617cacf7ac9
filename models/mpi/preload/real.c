#include "models/mpi/preload/real.h"

#include "models/mpi/preload/names.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>

void *real_function[FUNCTION_count];

struct text_range {
    uint64_t inside; /* an address that says which object is meant */
    uint64_t begin;
    uint64_t end;
};

static struct text_range libmpich;

bool real_is_caller(uint64_t site)
{
    return site >= libmpich.begin && site < libmpich.end;
}

static int find_text(struct dl_phdr_info *object, size_t size, void *argument)
{
    (void)size;
    struct text_range *range = argument;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        uint64_t begin = object->dlpi_addr + segment->p_vaddr;
        if (range->inside < begin || range->inside >= begin + segment->p_memsz)
            continue;
        range->begin = begin;
        range->end = begin + segment->p_memsz;
        return 1;
    }
    return 0;
}

/* Everything is looked up before main, so that no rank's memory depends on which function it happened to call first. */
__attribute__((constructor)) static void find_real_functions(void)
{
    for (int function = FUNCTION_none + 1; function < FUNCTION_count; function++) {
        char name[96];
        snprintf(name, sizeof name, "P%s", function_name((uint16_t)function));
        real_function[function] = dlsym(RTLD_NEXT, name);
    }
    libmpich.inside = (uint64_t)real_function[FUNCTION_MPI_Send];
    if (libmpich.inside != 0)
        dl_iterate_phdr(find_text, &libmpich);
}
