/* Call sites: return addresses of MPI calls, interned, and what the program's debugging information says of them. */
#ifndef EXPLORER_SITES_H
#define EXPLORER_SITES_H

#include "explorer/debug_information/modules.h"

#include <stdint.h>
#include <sys/types.h>

struct sites;

/* The mappings are those of process `pid`, read when the first site is described; the process must still be there then. */
struct sites *sites_create(void);
void sites_destroy(struct sites *sites);
enum { SITES_PROGRAMS_MOST = 64 };
/* Takes the list of modules loaded by one of the programs that run together (numbered from 0) from its process. Without it sites
 * have no names. */
void sites_load(struct sites *sites, unsigned program, pid_t pid);
/* Those modules; NULL if they could not be read. */
struct modules *sites_modules(struct sites *sites, unsigned program);

/* The number of a return address in a program, from 1; 0 for address 0. */
uint32_t sites_intern(struct sites *sites, unsigned program, uint64_t address);

struct site {
    const char *file;     /* base name of the source file; "" if not known */
    int line;             /* 0 if not known */
    const char *function; /* "" if not known */
    const char *module;   /* base name of the executable or library; "" if not known */
    uint64_t offset;      /* of the call in the module */
    const char *path;     /* of the source file, as the compiler was given it; "" if not known */
};
/* Number 0 and addresses in no module give an empty site. The strings live as long as `sites`. */
struct site sites_describe(struct sites *sites, uint32_t number);
/* "file.c:12 (function)", or what is known; "" for nothing. Valid until the next call. */
const char *sites_text(struct sites *sites, uint32_t number);

#endif
