#include "models/mpi/preload/process/machine_unseen.h"

#include <stddef.h>
#include <stdlib.h>

static struct {
    const char *name, *unseen;
    char *own; /* the program's own value; NULL: none */
} variable[] = {
    {"HWLOC_COMPONENTS", "no_os,stop", NULL},
    {"HWLOC_PLUGINS_PATH", "/nowhere", NULL},
};
enum { VARIABLES = sizeof variable / sizeof *variable };

void machine_hide(void) {
    for (size_t i = 0; i < VARIABLES; i++) {
        variable[i].own = getenv(variable[i].name);
        setenv(variable[i].name, variable[i].unseen, 1);
    }
}

void machine_show(void) {
    for (size_t i = 0; i < VARIABLES; i++) {
        if (variable[i].own)
            setenv(variable[i].name, variable[i].own, 1);
        else
            unsetenv(variable[i].name);
    }
}
