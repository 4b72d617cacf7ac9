#include "models/mpi/preload/datatypes/packing.h"

#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/windows/window_unseen.h"

#include <string.h>

/* Where the arguments are; what is not wide is an int. `room` comes after the packed buffer, `count` after the other one. */
static const struct form {
    uint16_t function;
    uint8_t room, position, count, type;
    uint8_t communicator; /* 0: external32, which belongs to none */
    bool wide_room, wide_count;
} forms[] = {
    {FUNCTION_MPI_Pack, 4, 5, 1, 2, 6, false, false},           {FUNCTION_MPI_Pack_c, 4, 5, 1, 2, 6, true, true},
    {FUNCTION_MPI_Unpack, 1, 2, 4, 5, 6, false, false},         {FUNCTION_MPI_Unpack_c, 1, 2, 4, 5, 6, true, true},
    {FUNCTION_MPI_Pack_external, 5, 6, 2, 3, 0, true, false},   {FUNCTION_MPI_Pack_external_c, 5, 6, 2, 3, 0, true, true},
    {FUNCTION_MPI_Unpack_external, 2, 3, 5, 6, 0, true, false}, {FUNCTION_MPI_Unpack_external_c, 2, 3, 5, 6, 0, true, true},
};

static const struct form *form_of(uint16_t function) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (forms[i].function == function)
            return &forms[i];
    }
    return NULL;
}

static MPI_Count bytes_packed(const struct form *form, MPI_Count count, MPI_Datatype type) {
    MPI_Count bytes = (MPI_Count)data_size(type) * count;
    if (!form->communicator)
        REAL(Pack_external_size_c)("external32", count, type, &bytes);
    return bytes;
}

static MPI_Count position_at(const void *position, bool wide) {
    return wide ? *(const MPI_Count *)position : *(const int *)position;
}

static MPI_Count count_at(const struct form *form, const long *word) {
    return form->wide_count ? word[form->count] : (int)word[form->count];
}

int packing_check(const struct caller *caller, const long *word) {
    const struct form *form = form_of(caller->function);
    if (!form)
        return MPI_SUCCESS;
    const void *position = (const void *)word[form->position];
    MPI_Count count = count_at(form, word);
    MPI_Count room = form->wide_room ? word[form->room] : (int)word[form->room];
    MPI_Datatype type = (MPI_Datatype)word[form->type];
    if (!position || count < 0 || type == MPI_DATATYPE_NULL || !data_type_usable(type))
        return MPI_SUCCESS; /* MPICH says what is wrong */
    MPI_Count left = room - position_at(position, form->wide_room), needed = bytes_packed(form, count, type);
    if (needed <= left)
        return MPI_SUCCESS;
    return reject(caller, form->communicator ? (MPI_Comm)word[form->communicator] : MPI_COMM_WORLD, MPI_ERR_ARG,
                  "%lld bytes between its position and the end of the buffer, where it takes %lld", (long long)left,
                  (long long)needed);
}

/* From a null pointer nothing but elements of a type of the program's can be meant. */
static bool is_from_bottom(const struct form *form, const long *word) {
    const MPI_Datatype type = form ? (MPI_Datatype)word[form->type] : MPI_DATATYPE_NULL;
    return type != MPI_DATATYPE_NULL && (const void *)word[form->count - 1] == MPI_BOTTOM && count_at(form, word) > 0 &&
           !real_is_predefined(type) && data_type_usable(type);
}

long packing_call(uint16_t function, const long *word, long (*real)(uint16_t function, const long *word)) {
    const struct form *form = form_of(function);
    if (!is_from_bottom(form, word))
        return real(function, word);
    long seen[FORWARDED_WORDS];
    memcpy(seen, word, sizeof seen);
    struct data_anchored anchored = data_anchor(MPI_BOTTOM, count_at(form, word), (MPI_Datatype)word[form->type]);
    seen[form->count - 1] = (long)anchored.buffer;
    seen[form->count] = anchored.count;
    seen[form->type] = anchored.type;
    const long result = real(function, seen);
    data_anchored_done(&anchored);
    return result;
}

void packing_note_use(uint16_t function, const long *word) {
    const struct form *form = form_of(function);
    const MPI_Datatype type = form ? (MPI_Datatype)word[form->type] : MPI_DATATYPE_NULL;
    if (!form || !unseen_any() || !word[form->position] || type == MPI_DATATYPE_NULL || !data_type_usable(type))
        return;
    const MPI_Count count = count_at(form, word), bytes = bytes_packed(form, count, type);
    if (count <= 0)
        return;
    const char *packed = (const char *)word[form->room - 1] + position_at((const void *)word[form->position], form->wide_room);
    struct buffers buffers = {0};
    footprint_add(&buffers.given, (const void *)word[form->count - 1], count, type);
    if (footprint_bytes(&buffers.given) < (size_t)count * data_size(type))
        unseen_note_touched(); /* not all of the layout is known */
    footprint_add(&buffers.taken, packed, bytes, MPI_BYTE);
    unseen_note_use(&buffers);
    footprint_free(&buffers.given);
    footprint_free(&buffers.taken);
}
