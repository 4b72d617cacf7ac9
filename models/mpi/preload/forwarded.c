/* Functions whose answer the real MPICH gives. One form of stub fits them all: their arguments are integers and pointers, so
 * that twelve machine words hold any of them; a callee that takes fewer ignores the rest. Before the call its rules are
 * checked, as far as MPICH does not check them itself (it takes a freed handle for a good one); after it the objects that it
 * has made or freed are noted. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/buffers/pending_leftovers.h"
#include "models/mpi/preload/collectives/operators.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/datatypes/packing.h"
#include "models/mpi/preload/forwarded_arguments.h"
#include "models/mpi/preload/objects.h"
#include "models/mpi/preload/thread_calls.h"
#include "models/mpi/preload/windows/shared_traps.h"
#include "models/mpi/preload/windows/window_received.h"
#include "models/mpi/preload/windows/window_unseen.h"

#include <string.h>

typedef long any_function(long, long, long, long, long, long, long, long, long, long, long, long);

static long call_real(uint16_t function, const long *word) {
    any_function *real = (any_function *)real_function[function];
    return real(word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7], word[8], word[9], word[10], word[11]);
}

struct effect {
    uint16_t function;
    uint8_t verb; /* enum effect_verb */
    uint8_t kind; /* enum object_kind */
    uint8_t argument;
    uint8_t length; /* TAKES_LIST: the argument that tells it */
};
enum effect_verb { TAKES, TAKES_STORED, TAKES_LIST, MAKES, MAKES_PERMANENT, FREES };

static const struct effect effects[] = {
#define TAKES(function, kind, argument) {FUNCTION_##function, TAKES, OBJECT_##kind, argument - 1, 0},
#define TAKES_STORED(function, kind, argument) {FUNCTION_##function, TAKES_STORED, OBJECT_##kind, argument - 1, 0},
#define TAKES_LIST(function, kind, argument, length) {FUNCTION_##function, TAKES_LIST, OBJECT_##kind, argument - 1, length - 1},
#define MAKES(function, kind, argument) {FUNCTION_##function, MAKES, OBJECT_##kind, argument - 1, 0},
#define MAKES_PERMANENT(function, kind, argument) {FUNCTION_##function, MAKES_PERMANENT, OBJECT_##kind, argument - 1, 0},
#define FREES(function, kind, argument) {FUNCTION_##function, FREES, OBJECT_##kind, argument - 1, 0},
#include "models/mpi/preload/objects.def"
#undef TAKES
#undef TAKES_STORED
#undef TAKES_LIST
#undef MAKES
#undef MAKES_PERMANENT
#undef FREES
};
enum { EFFECTS = sizeof effects / sizeof effects[0] };

/* A keyval may be freed through several copies of its handle, as long as attributes refer to it. */
static bool is_counted(enum object_kind kind) { return kind == OBJECT_KEYVAL; }

static int check_effect(const struct caller *caller, const struct effect *effect, const long *word) {
    enum object_kind kind = effect->kind;
    const int *list = (const int *)word[effect->argument];
    if (effect->verb == TAKES)
        return check_object(caller, kind, (int)word[effect->argument]);
    bool stored = effect->verb == TAKES_STORED || (effect->verb == FREES && !is_counted(kind));
    if (stored && list != NULL)
        return check_object(caller, kind, *list);
    int length = effect->verb == TAKES_LIST && list != NULL ? (int)word[effect->length] : 0;
    for (int i = 0; i < length; i++) {
        int error = check_object(caller, kind, list[i]);
        if (error != MPI_SUCCESS)
            return error;
    }
    return MPI_SUCCESS;
}

static void note_effect(const struct effect *effect, const long *word, int freed) {
    enum object_kind kind = effect->kind;
    if (effect->verb == MAKES)
        object_made(kind, *(const int *)word[effect->argument]);
    if (effect->verb == MAKES_PERMANENT)
        object_made_permanent(kind, *(const int *)word[effect->argument]);
    if (effect->verb == FREES)
        object_freed(kind, freed);
}

static int handle_to_free(uint16_t function, const long *word) {
    for (int i = 0; i < EFFECTS; i++) {
        const int *handle = (const int *)word[effects[i].argument];
        if (effects[i].function == function && effects[i].verb == FREES && handle != NULL)
            return *handle;
    }
    return 0;
}

/* Which word says where the handle of what the function makes is stored; FORWARDED_WORDS: none does. */
static unsigned word_of_made(uint16_t function) {
    for (int i = 0; i < EFFECTS; i++)
        if (effects[i].function == function && (effects[i].verb == MAKES || effects[i].verb == MAKES_PERMANENT))
            return effects[i].argument;
    return FORWARDED_WORDS;
}

/* Calls the real function; true: it has done what it should. MPICH returns what the program's error handler has made of the code: that
 * something was made shows in its handle alone, which is never 0. */
static bool call_and_look(uint16_t function, const long *word, long *result) {
    const unsigned at = word_of_made(function);
    if (at == FORWARDED_WORDS || word[at] == 0) {
        *result = packing_call(function, word, call_real);
        return *result == MPI_SUCCESS;
    }
    int made = 0;
    long seen[FORWARDED_WORDS];
    memcpy(seen, word, sizeof seen);
    seen[at] = (long)&made;
    *result = packing_call(function, seen, call_real);
    if (made != 0)
        *(int *)word[at] = made;
    return *result == MPI_SUCCESS && made != 0;
}

