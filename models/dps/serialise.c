/* The binary form of described objects. A member whose number of elements varies begins with that number (uint32_t). */
#include "models/dps/members.h"

#include <stdlib.h>
#include <string.h>

/* Where the bytes go; null counts them only. */
struct sink {
    unsigned char *at;
    size_t bytes;
};

static void put(struct sink *sink, const void *bytes, size_t size) {
    if (sink->at && size)
        memcpy(sink->at + sink->bytes, bytes, size);
    sink->bytes += size;
}

static void put_object(struct sink *sink, const struct dps_type *type, const void *object) {
    for (size_t i = 0; i < type->members; i++) {
        const struct dps_member *member = &type->member[i];
        struct elements elements = member_elements(member, object);
        uint32_t count = (uint32_t)elements.count;
        if (member_varies(member))
            put(sink, &count, sizeof count);
        if (member->element != DPS_OBJECT) {
            put(sink, elements.at, elements.count * elements.size);
            continue;
        }
        for (size_t e = 0; e < elements.count; e++)
            put_object(sink, member->type, elements.at + e * elements.size);
    }
}

size_t dps_size(const struct dps_type *type, const void *object) {
    struct sink sink = {NULL, 0};
    put_object(&sink, type, object);
    return sink.bytes;
}

void dps_write(const struct dps_type *type, const void *object, void *bytes) {
    struct sink sink = {bytes, 0};
    put_object(&sink, type, object);
}

struct source {
    const unsigned char *at;
    size_t left;
};

static bool get(struct source *source, void *bytes, size_t size) {
    if (size > source->left)
        return false;
    if (size)
        memcpy(bytes, source->at, size);
    source->at += size;
    source->left -= size;
    return true;
}

/* Room for the elements: in the object, or allocated and entered there. Null if there cannot be so many. */
static unsigned char *make_room(const struct dps_member *member, unsigned char *object, uint32_t count) {
    if (!member_varies(member))
        return object + member->offset;
    unsigned char *room = calloc(count ? count : 1, member_element_size(member));
    if (!room)
        abort();
    memcpy(object + member->offset, &room, sizeof room);
    if (member->shape == DPS_POINTED)
        memcpy(object + member->count_offset, &count, sizeof count);
    return room;
}

static bool count_is_possible(const struct dps_member *member, uint32_t count, const struct source *source) {
    size_t least = member->element == DPS_OBJECT ? 1 : member_element_size(member);
    return count <= source->left / least && (member->shape != DPS_REFERENCE || count <= 1);
}

/* Lists may have one member for the number of their elements: then they have as many. */
static bool count_is_of_all(const struct dps_type *type, const struct dps_member *member, uint32_t count,
                            const unsigned char *object) {
    uint32_t other;
    for (const struct dps_member *earlier = type->member; earlier < member; earlier++) {
        if (earlier->shape != DPS_POINTED || member->shape != DPS_POINTED || earlier->count_offset != member->count_offset)
            continue;
        memcpy(&other, object + member->count_offset, sizeof other);
        if (other != count)
            return false;
    }
    return true;
}

static bool get_object(struct source *source, const struct dps_type *type, unsigned char *object);

static bool get_member(struct source *source, const struct dps_type *type, const struct dps_member *member,
                       unsigned char *object) {
    uint32_t count = member->shape == DPS_ARRAY ? (uint32_t)member->count : 1;
    if (member_varies(member)) {
        if (!get(source, &count, sizeof count) || !count_is_possible(member, count, source) ||
            !count_is_of_all(type, member, count, object))
            return false;
        if (count == 0)
            return true; /* null, and a number of 0 */
    }
    size_t size = member_element_size(member);
    unsigned char *room = make_room(member, object, count);
    if (member->element != DPS_OBJECT)
        return get(source, room, count * size) && (member->shape != DPS_STRING || room[count - 1] == 0);
    for (uint32_t e = 0; e < count; e++)
        if (!get_object(source, member->type, room + e * size))
            return false;
    return true;
}

static bool get_object(struct source *source, const struct dps_type *type, unsigned char *object) {
    for (size_t i = 0; i < type->members; i++)
        if (!get_member(source, type, &type->member[i], object))
            return false;
    return true;
}

bool dps_read(const struct dps_type *type, void *object, const void *bytes, size_t size) {
    struct source source = {bytes, size};
    memset(object, 0, type->size);
    if (get_object(&source, type, object) && source.left == 0)
        return true;
    dps_release(type, object);
    return false;
}

/* Where the member's elements are; null: nowhere. */
static unsigned char *elements_of(const struct dps_member *member, void *object) {
    unsigned char *place = (unsigned char *)object + member->offset, *pointer;
    if (!member_varies(member))
        return place;
    memcpy(&pointer, place, sizeof pointer);
    return pointer;
}

void dps_release(const struct dps_type *type, void *object) {
    for (size_t i = 0; i < type->members; i++) {
        const struct dps_member *member = &type->member[i];
        unsigned char *element = elements_of(member, object);
        size_t count = element && member->element == DPS_OBJECT ? member_elements(member, object).count : 0;
        for (size_t e = 0; e < count; e++)
            dps_release(member->type, element + e * member->type->size);
        if (member_varies(member))
            free(element);
    }
    memset(object, 0, type->size);
}
