/* MPICH keeps its datatypes, operators and info objects in pools: a freed one stays as it was, on top of a list from which the
 * next one is taken. Which handle an object gets, and what lies in the pool, would thus depend on all that was ever freed. Here a
 * free puts the pool in order: the list goes up from the lowest handle, and what was freed holds the same throughout.
 *
 * There is no way into a pool but to make and free objects. A list that was in order before object 5 was freed,
 *
 *     5 -> 2 -> 4 -> 7 -> 8 …
 *
 * is taken from until something above 5 comes (5, 2, 4, 7), and given back from the highest to the lowest. */
#include "models/mpi/preload/process/freed_objects.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/rank.h"

#include <stddef.h>
#include <stdlib.h>

enum { TAKEN_MOST = 64, USED_AT_START = 32 }; /* beyond, states may differ that need not */

struct pool {
    unsigned (*make)(void);
    void (*free)(unsigned handle);
};

static int descending(const void *a, const void *b) {
    const unsigned *first = a, *second = b;
    return (*first < *second) - (*first > *second);
}

static void put_in_order(const struct pool *pool, unsigned freed) {
    unsigned taken[TAKEN_MOST];
    size_t count = 0;
    do
        taken[count++] = pool->make();
    while (taken[count - 1] <= freed && count < TAKEN_MOST);
    qsort(taken, count, sizeof *taken, descending);
    for (size_t i = 0; i < count; i++)
        pool->free(taken[i]);
}

static unsigned make_type(void) {
    MPI_Datatype type;
    REAL(Type_contiguous)(1, MPI_BYTE, &type);
    REAL(Type_commit)(&type);
    return (unsigned)type;
}
static void free_type(unsigned handle) {
    MPI_Datatype type = (MPI_Datatype)handle;
    REAL(Type_free)(&type);
}
static const struct pool types = {make_type, free_type};

static void no_operation(void *in, void *inout, int *length, MPI_Datatype *type) {
    (void)in, (void)inout, (void)length, (void)type;
}
static unsigned make_operator(void) {
    MPI_Op operator;
    REAL(Op_create)(no_operation, 1, &operator);
    return (unsigned)operator;
}
static void free_operator(unsigned handle) {
    MPI_Op operator=(MPI_Op) handle;
    REAL(Op_free)(&operator);
}
static const struct pool operators = {make_operator, free_operator};

static unsigned make_info(void) {
    MPI_Info info;
    REAL(Info_create)(&info);
    return (unsigned)info;
}
static void free_info(unsigned handle) {
    MPI_Info info = (MPI_Info)handle;
    REAL(Info_free)(&info);
}
static const struct pool infos = {make_info, free_info};

/* The pack engine has pools of its own, and finds out at its first use which processor it runs on. */
static void pack_something(void) {
    MPI_Datatype vector;
    double from[8] = {0}, to[4];
    int at = 0;
    REAL(Type_vector)(2, 2, 4, MPI_DOUBLE, &vector);
    REAL(Type_commit)(&vector);
    REAL(Pack)(from, 1, vector, to, sizeof to, &at, MPI_COMM_SELF);
    at = 0;
    REAL(Unpack)(to, sizeof to, &at, from, 1, vector, MPI_COMM_SELF);
    freed_type(&vector);
}

/* A pool is set up when the first object is taken, and an object that was never used differs from one that is free again.
 * Attributes have a pool too. */
void freed_objects_start(void) {
    const struct pool *const all[] = {&types, &operators, &infos};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        unsigned made[USED_AT_START];
        for (size_t n = 0; n < USED_AT_START; n++)
            made[n] = all[i]->make();
        for (size_t n = USED_AT_START; n-- > 0;)
            all[i]->free(made[n]);
    }
    pack_something();
    int key;
    REAL(Comm_create_keyval)(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    REAL(Comm_set_attr)(MPI_COMM_SELF, key, NULL);
    REAL(Comm_delete_attr)(MPI_COMM_SELF, key);
    REAL(Comm_free_keyval)(&key);
}

EXPORT(Type_free)
int MPI_Type_free(MPI_Datatype *type) {
    ENTER(Type_free, type);
    int freed = *type;
    int error = check_object(caller, OBJECT_DATATYPE, freed);
    if (error == MPI_SUCCESS)
        error = freed_type(type);
    if (error == MPI_SUCCESS)
        object_freed(OBJECT_DATATYPE, freed);
    return error;
}

int freed_type(MPI_Datatype *type) {
    unsigned freed = (unsigned)*type;
    int error = REAL(Type_free)(type);
    if (error == MPI_SUCCESS)
        put_in_order(&types, freed);
    return error;
}

int freed_operator(MPI_Op *operator) {
    unsigned freed = (unsigned)*operator;
    int error = REAL(Op_free)(operator);
    if (error == MPI_SUCCESS)
        put_in_order(&operators, freed);
    return error;
}

EXPORT_ANYTIME(Info_free)
int MPI_Info_free(MPI_Info *info) {
    ENTER_ANYTIME(Info_free, info);
    int freed = *info;
    if (!rank_started()) {
        object_freed(OBJECT_INFO, freed);
        return REAL(Info_free)(info);
    }
    int error = check_object(caller, OBJECT_INFO, freed);
    if (error == MPI_SUCCESS)
        error = REAL(Info_free)(info);
    if (error != MPI_SUCCESS)
        return error;
    put_in_order(&infos, (unsigned)freed);
    object_freed(OBJECT_INFO, freed);
    leaks_changed();
    return MPI_SUCCESS;
}
