#include "models/mpi/preload/memory/static_objects.h"

#include "models/mpi/preload/call_site.h"

#include <ctype.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sorted by their starts, and by their ends as well. */
static struct {
    struct static_object *object;
    size_t objects;
} table;

/* The file of a module. Read here and not by libelf, which would be one library more in each rank, with memory of its own that is
 * part of every local state. */
struct elf {
    const char *bytes; /* mapped */
    size_t size;
    const ElfW(Shdr) * section;
    size_t sections;
    const char *section_names;
};

static const void *part(const struct elf *elf, uint64_t offset, uint64_t size) {
    return offset <= elf->size && size <= elf->size - offset ? elf->bytes + offset : NULL;
}

static const void *content(const struct elf *elf, const ElfW(Shdr) * section) {
    return part(elf, section->sh_offset, section->sh_size);
}

static bool find_sections(struct elf *elf) {
    const ElfW(Ehdr) *header = part(elf, 0, sizeof *header);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shentsize != sizeof *elf->section)
        return false;
    elf->sections = header->e_shnum;
    elf->section = part(elf, header->e_shoff, elf->sections * sizeof *elf->section);
    if (!elf->section || header->e_shstrndx >= elf->sections)
        return false;
    elf->section_names = content(elf, &elf->section[header->e_shstrndx]);
    return elf->section_names != NULL;
}

static bool elf_open(struct elf *elf, const char *path) {
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    void *bytes = MAP_FAILED;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (bytes == MAP_FAILED)
        return false;
    *elf = (struct elf){.bytes = bytes, .size = (size_t)status.st_size};
    if (find_sections(elf))
        return true;
    munmap(bytes, elf->size);
    return false;
}

/* The full table if it was not stripped. */
static const ElfW(Shdr) * symbol_table(const struct elf *elf) {
    const ElfW(Shdr) *found = NULL;
    for (size_t i = 0; i < elf->sections; i++) {
        uint32_t type = elf->section[i].sh_type;
        if (type == SHT_SYMTAB || (type == SHT_DYNSYM && !found))
            found = &elf->section[i];
    }
    return found;
}

static bool goes_through_all(const struct elf *elf, uint16_t section) {
    const char *name = elf->section_names + elf->section[section].sh_name;
    return isalpha((unsigned char)name[0]) || name[0] == '_';
}

static bool is_object(const struct elf *elf, const ElfW(Sym) * symbol) {
    return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_size > 0 && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_shndx < elf->sections && !goes_through_all(elf, symbol->st_shndx);
}

/* All modules are gone over twice: for how many objects there might be, and to put them down. */
struct listing {
    struct static_object *object; /* NULL: the first time */
    size_t objects;
};

static void list_object(struct listing *listing, uintptr_t start, uint64_t size, const char *name) {
    struct static_object *object = &listing->object[listing->objects++];
    object->start = start;
    object->end = start + size;
    memcpy(object->name, name, strnlen(name, sizeof object->name - 1));
}

static void list_symbols(struct listing *listing, const struct elf *elf, uintptr_t base) {
    const ElfW(Shdr) *symbols = symbol_table(elf);
    if (!symbols || symbols->sh_link >= elf->sections)
        return;
    const ElfW(Sym) *symbol = content(elf, symbols);
    const ElfW(Shdr) *strings = &elf->section[symbols->sh_link];
    const char *name = content(elf, strings);
    size_t count = symbols->sh_size / sizeof *symbol;
    if (!symbol || !name || strings->sh_size == 0 || name[strings->sh_size - 1] != '\0')
        return;
    if (!listing->object) {
        listing->objects += count;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_object(elf, &symbol[i]) && symbol[i].st_name < strings->sh_size)
            list_object(listing, base + symbol[i].st_value, symbol[i].st_size, name + symbol[i].st_name);
    }
}

/* MPICH's variables and this library's are nobody's buffers. */
static bool is_programs(const struct dl_phdr_info *module) {
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) && call_site_is_mpich(module->dlpi_addr + segment->p_vaddr))
            return false;
    }
    return true;
}

static int list_module(struct dl_phdr_info *module, size_t size, void *listing) {
    (void)size;
    struct elf elf;
    const char *path = module->dlpi_name[0] == '\0' ? "/proc/self/exe" : module->dlpi_name;
    if (!is_programs(module) || !elf_open(&elf, path))
        return 0;
    list_symbols(listing, &elf, module->dlpi_addr);
    munmap((void *)elf.bytes, elf.size);
    return 0;
}

static int compare(const void *a, const void *b) {
    const struct static_object *one = a, *other = b;
    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    return (one->end < other->end) - (one->end > other->end);
}

/* Leaves out what lies within another: of those that remain, a later one also ends later. */
static size_t keep_outermost(struct static_object *object, size_t objects) {
    size_t kept = 0;
    for (size_t i = 0; i < objects; i++) {
        if (kept == 0 || object[i].end > object[kept - 1].end)
            object[kept++] = object[i];
    }
    return kept;
}

void static_objects_find(void) {
    struct listing might_be = {0}, listing = {0};
    dl_iterate_phdr(list_module, &might_be);
    size_t bytes = might_be.objects * sizeof *listing.object;
    if (bytes == 0)
        return;
    listing.object = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (listing.object == MAP_FAILED)
        return;
    dl_iterate_phdr(list_module, &listing);
    qsort(listing.object, listing.objects, sizeof *listing.object, compare);
    table.objects = keep_outermost(listing.object, listing.objects);
    table.object = listing.object;
    mprotect(listing.object, bytes, PROT_READ);
}

const struct static_object *static_object_at(const void *address) {
    uintptr_t at = (uintptr_t)address;
    size_t from = 0, to = table.objects; /* the last that begins at the address or before it */
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (table.object[middle].start <= at)
            from = middle + 1;
        else
            to = middle;
    }
    return from > 0 && at < table.object[from - 1].end ? &table.object[from - 1] : NULL;
}
