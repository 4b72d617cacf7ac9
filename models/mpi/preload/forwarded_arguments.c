#include "models/mpi/preload/forwarded_arguments.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/communicators/keyvals.h"
#include "models/mpi/preload/datatypes/data.h"

static MPI_Count element(const void *list, int i, bool large) {
    return large ? ((const MPI_Count *)list)[i] : ((const int *)list)[i];
}

/* MPI-3.1 section 4.1.3: a subarray lies in its array. One without elements is let pass, as by all implementations. */
static int check_subarray(const struct caller *caller, const long *word, bool large) {
    const void *const sizes = (const void *)word[1], *const subsizes = (const void *)word[2],
                      *const starts = (const void *)word[3];
    for (int i = 0; sizes && subsizes && starts && i < (int)word[0]; i++) {
        const MPI_Count size = element(sizes, i, large), part = element(subsizes, i, large), start = element(starts, i, large);
        if (part < 0 || start < 0 || part > size || start > size - part)
            return reject(caller, MPI_COMM_WORLD, MPI_ERR_ARG, "%lld elements from element %lld on of %lld in dimension %d",
                          (long long)part, (long long)start, (long long)size, i);
    }
    return MPI_SUCCESS;
}

static int check_reduction(const struct caller *caller, MPI_Count count, const long *word) {
    const MPI_Datatype type = (MPI_Datatype)word[3];
    for (int buffer = 0; buffer < 2; buffer++) {
        const struct data_fault fault = data_fault((const void *)word[buffer], count, type);
        if (fault.error_class != MPI_SUCCESS)
            return reject(caller, MPI_COMM_WORLD, fault.error_class, "%s", fault.reason);
    }
    return check_operator(caller, MPI_COMM_WORLD, (MPI_Op)word[4], type);
}

int forwarded_arguments_check(const struct caller *caller, const long *word) {
    switch (caller->function) {
    case FUNCTION_MPI_Type_create_subarray: return check_subarray(caller, word, false);
    case FUNCTION_MPI_Type_create_subarray_c: return check_subarray(caller, word, true);
    case FUNCTION_MPI_Reduce_local: return check_reduction(caller, (int)word[2], word);
    case FUNCTION_MPI_Reduce_local_c: return check_reduction(caller, (MPI_Count)word[2], word);
    case FUNCTION_MPI_Type_set_attr:
    case FUNCTION_MPI_Type_get_attr:
    case FUNCTION_MPI_Type_delete_attr: return check_keyval(caller, MPI_COMM_WORLD, OBJECT_DATATYPE, (int)word[1]);
    case FUNCTION_MPI_Win_set_attr:
    case FUNCTION_MPI_Win_delete_attr: return check_keyval(caller, MPI_COMM_WORLD, OBJECT_WINDOW, (int)word[1]);
    default: return MPI_SUCCESS;
    }
}
