/* MPI_Init to MPI_Finalize, and how a rank ends. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/buffers/pending_buffers.h"
#include "models/mpi/preload/buffers/pending_leftovers.h"
#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/communicators/attributes.h"
#include "models/mpi/preload/communicators/communicators.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/error_handlers.h"
#include "models/mpi/preload/files/file_turns.h"
#include "models/mpi/preload/files/handed_files.h"
#include "models/mpi/preload/memory/static_objects.h"
#include "models/mpi/preload/mpi_files/mpi_files.h"
#include "models/mpi/preload/objects.h"
#include "models/mpi/preload/point_to_point/requests.h"
#include "models/mpi/preload/process/freed_objects.h"
#include "models/mpi/preload/process/guarded_stores.h"
#include "models/mpi/preload/process/machine_unseen.h"
#include "models/mpi/preload/process/threads.h"
#include "models/mpi/preload/process/warm_up.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/thread_calls.h"
#include "models/mpi/preload/windows/own_accesses.h"
#include "models/mpi/preload/windows/shared_traps.h"
#include "models/mpi/preload/windows/window_agent.h"
#include "models/mpi/preload/windows/window_exposure.h"
#include "models/mpi/preload/windows/window_passive.h"
#include "models/mpi/preload/windows/window_sharing.h"
#include "models/mpi/preload/windows/window_unseen.h"

#include <stdio.h>
#include <unistd.h>

static bool finalized;

struct caller caller_current;
uintptr_t caller_stack;
uintptr_t caller_frame;

static int initialise(int *argc, char ***argv, int required, int *provided) {
    threads_before_init();
    rank_note_shared_memory();
    machine_hide();
    int error = REAL(Init_thread)(argc, argv, required, provided);
    machine_show();
    return error;
}

void rank_start_early(uint16_t function, uint64_t site) {
    int provided;
    initialise(NULL, NULL, MPI_THREAD_SINGLE, &provided);
    rank_start(function, site);
}

static _Noreturn void start_and_end(const struct caller *caller) {
    rank_start_early(caller->function, caller->site);
    rank_violation("call-outside-init", caller->function, caller->site, "%s was called before MPI_Init",
                   function_name(caller->function));
}

void caller_require_initialised(const struct caller *caller) {
    if (!rank_started())
        start_and_end(caller);
    if (finalized)
        rank_violation("call-outside-init", caller->function, caller->site, "%s was called after MPI_Finalize",
                       function_name(caller->function));
}

void caller_require_active(const struct caller *caller) {
    caller_require_initialised(caller);
    thread_calls_require(caller);
    unseen_open(caller->function);
    pending_leftovers_open(caller->function);
    guarded_stores_open();
    shared_traps_open();
    caller_current = *caller;
}

void caller_enter(const struct caller *caller) {
    caller_require_active(caller);
    thread_calls_begin(caller);
}

void caller_close(void) {
    guarded_stores_close();
    unseen_close(); /* last: each access to the stack may fault from here on */
    pending_leftovers_close();
}

/* Where a frame's return address is follows from the frame's own address. */
bool caller_is_below(uintptr_t stack) {
    return stack < caller_stack && call_site_in_program(((const uint64_t *)caller_stack)[1]) == caller_current.site;
}

void caller_leave(const struct caller *const *leaving) {
    rank_let_go();
    unseen_go_on();
    exposure_cover_told();
    own_accesses_lay();
    sharing_go_on();
    thread_calls_end(*leaving);
    caller_frame = 0;
    caller_close();
}

static void require_first(const struct caller *caller) {
    if (rank_started())
        rank_violation("call-outside-init", caller->function, caller->site, "%s was called, but MPI is initialised already",
                       function_name(caller->function));
}

/* Everything up to rank_start happens once; what follows it happens once for each rank. */
static void start(const struct caller *caller) {
    data_start();
    arguments_start();
    error_handlers_start();
    freed_objects_start();
    static_objects_find();
    warm_up();
    rank_start(caller->function, caller->site);
    if (rank_is_agent())
        window_agent_run();
    communicators_start();
    attributes_start();
}

EXPORT_ANYTIME(Init)
int MPI_Init(int *argc, char ***argv) {
    ENTER_ANYTIME(Init, argc, argv);
    require_first(caller);
    int provided;
    int error = initialise(argc, argv, MPI_THREAD_SINGLE, &provided);
    if (error == MPI_SUCCESS)
        start(caller);
    return error;
}

/* MPI_THREAD_MULTIPLE is granted, as MPICH does: a program whose threads never make two calls at once is right, and others are
 * refused when they do. The real MPI never sees concurrent calls. */
EXPORT_ANYTIME(Init_thread)
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    ENTER_ANYTIME(Init_thread, argc, argv, required, provided);
    require_first(caller);
    int at_most = required > MPI_THREAD_SERIALIZED ? MPI_THREAD_SERIALIZED : required;
    int error = initialise(argc, argv, at_most, provided);
    if (error != MPI_SUCCESS)
        return error;
    *provided = required < MPI_THREAD_MULTIPLE ? required : MPI_THREAD_MULTIPLE;
    thread_calls_grant(*provided);
    start(caller);
    return MPI_SUCCESS;
}

EXPORT_ANYTIME(Query_thread)
int MPI_Query_thread(int *provided) {
    ENTER_ANY_THREAD(Query_thread, provided);
    *provided = thread_calls_granted();
    return MPI_SUCCESS;
}

EXPORT_ANYTIME(Is_thread_main)
int MPI_Is_thread_main(int *flag) {
    ENTER_ANY_THREAD(Is_thread_main, flag);
    *flag = !thread_is_other();
    return MPI_SUCCESS;
}

static struct rank_leaks open_files; /* at MPI_Finalize, when their homes are told */

static struct rank_leaks count_leaks(void) {
    struct rank_leaks leaks = open_files;
    objects_leaked(&leaks);
    requests_leaked(&leaks);
    return leaks;
}

void leaks_changed(void) {
    if (!finalized)
        return;
    struct rank_leaks leaks = count_leaks();
    rank_leaks(&leaks);
}

/* The real MPI_Finalize is never run: ranks live in forked processes, where it hangs. */
EXPORT(Finalize)
int MPI_Finalize(void) {
    ENTER(Finalize);
    thread_calls_require_main(caller);
    const struct wire_call call = {.function = caller->function, .site = caller->site};
    pending_buffers_check(&call);
    passive_look_at_all(caller);
    attributes_delete_all();
    passive_finish(caller, NULL);
    files_leaked(&open_files);
    handed_finish(caller);
    if (turns_are_taken())
        turn_end(caller, communicator_find(MPI_COMM_WORLD));
    struct rank_leaks leaks = count_leaks();
    rank_finalized(&leaks);
    finalized = true;
    return MPI_SUCCESS;
}

EXPORT_ANYTIME(Finalized)
int MPI_Finalized(int *flag) {
    ENTER_ANYTIME(Finalized, flag);
    *flag = finalized;
    return MPI_SUCCESS;
}

EXPORT_ANYTIME(Abort)
int MPI_Abort(MPI_Comm communicator, int code) {
    ENTER_ANYTIME(Abort, communicator, code);
    if (!rank_started())
        _exit(code);
    rank_abort(caller->function, caller->site, code);
}
