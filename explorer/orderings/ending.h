/* One ordering followed in the explorer, and how it ended. */
#ifndef EXPLORER_ENDING_H
#define EXPLORER_ENDING_H

#include "explorer/exploration/exploration.h"
#include "explorer/search/walk.h"

struct ending {
    enum search_end end;
    char class_name[24]; /* of the finding, the first if there are several; "" if it ended well */
    char *message;
    bool all_ended;  /* the ranks; they may have left something behind, which is a finding */
    uint32_t *local; /* of each rank at the end */
    size_t moves;    /* all transitions that were taken, decisions or not */
    struct transition *move;
};

/* `tell` (may be NULL) as in search_follow. To be freed. */
struct ending ending_follow(struct exploration *exploration, const struct ordering *ordering,
                            void (*tell)(void *context, const struct decision *decision), void *context);
/* Of several findings that the ordering just followed leads to, takes the one that is looked for: with this message too, if there
 * is one. */
void ending_prefer(const struct exploration *exploration, struct ending *ending, const char *class_name, const char *message);
void ending_free(struct ending *ending);
/* Did something other than the program end it? */
bool ending_was_stopped(const struct exploration *exploration, const struct ending *ending);
/* Why, on stderr; the exit code. */
int ending_explain_stop(const struct exploration *exploration, enum search_end end);

void ending_print_message(const struct ending *ending);
/* What each rank wrote. */
void ending_print_output(struct exploration *exploration, const struct ending *ending);
/* One rank's output to a stream, as replays print it. */
void ending_print_text(unsigned rank, int stream, const char *text, size_t size);
bool endings_have_same_outcome(struct exploration *exploration, const struct ending *a, const struct ending *b);

/* A walk over the steps of an exploration, from the start. */
struct walk ending_walk(struct exploration *exploration);

/* One sentence on stderr; returns `code`. */
int replay_complain(const char *sentence, int code);

#endif
