#include "models/mpi/preload/vdso.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { PAGE = 4096 };

static const struct {
    const char *name;
    uint32_t number;
} replaced[] = {
    {"__vdso_clock_gettime", SYS_clock_gettime}, {"__vdso_gettimeofday", SYS_gettimeofday}, {"__vdso_time", SYS_time},
    {"__vdso_getcpu", SYS_getcpu},               {"__vdso_clock_getres", SYS_clock_getres}, {"__vdso_getrandom", SYS_getrandom},
};

/* mov $number, %eax; syscall; ret */
static void overwrite(unsigned char *code, uint32_t number) {
    *code++ = 0xb8;
    memcpy(code, &number, sizeof number);
    static const unsigned char rest[] = {0x0f, 0x05, 0xc3};
    memcpy(code + sizeof number, rest, sizeof rest);
}

struct vdso {
    uintptr_t base; /* what addresses in it are relative to */
    const ElfW(Sym) *symbol;
    const char *name;
    uint32_t symbols;
};

static void read_dynamic(struct vdso *vdso, const ElfW(Dyn) *entry) {
    for (; entry->d_tag != DT_NULL; entry++) {
        const void *at = (const void *)(vdso->base + entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            vdso->symbol = at;
        else if (entry->d_tag == DT_STRTAB)
            vdso->name = at;
        else if (entry->d_tag == DT_HASH)
            vdso->symbols = ((const uint32_t *)at)[1];
    }
    /* Without the old hash table: the strings follow the symbols. */
    if (vdso->symbols == 0 && vdso->symbol && vdso->name > (const char *)vdso->symbol)
        vdso->symbols = (uint32_t)((size_t)(vdso->name - (const char *)vdso->symbol) / sizeof *vdso->symbol);
}

static size_t read_headers(struct vdso *vdso, const ElfW(Ehdr) *header) {
    const ElfW(Phdr) *segment = (const ElfW(Phdr) *)((uintptr_t)header + header->e_phoff);
    const ElfW(Dyn) *dynamic = NULL;
    size_t size = 0;
    for (int i = 0; i < header->e_phnum; i++) {
        if (segment[i].p_type == PT_LOAD) {
            vdso->base = (uintptr_t)header + segment[i].p_offset - segment[i].p_vaddr;
            size = segment[i].p_offset + segment[i].p_memsz;
        } else if (segment[i].p_type == PT_DYNAMIC) {
            dynamic = (const ElfW(Dyn) *)((uintptr_t)header + segment[i].p_offset);
        }
    }
    if (dynamic)
        read_dynamic(vdso, dynamic);
    return (size + PAGE - 1) / PAGE * PAGE;
}

void vdso_make_system_calls(void) {
    void *header = (void *)getauxval(AT_SYSINFO_EHDR);
    if (!header)
        return;
    struct vdso vdso = {0};
    size_t size = read_headers(&vdso, header);
    if (size == 0 || !vdso.symbol || !vdso.name || mprotect(header, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return;
    for (uint32_t i = 0; i < vdso.symbols; i++)
        for (size_t r = 0; r < sizeof replaced / sizeof *replaced; r++)
            if (vdso.symbol[i].st_value && strcmp(vdso.name + vdso.symbol[i].st_name, replaced[r].name) == 0)
                overwrite((unsigned char *)(vdso.base + vdso.symbol[i].st_value), replaced[r].number);
    mprotect(header, size, PROT_READ | PROT_EXEC);
}
