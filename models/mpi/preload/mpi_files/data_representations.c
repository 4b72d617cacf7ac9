/* Data representations of the program's own (MPI-3.1 section 13.5.3), as far as MPICH has them: they can be registered, those with
 * functions that convert cannot, and no view of a file takes any. */
#include "models/mpi/preload/mpi_files/data_representations.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/mpi_files/mpi_files.h"

#include <stdlib.h>
#include <string.h>

static struct {
    char (*name)[MPI_MAX_DATAREP_STRING];
    size_t count;
} registered;

bool data_representation_is_predefined(const char *name) {
    return strcmp(name, "native") == 0 || strcmp(name, "internal") == 0 || strcmp(name, "external32") == 0;
}

bool data_representation_is_registered(const char *name) {
    for (size_t i = 0; i < registered.count; i++) {
        if (strcmp(registered.name[i], name) == 0)
            return true;
    }
    return false;
}

static bool is_name(const char *name) {
    return name != NULL && name[0] != '\0' && strnlen(name, MPI_MAX_DATAREP_STRING) < MPI_MAX_DATAREP_STRING;
}

static int add(const struct caller *caller, const char *name, bool converts, bool has_extents) {
    if (!is_name(name))
        return file_reject(caller, NULL, MPI_ERR_ARG, "a name of no or too many characters");
    if (!has_extents)
        return file_reject(caller, NULL, MPI_ERR_ARG, "a null pointer");
    if (data_representation_is_predefined(name) || data_representation_is_registered(name))
        return file_reject(caller, NULL, MPI_ERR_DUP_DATAREP, "the name of a data representation that there is already");
    if (converts)
        return file_fail(caller, NULL, MPI_ERR_CONVERSION, "functions that convert, which MPICH does not support");
    registered.name = realloc(registered.name, (registered.count + 1) * sizeof *registered.name);
    memset(registered.name[registered.count], 0, sizeof *registered.name);
    strcpy(registered.name[registered.count++], name);
    return MPI_SUCCESS;
}

EXPORT(Register_datarep)
int MPI_Register_datarep(const char *name, MPI_Datarep_conversion_function *read, MPI_Datarep_conversion_function *write,
                         MPI_Datarep_extent_function *extent, void *extra) {
    ENTER(Register_datarep, name, read, write, extent, extra);
    return add(caller, name, read != MPI_CONVERSION_FN_NULL || write != MPI_CONVERSION_FN_NULL, extent != NULL);
}

EXPORT(Register_datarep_c)
int MPI_Register_datarep_c(const char *name, MPI_Datarep_conversion_function_c *read, MPI_Datarep_conversion_function_c *write,
                           MPI_Datarep_extent_function *extent, void *extra) {
    ENTER(Register_datarep_c, name, read, write, extent, extra);
    return add(caller, name, read != MPI_CONVERSION_FN_NULL_C || write != MPI_CONVERSION_FN_NULL_C, extent != NULL);
}
