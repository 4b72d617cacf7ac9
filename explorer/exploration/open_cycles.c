#include "explorer/exploration/open_cycles.h"

#include "explorer/machine/machine.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <string.h>

/* Are the bytes of one of the instructions there? They may also be part of others: nothing is disassembled for a note. */
static bool reads_counter(const void *code, size_t size) {
    return memmem(code, size, "\x0f\x31", 2) /* rdtsc */ || memmem(code, size, "\x0f\x01\xf9", 3) /* rdtscp */;
}

static bool module_reads_counter(const struct module *module) {
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(module->module, &bias);
    size_t headers = 0;
    if (!elf || elf_getphdrnum(elf, &headers) != 0)
        return false;
    for (size_t i = 0; i < headers; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD || !(header.p_flags & PF_X))
            continue;
        const Elf_Data *code = elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_BYTE);
        if (code && reads_counter(code->d_buf, code->d_size))
            return true;
    }
    return false;
}

/* NULL: there is none. */
static const char *reader_in(struct modules *modules) {
    size_t count = 0;
    const struct module *module = modules ? modules_list(modules, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        if (module[i].kind == MODULE_PROGRAM && module_reads_counter(&module[i]))
            return module[i].name;
    return NULL;
}

char *open_cycles_tell(const struct exploration *exploration) {
    const char *reader = NULL;
    for (unsigned i = 0; i < exploration->options->program_count && !reader; i++)
        reader = reader_in(sites_modules(exploration->sites, i));
    char text[400];
    if (!reader || machine_closes_cycles())
        return NULL;
    snprintf(
        text, sizeof text,
        "the code of %.200s may read the processor's cycle counter (rdtsc), which this machine does not let be closed to it: "
        "ranks that do something else each time are not always noticed",
        reader);
    return strdup(text);
}
