#include "explorer/processes/program_check.h"

#include "explorer/containers/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool wrong(char *sentence, size_t room, const char *format, const char *name) {
    snprintf(sentence, room, format, name);
    return false;
}

static bool in_path(const char *program, char *path, size_t room) {
    const char *list = getenv("PATH");
    char *copy = strdup(list ? list : ""), *rest = copy;
    bool found = false;
    for (char *folder; !found && (folder = strsep(&rest, ":"));) {
        snprintf(path, room, "%s/%s", *folder ? folder : ".", program);
        found = access(path, X_OK) == 0;
    }
    free(copy);
    return found;
}

/* As mpiexec does: a file of that name in this folder first, then PATH. */
static bool find(const char *program, char *path, size_t path_room, char *sentence, size_t room) {
    snprintf(path, path_room, "%s%s", strchr(program, '/') ? "" : "./", program);
    if (strchr(program, '/') || access(path, F_OK) == 0 || in_path(program, path, path_room))
        return true;
    return wrong(sentence, room, "there is no program \"%s\" here or in PATH", program);
}

struct findings {
    bool dynamic, open_mpi, torn;
    const char *sanitizer; /* -fsanitize=NAME, whose library must come first and lays memory out by itself; NULL: none such */
};

static const char *sanitizer_of(const char *symbol) {
    static const char *const all[][2] = {
        {"__asan_init", "address"}, {"__hwasan_init", "hwaddress"}, {"__msan_init", "memory"}, {"__tsan_init", "thread"}};
    for (size_t i = 0; symbol != NULL && i < sizeof all / sizeof *all; i++)
        if (strcmp(symbol, all[i][0]) == 0)
            return all[i][1];
    return NULL;
}

static void look_at_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct findings *findings) {
    Elf_Data *data = elf_getdata(section, NULL);
    size_t entries = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; data && i < entries && findings->sanitizer == NULL; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol))
            findings->sanitizer = sanitizer_of(elf_strptr(elf, header->sh_link, symbol.st_name));
    }
}

static void look_at_dynamic(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct findings *findings) {
    Elf_Data *data = elf_getdata(section, NULL);
    size_t entries = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; data && i < entries; i++) {
        GElf_Dyn entry;
        if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag != DT_NEEDED)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        if (name && strncmp(name, "libmpi.so", 9) == 0)
            findings->open_mpi = true;
        if (name && strncmp(name, "liblsan.so", 10) == 0)
            findings->sanitizer = "leak";
    }
}

static struct findings look_at(Elf *elf, uint64_t file_bytes) {
    struct findings findings = {0};
    size_t segments = 0;
    findings.torn = elf_getphdrnum(elf, &segments) != 0;
    for (size_t i = 0; i < segments; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_offset > file_bytes ||
            header.p_filesz > file_bytes - header.p_offset)
            findings.torn = true;
        else if (header.p_type == PT_INTERP)
            findings.dynamic = true;
    }
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
            look_at_dynamic(elf, section, &header, &findings);
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
            look_at_symbols(elf, section, &header, &findings);
    }
    return findings;
}

static bool check_elf(const char *path, Elf *elf, uint64_t file_bytes, char *sentence, size_t room) {
    GElf_Ehdr header;
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return wrong(sentence, room, "%s is not a compiled program (ELF); give the MPI program itself, not a script", path);
    if (header.e_machine != EM_X86_64 || header.e_ident[EI_CLASS] != ELFCLASS64)
        return wrong(sentence, room, "%s is not a 64-bit x86 program, the only kind supported", path);
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return wrong(sentence, room, "%s is compiled but not linked into a program", path);
    struct findings findings = look_at(elf, file_bytes);
    if (findings.torn)
        return wrong(sentence, room, "%s is incomplete: the file ends before its contents do", path);
    if (!findings.dynamic)
        return wrong(sentence, room, "%s is statically linked, so its MPI calls cannot be seen; link it dynamically", path);
    if (findings.open_mpi)
        return wrong(sentence, room, "%s is linked with Open MPI; rebuild it with MPICH's mpicc (mpicc.mpich)", path);
    if (findings.sanitizer != NULL) {
        snprintf(sentence, room,
                 "%s is compiled with -fsanitize=%s, which does not go together with explore; compile it without", path,
                 findings.sanitizer);
        return false;
    }
    return true;
}

/* The dynamic linker preloads nothing into a program that gains rights when it is run. */
static bool gains_rights(const char *path, const struct stat *information) {
    bool user = information->st_mode & S_ISUID && information->st_uid != geteuid();
    bool group = information->st_mode & S_ISGID && information->st_mode & S_IXGRP && information->st_gid != getegid();
    return user || group || (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

bool program_check(const char *program, char *path, size_t path_room, char *sentence, size_t room) {
    struct stat information;
    if (!find(program, path, path_room, sentence, room))
        return false;
    if (stat(path, &information) != 0)
        return wrong(sentence, room, errno == ENOENT ? "there is no file %s" : "cannot look at %s: it cannot be reached", path);
    if (S_ISDIR(information.st_mode))
        return wrong(sentence, room, "%s is a directory, not a program", path);
    if (access(path, X_OK) != 0)
        return wrong(sentence, room, "%s is not executable", path);
    if (!S_ISREG(information.st_mode))
        return wrong(sentence, room, "%s is not an ordinary file", path);
    if (gains_rights(path, &information))
        return wrong(sentence, room,
                     "%s gains rights when it is run (set-user-id or the like), so nothing can be preloaded into it", path);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return wrong(sentence, room, "%s cannot be read", path);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    bool ok = check_elf(path, elf, (uint64_t)information.st_size, sentence, room);
    elf_end(elf);
    close(file);
    return ok;
}

char **program_check_all(const struct program *programs, unsigned count, char *sentence, size_t room) {
    char **path = memory_take_zeroed(count * sizeof *path);
    for (unsigned i = 0; i < count; i++) {
        char found[PATH_MAX];
        if (!program_check(programs[i].words[0], found, sizeof found, sentence, room)) {
            program_paths_free(path, count);
            return NULL;
        }
        path[i] = strdup(found);
    }
    return path;
}

void program_paths_free(char **path, unsigned count) {
    for (unsigned i = 0; path && i < count; i++)
        free(path[i]);
    free(path);
}
