#include "heuristics/portfolio.h"

#include "models/growing.h"

enum { TURN_MOST = 64 };

struct portfolio {
    size_t members, at; /* at: whose turn it is */
    unsigned left;      /* orderings of the turn */
    struct portfolio_member member[];
};

/* Strategies of one seed draw different lots, and one strategy the same whoever else is there. */
static uint64_t seed_of(uint64_t seed, const char *name) {
    for (; *name; name++)
        seed = (seed ^ (unsigned char)*name) * 0x100000001b3u;
    return seed;
}

struct portfolio *portfolio_create(const struct strategy *const *member, size_t members, unsigned ranks, uint64_t seed) {
    struct portfolio *portfolio = growing_new(sizeof *portfolio + members * sizeof *portfolio->member);
    portfolio->members = members;
    for (size_t i = 0; i < members; i++)
        portfolio->member[i] = (struct portfolio_member){
            .strategy = member[i], .self = member[i]->create(ranks, seed_of(seed, member[i]->name)), .turn = 1};
    portfolio->left = 1;
    return portfolio;
}

void portfolio_destroy(struct portfolio *portfolio) {
    for (size_t i = 0; i < portfolio->members; i++)
        portfolio->member[i].strategy->destroy(portfolio->member[i].self);
    free(portfolio);
}

static unsigned next_turn(const struct portfolio_member *member) {
    if (member->news)
        return member->turn < TURN_MOST ? member->turn * 2 : TURN_MOST;
    return member->turn > 1 ? member->turn / 2 : 1;
}

static void pass_on(struct portfolio *portfolio) {
    struct portfolio_member *member = &portfolio->member[portfolio->at];
    member->turn = next_turn(member);
    portfolio->at = (portfolio->at + 1) % portfolio->members;
    member = &portfolio->member[portfolio->at];
    member->news = false;
    portfolio->left = member->turn;
}

bool portfolio_begin(struct portfolio *portfolio) {
    if (!portfolio->left)
        pass_on(portfolio);
    for (size_t tried = 0; tried < portfolio->members; tried++, pass_on(portfolio)) {
        struct portfolio_member *member = &portfolio->member[portfolio->at];
        member->exhausted = member->exhausted || !member->strategy->begin(member->self);
        if (member->exhausted)
            continue;
        member->orderings++;
        return true;
    }
    return false;
}

size_t portfolio_choose(struct portfolio *portfolio, const struct strategy_choice *choice) {
    struct portfolio_member *member = &portfolio->member[portfolio->at];
    return member->strategy->choose(member->self, choice);
}

void portfolio_end(struct portfolio *portfolio, bool news, bool ended) {
    struct portfolio_member *member = &portfolio->member[portfolio->at];
    member->news |= news;
    if (ended && member->strategy->end)
        member->strategy->end(member->self);
    portfolio->left--;
}

const struct portfolio_member *portfolio_members(const struct portfolio *portfolio, size_t *count) {
    *count = portfolio->members;
    return portfolio->member;
}

uint64_t portfolio_memory(const struct portfolio *portfolio) {
    uint64_t bytes = sizeof *portfolio + portfolio->members * sizeof *portfolio->member;
    for (size_t i = 0; i < portfolio->members; i++)
        bytes += portfolio->member[i].strategy->memory(portfolio->member[i].self);
    return bytes;
}
