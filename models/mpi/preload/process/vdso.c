#include "models/mpi/preload/process/vdso.h"

#include "ckpt/raw_syscall.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* The kernel's mapping; it changes protection as a whole only. */
static bool find_mapping(struct vdso *vdso) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4600];
    bool found = false;
    while (maps && !found && fgets(line, sizeof line, maps))
        found = strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", &vdso->start, &vdso->end) == 2;
    if (maps)
        fclose(maps);
    return found;
}

void vdso_find(struct vdso *vdso) {
    static const struct {
        const char *name;
        uint32_t number;
    } wanted[VDSO_FUNCTIONS] = {{"__vdso_clock_gettime", SYS_clock_gettime},
                                {"__vdso_gettimeofday", SYS_gettimeofday},
                                {"__vdso_time", SYS_time},
                                {"__vdso_getcpu", SYS_getcpu}};
    *vdso = (struct vdso){0};
    void *library = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!library || !find_mapping(vdso))
        return;
    for (int i = 0; i < VDSO_FUNCTIONS; i++) {
        vdso->function[i].code = dlvsym(library, wanted[i].name, "LINUX_2.6");
        vdso->function[i].number = wanted[i].number;
    }
    dlclose(library);
}

/* Writes over the beginning of a function of the kernel's: mov $number, %eax; syscall; ret */
static void replace(unsigned char *function, uint32_t number) {
    unsigned char code[] = {0xb8, 0, 0, 0, 0, 0x0f, 0x05, 0xc3};
    memcpy(code + 1, &number, sizeof number);
    memcpy(function, code, sizeof code);
}

void vdso_use_system_calls(const struct vdso *vdso) {
    size_t size = vdso->end - vdso->start;
    if (!size || RAW3(SYS_mprotect, vdso->start, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return;
    for (int i = 0; i < VDSO_FUNCTIONS; i++)
        if (vdso->function[i].code)
            replace(vdso->function[i].code, vdso->function[i].number);
    RAW3(SYS_mprotect, vdso->start, size, PROT_READ | PROT_EXEC);
}
