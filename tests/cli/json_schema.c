#include "tests/cli/json_schema.h"

#include <stdio.h>
#include <string.h>

static bool has_type(const char *type, const json_t *value) {
    return (!strcmp(type, "object") && json_is_object(value)) || (!strcmp(type, "array") && json_is_array(value)) ||
           (!strcmp(type, "string") && json_is_string(value)) || (!strcmp(type, "integer") && json_is_integer(value)) ||
           (!strcmp(type, "number") && json_is_number(value)) || (!strcmp(type, "boolean") && json_is_boolean(value)) ||
           (!strcmp(type, "null") && json_is_null(value));
}

static bool type_matches(const json_t *type, const json_t *value) {
    if (!type)
        return true;
    if (json_is_string(type))
        return has_type(json_string_value(type), value);
    for (size_t i = 0; i < json_array_size(type); i++)
        if (has_type(json_string_value(json_array_get(type, i)), value))
            return true;
    return false;
}

static bool in_enum(const json_t *list, const json_t *value) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_equal(json_array_get(list, i), value))
            return true;
    return !list;
}

static bool members_valid(const json_t *schema, const json_t *root, const json_t *value, char *why) {
    const json_t *properties = json_object_get(schema, "properties");
    const char *key;
    json_t *member, *item;
    size_t i;
    json_array_foreach(json_object_get(schema, "required"), i, item) if (!json_object_get(value, json_string_value(item))) {
        sprintf(why, "%s is missing", json_string_value(item));
        return false;
    }
    json_object_foreach((json_t *)value, key, member) {
        const json_t *sub = json_object_get(properties, key);
        if (!sub || !json_valid(sub, root, member, why)) {
            if (!*why)
                sprintf(why, "at %s", key);
            return false;
        }
    }
    return true;
}

static bool one_valid(const json_t *schemas, const json_t *root, const json_t *value, char *why) {
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(schemas); i++) {
        *why = 0;
        count += json_valid(json_array_get(schemas, i), root, value, why);
    }
    if (count == 1)
        *why = 0;
    return count == 1;
}

bool json_valid(const json_t *schema, const json_t *root, const json_t *value, char *why) {
    const char *reference = json_string_value(json_object_get(schema, "$ref"));
    if (reference) /* "#/$defs/NAME" */
        schema = json_object_get(json_object_get(root, "$defs"), strrchr(reference, '/') + 1);
    if (json_object_get(schema, "oneOf"))
        return one_valid(json_object_get(schema, "oneOf"), root, value, why);
    if (!type_matches(json_object_get(schema, "type"), value) || !in_enum(json_object_get(schema, "enum"), value))
        return false;
    for (size_t i = 0; json_is_array(value) && i < json_array_size(value); i++)
        if (!json_valid(json_object_get(schema, "items"), root, json_array_get(value, i), why))
            return false;
    return !json_is_object(value) || members_valid(schema, root, value, why);
}
