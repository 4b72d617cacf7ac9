/* A validator of the part of JSON Schema that the schemas in explorer/ use. Stricter: what is not in "properties" is wrong. */
#ifndef TESTS_CLI_JSON_SCHEMA_H
#define TESTS_CLI_JSON_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

/* `root` is the whole schema. False: `why` (128 bytes, empty before) says where, or nothing. */
bool json_valid(const json_t *schema, const json_t *root, const json_t *value, char *why);

#endif
