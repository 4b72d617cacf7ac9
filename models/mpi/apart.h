/* One rank apart from the others: what it does with messages that are handed to it one by one, whoever sends them and whenever. For
 * the proof by parts, whose terms are used here (models/part.h): lines, gifts, meetings. The rank's state is a component of the
 * model, without what only concerns others: sends that nobody waits for, collectives that it has left.
 *
 * What cannot be done apart gives up: functions that do return false, or NULL, and apart_reason says why. */
#ifndef MODELS_MPI_APART_H
#define MODELS_MPI_APART_H

#include "models/mpi/model.h"
#include "models/part.h"

struct apart;

/* A place of the program. Barriers that ranks enter in several places are one group. */
struct apart_call {
    uint32_t site;
    uint32_t group;
    uint16_t function;
    bool tells; /* of barriers: by it ranks hear what others have stored in a shared window */
};

/* Sites of calls of MPI_Barrier, MPI_Ssend or MPI_Issend that are taken to hold nobody up. Of a group all or none. */
struct apart_loose {
    const uint32_t *site;
    size_t sites;
};

/* Apart from whatever else is done with the model. It, and what is loose, must outlive this. */
struct apart *apart_create(struct mpi_model *model, unsigned ranks, struct apart_loose loose);
void apart_destroy(struct apart *apart);
const char *apart_reason(const struct apart *apart);

/* The rank's answer, if its call now has one whatever happens: START, and waiting for requests that are complete. NULL: it
 * waits. */
const struct resolution *apart_ready(struct apart *apart, unsigned rank, uint32_t component);
/* The rank got the answer and its step did `result`. Appends what it gave to the gifts, see apart_gifts. */
bool apart_step(struct apart *apart, unsigned rank, uint32_t *component, const struct resolution *answer,
                const struct step_result *result);
size_t apart_gifts(const struct apart *apart, const struct part_gift **gift);
void apart_forget_gifts(struct apart *apart);

/* How it stands, as part_stand but for ends. */
bool apart_stand(struct apart *apart, unsigned rank, uint32_t component, struct part_stand *stand);
uint32_t apart_takes(const struct apart *apart, uint32_t component, uint32_t content);
uint32_t apart_unreleased(const struct apart *apart, uint32_t component, uint32_t content);
bool apart_unnoticed(const struct apart *apart, uint32_t component, uint32_t content);
/* Makes the move, all but PART_BEGIN. *answer: what the rank is then told, or NULL if that is for apart_ready to say. */
bool apart_move(struct apart *apart, unsigned rank, uint32_t *component, const struct part_move *move,
                const struct resolution **answer);

uint32_t apart_members(const struct apart *apart, uint32_t line);
bool apart_needs(const struct apart *apart, uint32_t content, unsigned other);
/* A call that gave this content: its function and site. */
void apart_tell(const struct apart *apart, uint32_t content, uint16_t *function, uint32_t *site, int32_t *tag);
/* Number of the bytes of a message; NO_PAYLOAD: it has none. */
uint32_t apart_payload(const struct apart *apart, uint32_t content);
/* Places met so far in which MPI_Barrier, MPI_Ssend or MPI_Issend is called. Returns how many; `call`: malloc'd. */
size_t apart_holding(const struct apart *apart, struct apart_call **call);
/* May all that these contents are of be sent before the first is received? Not if they do not fit into the attached buffer. */
bool apart_fits(struct apart *apart, unsigned rank, const uint32_t *content, size_t contents);

#endif
