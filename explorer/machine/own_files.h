/* Where this tool's own files are. */
#ifndef EXPLORER_OWN_FILES_H
#define EXPLORER_OWN_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* The explore executable: PATH_MAX bytes. */
bool own_executable(char *path);
/* A library of ours: beside the executable (build folder) or in ../lib/explore (installed). */
bool own_library(const char *name, char *path, size_t room);

#endif
