/* Probes: the message that the ordering has found is waited for. */
#include "models/mpi/enforce/enforce.h"

/* What a probe is to ask MPI for. */
struct asked {
    int source;
    bool real; /* the call is made as the program makes it */
    bool not_yet;
};

static struct asked ask(MPI_Comm communicator, int source) {
    if (source == MPI_PROC_NULL || enforce_records())
        return (struct asked){.source = source, .real = true};
    const struct choice_made *choice = enforce_choice(CHOICE_PROBE);
    if (!choice)
        return (struct asked){.source = source, .real = true};
    if (choice->word)
        return (struct asked){.not_yet = true};
    return (struct asked){.source = enforce_local_rank(communicator, choice->number[0])};
}

/* MPI_ERR_TRUNCATE and the like cannot come of a probe: a result other than success is an argument's fault. */
static int tell(MPI_Comm communicator, int source, int flag, const MPI_Status *found, MPI_Status *status, int result) {
    if (flag && status != MPI_STATUS_IGNORE)
        *status = *found;
    if (!enforce_records() || source == MPI_PROC_NULL || result != MPI_SUCCESS)
        return result;
    int32_t sender = flag ? enforce_world_rank(communicator, found->MPI_SOURCE) : 0;
    enforce_record(CHOICE_PROBE, flag ? WORD_NOTHING : WORD_NONE, &sender, flag != 0);
    return result;
}

EXPORT(Probe)
int MPI_Probe(int source, int tag, MPI_Comm communicator, MPI_Status *status) {
    ENTER(Probe, source, tag, communicator, status);
    MPI_Status found;
    int result = REAL(Probe)(ask(communicator, source).source, tag, communicator, &found);
    LEAVE(tell(communicator, source, 1, &found, status, result));
}

EXPORT(Mprobe)
int MPI_Mprobe(int source, int tag, MPI_Comm communicator, MPI_Message *message, MPI_Status *status) {
    ENTER(Mprobe, source, tag, communicator, message, status);
    MPI_Status found;
    int result = REAL(Mprobe)(ask(communicator, source).source, tag, communicator, message, &found);
    LEAVE(tell(communicator, source, 1, &found, status, result));
}

EXPORT(Iprobe)
int MPI_Iprobe(int source, int tag, MPI_Comm communicator, int *flag, MPI_Status *status) {
    ENTER(Iprobe, source, tag, communicator, flag, status);
    MPI_Status found;
    struct asked asked = ask(communicator, source);
    int result = MPI_SUCCESS;
    *flag = 0;
    if (!asked.not_yet)
        do
            result = REAL(Iprobe)(asked.source, tag, communicator, flag, &found);
        while (result == MPI_SUCCESS && !asked.real && !*flag);
    LEAVE(tell(communicator, source, *flag, &found, status, result));
}

EXPORT(Improbe)
int MPI_Improbe(int source, int tag, MPI_Comm communicator, int *flag, MPI_Message *message, MPI_Status *status) {
    ENTER(Improbe, source, tag, communicator, flag, message, status);
    MPI_Status found;
    struct asked asked = ask(communicator, source);
    int result = MPI_SUCCESS;
    *flag = 0;
    if (!asked.not_yet)
        do
            result = REAL(Improbe)(asked.source, tag, communicator, flag, message, &found);
        while (result == MPI_SUCCESS && !asked.real && !*flag);
    LEAVE(tell(communicator, source, *flag, &found, status, result));
}

/* Where there is no message to wait for the explorer does not know the request. */
#define IMRECV(name, number)                                                                                    \
    EXPORT(name)                                                                                                \
    int MPI_##name(void *buffer, number count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) { \
        ENTER(name, buffer, count, type, message, request);                                                     \
        bool no_process = *message == MPI_MESSAGE_NO_PROC;                                                      \
        int result = REAL(name)(buffer, count, type, message, request);                                         \
        if (result == MPI_SUCCESS && no_process)                                                                \
            tracked_add(*request)->complete = true;                                                             \
        LEAVE(result);                                                                                          \
    }

IMRECV(Imrecv, int)
IMRECV(Imrecv_c, MPI_Count)
