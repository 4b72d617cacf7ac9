#include "explorer/machine/own_files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool own_executable(char *path) {
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length < 0)
        return false;
    path[length] = 0;
    return true;
}

bool own_library(const char *name, char *path, size_t room) {
    char own[PATH_MAX];
    if (!own_executable(own))
        return false;
    *strrchr(own, '/') = 0;
    static const char *const folders[] = {"", "../lib/explore/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if ((size_t)snprintf(path, room, "%s/%s%s", own, folders[i], name) < room && access(path, R_OK) == 0)
            return true;
    return false;
}
