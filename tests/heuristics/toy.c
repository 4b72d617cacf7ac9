#include "tests/heuristics/toy.h"

#include <string.h>

static bool may_happen(const struct toy_message *message, size_t i, const bool *received) {
    if (received[i] || (message[i].needs != TOY_NEEDS_NOTHING && !received[message[i].needs]))
        return false;
    for (size_t earlier = 0; earlier < i; earlier++) /* one sender's messages to one receiver keep their order */
        if (!received[earlier] && message[earlier].from == message[i].from && message[earlier].to == message[i].to)
            return false;
    return true;
}

static size_t list_moves(const struct toy_message *message, size_t messages, const bool *received, struct transition *list,
                         char *letter) {
    size_t count = 0;
    for (size_t i = 0; i < messages; i++) {
        if (may_happen(message, i, received)) {
            letter[count] = (char)('a' + i);
            list[count++] = (struct transition){
                .kind = 1, .owner = message[i].to, .partner = message[i].from, .optional = message[i].optional};
        }
        if (message[i].polled && !received[i]) {
            letter[count] = '.';
            list[count++] = (struct transition){.kind = 2, .owner = message[i].to, .partner = message[i].to, .miss = true};
        }
    }
    return count;
}

const char *toy_ordering(const struct strategy *strategy, void *self, const struct toy_message *message, size_t messages,
                         size_t most) {
    static char ordering[256];
    bool received[TOY_MESSAGES] = {false};
    uint32_t progress[TOY_RANKS] = {0};
    size_t length = 0, count;
    uint64_t state = 1; /* and the messages received, as bits */
    struct transition list[2 * TOY_MESSAGES];
    char letter[2 * TOY_MESSAGES];
    if (strategy->begin(self))
        while (length < most && (count = list_moves(message, messages, received, list, letter)) > 0) {
            size_t taken = strategy->choose(self, &(struct strategy_choice){list, count, progress, state});
            ordering[length++] = letter[taken];
            progress[list[taken].owner]++;
            if (letter[taken] == '.')
                continue;
            received[letter[taken] - 'a'] = true;
            state |= 2u << (letter[taken] - 'a');
            progress[list[taken].partner] += list[taken].partner != list[taken].owner;
        }
    ordering[length] = 0;
    return ordering;
}
