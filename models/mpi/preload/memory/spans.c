#include "models/mpi/preload/memory/spans.h"

bool spans_add(struct spans *spans, uint64_t from, uint64_t to) {
    struct spans united = {0};
    uint64_t i = 0;
    while (i < spans->count && spans->span[i].to < from)
        united.span[united.count++] = spans->span[i++];
    for (; i < spans->count && spans->span[i].from <= to; i++) {
        from = spans->span[i].from < from ? spans->span[i].from : from;
        to = spans->span[i].to > to ? spans->span[i].to : to;
    }
    if (united.count + 1 + spans->count - i > WIRE_SPANS_MOST)
        return false;
    united.span[united.count++] = (struct wire_span){from, to};
    while (i < spans->count)
        united.span[united.count++] = spans->span[i++];
    *spans = united;
    return true;
}

bool spans_hold(const struct spans *spans, uint64_t from, uint64_t to) {
    uint64_t i = 0;
    while (i < spans->count && spans->span[i].to < to)
        i++;
    return from >= to || (i < spans->count && spans->span[i].from <= from);
}

bool spans_meet(const struct spans *spans, uint64_t from, uint64_t to) {
    struct wire_span part;
    return spans_take(spans, true, &from, to, &part);
}

bool spans_take(const struct spans *spans, bool within, uint64_t *at, uint64_t end, struct wire_span *part) {
    while (*at < end) {
        uint64_t i = 0, until = end;
        while (i < spans->count && spans->span[i].to <= *at)
            i++;
        const bool held = i < spans->count && spans->span[i].from <= *at;
        if (i < spans->count)
            until = held ? spans->span[i].to : spans->span[i].from;
        until = until < end ? until : end;
        *part = (struct wire_span){*at, until};
        *at = until;
        if (held == within)
            return true;
    }
    return false;
}
