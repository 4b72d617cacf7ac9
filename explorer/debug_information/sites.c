#include "explorer/debug_information/sites.h"

#include "explorer/containers/memory.h"
#include "explorer/debug_information/source_names.h"
#include "models/name_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct known {
    uint64_t address;
    unsigned program;
    struct site site;
    bool described;
    char *owned[2]; /* path of the file, function: copies */
};

struct sites {
    struct known *known;
    size_t count, room;
    struct name_table numbers;
    struct modules *modules[SITES_PROGRAMS_MOST];
    char text[512];
};

struct sites *sites_create(void) {
    struct sites *sites = memory_take_zeroed(sizeof *sites);
    sites->known = memory_room(NULL, &sites->room, 0, sizeof *sites->known);
    memset(&sites->known[0], 0, sizeof *sites->known);
    sites->count = 1; /* number 0 is no site */
    return sites;
}

void sites_destroy(struct sites *sites) {
    for (size_t i = 0; i < sites->count; i++) {
        free(sites->known[i].owned[0]);
        free(sites->known[i].owned[1]);
    }
    for (unsigned i = 0; i < SITES_PROGRAMS_MOST; i++)
        modules_free(sites->modules[i]);
    name_table_free(&sites->numbers);
    free(sites->known);
    free(sites);
}

void sites_load(struct sites *sites, unsigned program, pid_t pid) { sites->modules[program] = modules_load(pid); }

struct modules *sites_modules(struct sites *sites, unsigned program) {
    return sites->modules[program];
}

uint32_t sites_intern(struct sites *sites, unsigned program, uint64_t address) {
    if (address == 0)
        return 0;
    struct name name = {address, program};
    uint32_t number = name_table_find(&sites->numbers, name);
    if (number != NAME_UNKNOWN)
        return number;
    sites->known = memory_room(sites->known, &sites->room, sites->count, sizeof *sites->known);
    sites->known[sites->count] = (struct known){.address = address, .program = program, .site = {"", 0, "", "", 0, ""}};
    name_table_add(&sites->numbers, name, (uint32_t)sites->count);
    return (uint32_t)sites->count++;
}

/* The address is that of the instruction after the call, so one less is in the call's line. */
static void describe(struct sites *sites, struct known *known) {
    known->described = true;
    struct modules *modules = sites->modules[known->program];
    Dwfl_Module *module = modules ? dwfl_addrmodule(modules_dwfl(modules), known->address - 1) : NULL;
    if (!module)
        return;
    Dwarf_Addr start;
    const char *path = dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
    known->site.module = path ? path_base(path) : "";
    known->site.offset = known->address - 1 - start;
    int number;
    const char *file = NULL;
    bool has_line = modules_line(modules, known->address - 1, &file, &number);
    struct source_name function = source_name_at(modules, known->address - 1);
    known->owned[0] = strdup(has_line ? file : "");
    known->owned[1] = strdup(function.text);
    known->site.path = known->owned[0];
    known->site.file = path_base(known->owned[0]);
    known->site.line = has_line ? number : 0;
    known->site.function = known->owned[1];
}

struct site sites_describe(struct sites *sites, uint32_t number) {
    if (number == 0 || number >= sites->count)
        return (struct site){"", 0, "", "", 0, ""};
    struct known *known = &sites->known[number];
    if (!known->described)
        describe(sites, known);
    return known->site;
}

const char *sites_text(struct sites *sites, uint32_t number) {
    struct site site = sites_describe(sites, number);
    if (site.line)
        snprintf(sites->text, sizeof sites->text, "%s:%d", site.file, site.line);
    else if (site.function[0])
        snprintf(sites->text, sizeof sites->text, "%s in %s", site.function, site.module);
    else if (site.module[0])
        snprintf(sites->text, sizeof sites->text, "%s+0x%llx", site.module, (unsigned long long)site.offset);
    else
        sites->text[0] = 0;
    return sites->text;
}
