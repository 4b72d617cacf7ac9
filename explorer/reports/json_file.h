/* Reports that are one JSON object in a file. */
#ifndef EXPLORER_JSON_FILE_H
#define EXPLORER_JSON_FILE_H

#include <jansson.h>
#include <stdbool.h>

/* The file is either the old or the new whole. The object is taken. False: errno. */
bool json_file_write(const char *path, json_t *object);

#endif