/* The types that a derived type was made from are new handles for the program to free. */
static void note_contents(uint16_t function, const long *word) {
    if (function != FUNCTION_MPI_Type_get_contents)
        return;
    int integers, addresses, types, combiner;
    REAL(Type_get_envelope)((MPI_Datatype)word[0], &integers, &addresses, &types, &combiner);
    for (int i = 0; i < types; i++)
        object_made(OBJECT_DATATYPE, ((const int *)word[6])[i]);
}

/* What other ranks know an operator by. */
static void note_operator(uint16_t function, const long *word) {
    if (function == FUNCTION_MPI_Op_create || function == FUNCTION_MPI_Op_create_c)
        operator_made(*(const MPI_Op *)word[2], (const void *)word[0], (int)word[1] != 0);
}

static bool reduces(uint16_t function) {
    return function == FUNCTION_MPI_Reduce_local || function == FUNCTION_MPI_Reduce_local_c;
}

/* A store that may leave memory as it was. */
static void note_reduced(uint16_t function, const long *word) {
    const MPI_Datatype type = (MPI_Datatype)word[3];
    const long count = function == FUNCTION_MPI_Reduce_local ? (int)word[2] : word[2];
    windows_note_received((void *)word[1], type, (size_t)count * (size_t)data_size(type));
}

/* What MPI-4.0 section 11.4.1 allows before MPI_Init and after MPI_Finalize. */
static bool may_be_called_anytime(uint16_t function) {
    static const char *const prefix[] = {
        "MPI_T_",     "MPI_Info_",      "MPI_Initialized", "MPI_Get_version", "MPI_Get_library_version",
        "MPI_Error_", "MPI_Add_error_", "MPI_Aint_",       "MPIX_Query_",     "MPIX_GPU_"};
    const char *name = function_name(function);
    for (size_t i = 0; i < sizeof prefix / sizeof prefix[0]; i++) {
        if (strncmp(name, prefix[i], strlen(prefix[i])) == 0)
            return true;
    }
    return false;
}

static long call_checked(const struct caller *caller, const long *word) {
    uint16_t function = caller->function;
    for (int i = 0; i < EFFECTS; i++) {
        int error = effects[i].function == function ? check_effect(caller, &effects[i], word) : MPI_SUCCESS;
        if (error != MPI_SUCCESS)
            return error;
    }
    int error = packing_check(caller, word);
    if (error == MPI_SUCCESS)
        error = forwarded_arguments_check(caller, word);
    if (error != MPI_SUCCESS)
        return error;
    unseen_note_computation(function);
    pending_leftovers_note_keyval(function, word);
    if (function == FUNCTION_MPI_Get_count)
        pending_leftovers_note_read((const void *)word[0], sizeof(MPI_Status));
    packing_note_use(function, word);
    int freed = handle_to_free(function, word);
    /* Callbacks of the program may call MPI themselves; an error after them is this call's. */
    struct caller outer = caller_current;
    caller_current = *caller;
    if (reduces(function))
        operator_begin(__builtin_frame_address(0));
    long result;
    const bool is_done = call_and_look(function, word, &result);
    if (reduces(function))
        operator_end();
    caller_current = *caller;
    for (int i = 0; i < EFFECTS && is_done; i++) {
        if (effects[i].function == function)
            note_effect(&effects[i], word, freed);
    }
    if (is_done) {
        if (reduces(function))
            note_reduced(function, word);
        note_contents(function, word);
        note_operator(function, word);
    }
    caller_current = outer;
    return result;
}

/* `frame`: of the stub. */
static long forward(uint16_t function, const void *frame, const long *word) {
    const uint64_t site = ((const uint64_t *)frame)[1];
    if (call_site_is_mpich(site))
        return call_real(function, word);
    const struct caller caller = {function, call_site_in_program(site)};
    if (may_be_called_anytime(function))
        return call_checked(&caller, word);
    const bool were_set = shared_traps_are_set();
    caller_require_active(&caller);
    thread_calls_begin(&caller);
    const uintptr_t outer = caller_frame;
    caller_frame = (uintptr_t)frame;
    long result = call_checked(&caller, word);
    caller_frame = outer;
    if (were_set)
        shared_traps_close();
    caller_close();
    thread_calls_end(&caller);
    return result;
}

/* The program's names for a stub; C knows them by mpi.h's prototypes. */
#define MODELLED(name)
#define REFUSED(name)
#define FORWARDED(name) STUB(forwarded_##name, name)
#define INERT(name) STUB(inert_##name, name)
#define STUB(stub, name)                                                                                        \
    any_function stub __attribute__((visibility("hidden")));                                                    \
    long stub(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l) { \
        const long word[FORWARDED_WORDS] = {a, b, c, d, e, f, g, h, i, j, k, l};                                \
        return forward(FUNCTION_##name, __builtin_frame_address(0), word);                                      \
    }                                                                                                           \
    __asm__(".globl " #name ", P" #name "\n"                                                                    \
            ".type " #name ", @function\n"                                                                      \
            ".type P" #name ", @function\n"                                                                     \
            ".set " #name ", " #stub "\n"                                                                       \
            ".set P" #name ", " #stub "\n");
#include "models/mpi/preload/coverage.def"
