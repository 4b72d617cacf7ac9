#include "models/mpi/preload/call_site.h"

#include "models/mpi/lookups/symbol_lookups.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <unwind.h>

struct text_range {
    uint64_t inside; /* an address that says which object is meant */
    uint64_t begin;
    uint64_t end;
};

static struct text_range libmpich;
static struct text_range fortran_bindings;
static struct text_range this_library;
static struct text_range libc;

static bool contains(const struct text_range *range, uint64_t address) {
    return address >= range->begin && address < range->end;
}

/* A function of libmpich that we call may end in a jump to another one, which then returns to us. */
bool call_site_is_mpich(uint64_t site) { return contains(&libmpich, site) || contains(&this_library, site); }

bool call_site_is_libc(uint64_t site) { return contains(&libc, site); }

/* A walk up the stack: first to the bindings, then out of them. */
struct walk {
    bool inside;
    uint64_t site;
};

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *frame, void *argument) {
    struct walk *walk = argument;
    uint64_t address = _Unwind_GetIP(frame);
    if (contains(&fortran_bindings, address)) {
        walk->inside = true;
        return _URC_NO_REASON;
    }
    if (!walk->inside)
        return _URC_NO_REASON;
    walk->site = address;
    return _URC_END_OF_STACK;
}

uint64_t call_site_in_program(uint64_t site) {
    struct walk walk = {.site = site};
    if (contains(&fortran_bindings, site))
        _Unwind_Backtrace(visit_frame, &walk);
    return walk.site;
}

static int find_text(struct dl_phdr_info *object, size_t size, void *argument) {
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

static void find_library(struct text_range *range, const void *function) {
    range->inside = (uint64_t)(uintptr_t)function;
    if (range->inside != 0)
        dl_iterate_phdr(find_text, range);
}

/* Before main, so that it is the same for all ranks. */
__attribute__((constructor)) static void find_libraries(void) {
    find_library(&libmpich, symbol_lookups_next("PMPI_Send"));
    find_library(&fortran_bindings, dlsym(RTLD_NEXT, "mpi_send_"));
    find_library(&this_library, call_site_is_mpich);
    find_library(&libc, dlsym(RTLD_NEXT, "gnu_get_libc_version"));
}
