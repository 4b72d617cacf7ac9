/* What is judged is a group: all calls in one place, and barriers that ranks enter together in several. A compiler may make several
 * places of one in the source; they are the same to whoever reads the advice. */
#include "explorer/exploration/advice.h"

#include "explorer/exploration/exploration.h"

#include <stdlib.h>
#include <string.h>

static bool are_one_place(struct sites *sites, const struct apart_call *a, const struct apart_call *b) {
    if (a->function != b->function)
        return false;
    char *text = strdup(sites_text(sites, a->site));
    bool same = text && strcmp(text, sites_text(sites, b->site)) == 0;
    free(text);
    return same;
}

static void join_groups(struct apart_call *call, size_t calls, uint32_t group, uint32_t other) {
    for (size_t i = 0; i < calls; i++)
        if (call[i].group == other)
            call[i].group = group;
}

/* By groups, and by their lines. */
static int in_order(const void *a, const void *b, void *sites) {
    const struct apart_call *x = a, *y = b;
    int line = sites_describe(sites, x->site).line, other = sites_describe(sites, y->site).line;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return line != other ? (line > other) - (line < other) : (x->site > y->site) - (x->site < y->site);
}

static void group_by_place(struct sites *sites, struct apart_call *call, size_t calls) {
    for (size_t i = 0; i < calls; i++)
        for (size_t other = i + 1; other < calls; other++)
            if (are_one_place(sites, &call[i], &call[other]))
                join_groups(call, calls, call[i].group, call[other].group);
    qsort_r(call, calls, sizeof *call, in_order, sites);
}

static size_t calls_of_group(const struct apart_call *first, size_t calls) {
    size_t count = 1;
    while (count < calls && first[count].group == first->group)
        count++;
    return count;
}

static bool is_useless(struct exploration *exploration, const struct apart_call *group, size_t calls) {
    uint32_t *site = calloc(calls, sizeof *site);
    bool useless = site != NULL;
    for (size_t i = 0; useless && i < calls; i++) {
        site[i] = group[i].site;
        useless = !group[i].tells;
    }
    useless = useless && proof_without(exploration, (struct apart_loose){site, calls});
    free(site);
    return useless;
}

/* Appends one call for each place of the group. */
static size_t keep_places(struct sites *sites, struct apart_call *kept, size_t keeps, const struct apart_call *group,
                          size_t calls) {
    size_t begin = keeps;
    for (size_t i = 0; i < calls; i++) {
        const struct apart_call call = group[i];
        bool is_new = true;
        for (size_t earlier = begin; earlier < keeps; earlier++)
            is_new = is_new && !are_one_place(sites, &kept[earlier], &call);
        if (is_new)
            kept[keeps++] = call;
    }
    return keeps;
}

size_t advice_find(struct exploration *exploration, struct apart_call **call) {
    struct parts_proof proof;
    size_t useless = 0;
    *call = NULL;
    if (!proof_is_possible(exploration))
        return 0;
    bool proved = proof_by_parts(exploration, &proof);
    *call = proof.hold;
    group_by_place(exploration->sites, proof.hold, proof.holding);
    for (size_t i = 0, calls; proved && i < proof.holding; i += calls) {
        calls = calls_of_group(proof.hold + i, proof.holding - i);
        if (is_useless(exploration, proof.hold + i, calls))
            useless = keep_places(exploration->sites, *call, useless, proof.hold + i, calls);
    }
    return useless;
}
