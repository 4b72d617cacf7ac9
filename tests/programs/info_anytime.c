/* Info objects are not bound to MPI_Init and MPI_Finalize (MPI-4.0 section 10): one is made before the first and freed after the
 * second. "leak": one that is never freed is a leak. What else may be asked at any time is asked too. */
/* explore: ranks=2 verdict=race-free args=right */
/* explore: ranks=2 verdict=found class=handle-leak args=leak */
#include <assert.h>
#include <mpi.h>
#include <string.h>

static void require(MPI_Info info, const char *expected) {
    char value[20] = "";
    int found, length = sizeof value, keys;
    MPI_Info_get_string(info, "key", &length, value, &found);
    assert(found && strcmp(value, expected) == 0 && length == (int)strlen(expected) + 1);
    MPI_Info_get_nkeys(info, &keys);
    assert(keys == 1);
}

static void require_state(int initialized, int finalized) {
    int flag, version, subversion, length;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&flag);
    assert(flag == initialized);
    MPI_Finalized(&flag);
    assert(flag == finalized);
    MPI_Get_version(&version, &subversion);
    assert(version >= 3);
    MPI_Get_library_version(library, &length);
    assert(length > 0);
}

int main(int argc, char **argv) {
    MPI_Info first, second;
    require_state(0, 0);
    MPI_Info_create(&first);
    MPI_Info_set(first, "key", "before");
    MPI_Init(&argc, &argv);
    require_state(1, 0);
    require(first, "before");
    MPI_Info_dup(first, &second);
    MPI_Info_set(second, "key", "within");
    MPI_Finalize();
    require_state(1, 1);
    require(second, "within");
    MPI_Info_free(&first);
    if (argc < 2 || strcmp(argv[1], "leak") != 0)
        MPI_Info_free(&second);
    return 0;
}
