/* Walking through the members of a described object. Internal. */
#ifndef MODELS_DPS_MEMBERS_H
#define MODELS_DPS_MEMBERS_H

#include "models/dps/dps.h"

/* The elements of a member: where they are and how many. */
struct elements {
    const unsigned char *at;
    size_t count, size; /* size of each, bytes */
};

struct elements member_elements(const struct dps_member *member, const void *object);
size_t member_element_size(const struct dps_member *member);
/* Does the number of elements depend on the object? */
bool member_varies(const struct dps_member *member);

/* "int32", "double", or the name of the object's type. */
const char *member_type_name(const struct dps_member *member);
/* The value of one element that is no object, as text. */
void member_value_text(const struct dps_member *member, const void *element, char *text, size_t size);

#endif
