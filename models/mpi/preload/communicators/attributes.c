#include "models/mpi/preload/communicators/attributes.h"

#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/communicators/keyvals.h"
#include "models/mpi/preload/rank.h"

#include <stdlib.h>
#include <string.h>

/* What the program has set on MPI_COMM_SELF and MPI_COMM_WORLD, in that order. */
static struct attribute {
    MPI_Comm communicator;
    int keyval;
} * table;
static size_t entries;

static int universe_size;
static int application_number;

void attributes_start(void) {
    universe_size = rank_count();
    application_number = rank_program();
}

static void forget(MPI_Comm communicator, int keyval) {
    size_t at = 0;
    while (at < entries && (table[at].communicator != communicator || table[at].keyval != keyval))
        at++;
    if (at == entries)
        return;
    memmove(&table[at], &table[at + 1], (--entries - at) * sizeof *table);
    table = realloc(table, entries * sizeof *table);
}

void attributes_note(MPI_Comm communicator, int keyval) {
    if (communicator != MPI_COMM_SELF && communicator != MPI_COMM_WORLD)
        return;
    forget(communicator, keyval);
    table = realloc(table, (entries + 1) * sizeof *table);
    table[entries++] = (struct attribute){communicator, keyval};
}

static void delete_of(MPI_Comm communicator) {
    for (size_t at = entries; at-- > 0;) {
        if (at < entries && table[at].communicator == communicator)
            REAL(Comm_delete_attr)(communicator, table[at].keyval);
    }
}

void attributes_delete_all(void) {
    delete_of(MPI_COMM_SELF);
    delete_of(MPI_COMM_WORLD);
}

int attributes_check(const struct caller *caller, MPI_Comm handle, int keyval) {
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    return error == MPI_SUCCESS ? check_keyval(caller, handle, OBJECT_COMMUNICATOR, keyval) : error;
}

static int set(const struct caller *caller, MPI_Comm handle, int keyval, void *value) {
    int error = attributes_check(caller, handle, keyval);
    if (error == MPI_SUCCESS)
        error = REAL(Comm_set_attr)(handle, keyval, value);
    if (error == MPI_SUCCESS)
        attributes_note(handle, keyval);
    return error;
}

const int *attributes_predefined(int keyval) {
    if (keyval == MPI_APPNUM)
        return &application_number;
    return keyval == MPI_UNIVERSE_SIZE ? &universe_size : NULL;
}

static int get(const struct caller *caller, MPI_Comm handle, int keyval, void *value, int *flag) {
    int error = attributes_check(caller, handle, keyval);
    if (error != MPI_SUCCESS)
        return error;
    const int *predefined = attributes_predefined(keyval);
    if (predefined == NULL)
        return REAL(Comm_get_attr)(handle, keyval, value, flag);
    *flag = 1;
    *(const int **)value = predefined;
    return MPI_SUCCESS;
}

static int delete (const struct caller *caller, MPI_Comm handle, int keyval) {
    int error = attributes_check(caller, handle, keyval);
    if (error == MPI_SUCCESS)
        error = REAL(Comm_delete_attr)(handle, keyval);
    if (error == MPI_SUCCESS)
        forget(handle, keyval);
    return error;
}

EXPORT(Comm_set_attr)
int MPI_Comm_set_attr(MPI_Comm communicator, int keyval, void *value) {
    ENTER(Comm_set_attr, communicator, keyval, value);
    return set(caller, communicator, keyval, value);
}

EXPORT(Attr_put)
int MPI_Attr_put(MPI_Comm communicator, int keyval, void *value) {
    ENTER(Attr_put, communicator, keyval, value);
    return set(caller, communicator, keyval, value);
}

EXPORT(Comm_get_attr)
int MPI_Comm_get_attr(MPI_Comm communicator, int keyval, void *value, int *flag) {
    ENTER(Comm_get_attr, communicator, keyval, value, flag);
    return get(caller, communicator, keyval, value, flag);
}

EXPORT(Attr_get)
int MPI_Attr_get(MPI_Comm communicator, int keyval, void *value, int *flag) {
    ENTER(Attr_get, communicator, keyval, value, flag);
    return get(caller, communicator, keyval, value, flag);
}

EXPORT(Comm_delete_attr)
int MPI_Comm_delete_attr(MPI_Comm communicator, int keyval) {
    ENTER(Comm_delete_attr, communicator, keyval);
    return delete (caller, communicator, keyval);
}

EXPORT(Attr_delete)
int MPI_Attr_delete(MPI_Comm communicator, int keyval) {
    ENTER(Attr_delete, communicator, keyval);
    return delete (caller, communicator, keyval);
}
