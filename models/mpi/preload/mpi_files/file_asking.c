#include "models/mpi/preload/mpi_files/file_server.h"

#include "ckpt/block_store.h"
#include "models/mpi/preload/point_to_point/hidden_messages.h"
#include "models/mpi/preload/windows/window_asking.h"

#include <stdlib.h>
#include <string.h>

struct communicator *file_repliers(void) {
    enum { PURPOSE = 0x66696c65 };
    static struct communicator *repliers;
    if (repliers != NULL)
        return repliers;
    agents_announce();
    int *agent = malloc((size_t)rank_count() * sizeof *agent);
    for (int i = 0; i < rank_count(); i++)
        agent[i] = rank_count() + i;
    struct members members = {.world = agent, .size = rank_count()};
    repliers = communicator_make_hidden(communicator_find(MPI_COMM_WORLD), PURPOSE, &members);
    free(agent);
    return repliers;
}

/* By the last component alone, so that witnesses hold in another working directory too. */
int file_home(const char *path) {
    const char *name = strrchr(path, '/');
    return rank_count() + (int)(block_name(name, strlen(name)).low % (uint64_t)rank_count());
}

static bool only_reads(const struct file_request *request) {
    return request->verb == FILE_READ_NOW || request->verb == FILE_TELL_SIZE || request->verb == FILE_FLUSH;
}

void file_ask(const struct caller *caller, int agent, struct file_request request, const void *bytes, size_t size,
              const void *more, size_t more_size) {
    request.replies = file_repliers()->context;
    char *part = hidden_send(caller, WIRE_AGENTS_CONTEXT, agent, WIRE_TO_FILE | (only_reads(&request) ? WIRE_READS : 0),
                             sizeof request + size + more_size);
    memcpy(part, &request, sizeof request);
    if (size > 0)
        memcpy(part + sizeof request, bytes, size);
    if (more_size > 0)
        memcpy(part + sizeof request + size, more, more_size);
}

struct file_answer file_ask_and_wait(const struct caller *caller, int agent, struct file_request request, const void *bytes,
                                     size_t size, const void *more, size_t more_size) {
    request.reply = FILE_REPLY;
    file_ask(caller, agent, request, bytes, size, more, more_size);
    uint32_t receive = hidden_receive(caller, file_repliers()->context, agent, FILE_REPLY);
    struct wire_call call = {
        .kind = WIRE_CALL_WAIT_ALL, .function = caller->function, .requests = 1, .peer = -1, .site = caller->site};
    const struct wire_completion *completion = rank_completion(rank_block(&call, &receive), 0);
    hidden_request_release(receive);
    struct file_answer answer = {.bytes = (const char *)rank_completion_data(completion) + sizeof answer.head,
                                 .size = completion->data - sizeof answer.head};
    memcpy(&answer.head, rank_completion_data(completion), sizeof answer.head);
    return answer;
}
