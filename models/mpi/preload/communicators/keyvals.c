#include "models/mpi/preload/communicators/keyvals.h"

#include "models/mpi/preload/buffers/arguments.h"

#include <stddef.h>

static bool has_attribute(enum object_kind kind, int handle, int keyval) {
    void *value;
    int flag = 0;
    switch (kind) {
    case OBJECT_COMMUNICATOR: REAL(Comm_get_attr)(handle, keyval, &value, &flag); break;
    case OBJECT_WINDOW: REAL(Win_get_attr)(handle, keyval, &value, &flag); break;
    default: REAL(Type_get_attr)(handle, keyval, &value, &flag); break;
    }
    return flag;
}

static bool predefined_has_attribute(enum object_kind kind, int keyval) {
    static const MPI_Datatype type[] = {
#define BASIC_TYPE(name) name,
#include "models/mpi/basic_types.def"
#undef BASIC_TYPE
        MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT, MPI_2INT, MPI_PACKED};
    if (kind == OBJECT_COMMUNICATOR)
        return has_attribute(kind, MPI_COMM_WORLD, keyval) || has_attribute(kind, MPI_COMM_SELF, keyval);
    bool found = false;
    for (size_t i = 0; i < sizeof type / sizeof *type && kind == OBJECT_DATATYPE && !found; i++)
        found = type[i] != MPI_DATATYPE_NULL && has_attribute(kind, type[i], keyval);
    return found;
}

static bool is_attached(enum object_kind kind, int keyval) {
    bool found = predefined_has_attribute(kind, keyval);
    size_t at = 0;
    for (int handle; !found && (handle = object_next(kind, &at)) != 0;)
        found = has_attribute(kind, handle, keyval);
    return found;
}

int check_keyval(const struct caller *caller, MPI_Comm handle, enum object_kind kind, int keyval) {
    if (keyval == MPI_KEYVAL_INVALID || object_exists(OBJECT_KEYVAL, keyval) || is_attached(kind, keyval))
        return MPI_SUCCESS;
    return reject(caller, handle, MPI_ERR_KEYVAL, "a keyval that does not exist or was freed");
}
