/* The shared file pointer: kept by the file's home, where requests of different processes come in every order that they may. */
#include "models/mpi/preload/mpi_files/file_server.h"

static int64_t ask(const struct caller *caller, const struct mpi_file *file, enum file_verb verb, int64_t amount) {
    struct file_request request = {.verb = verb, .file = file->communicator->context, .size = (uint64_t)amount};
    return file_ask_and_wait(caller, file->agent, request, NULL, 0, NULL, 0).head.value;
}

int64_t file_shared_get(const struct caller *caller, struct mpi_file *file) { return ask(caller, file, FILE_FETCH_ADD, 0); }

void file_shared_set(const struct caller *caller, struct mpi_file *file, int64_t position) {
    ask(caller, file, FILE_SET, position);
}

int64_t file_shared_take(const struct caller *caller, struct mpi_file *file, int64_t etypes) {
    return ask(caller, file, FILE_FETCH_ADD, etypes);
}
