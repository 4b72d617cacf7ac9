/* What MPICH is told by environment variables while it initialises (that it need not look at the machine) is nothing that the program
 * sees: after MPI_Init its variables are those that it had, also those that it set itself. */
/* explore: ranks=2 verdict=race-free args=unset */
/* explore: ranks=2 verdict=race-free args=set */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const name[] = {"HWLOC_COMPONENTS", "HWLOC_PLUGINS_PATH"};
enum { NAMES = sizeof name / sizeof *name };

static int is(const char *value, const char *expected) {
    return value == expected || (value && expected && strcmp(value, expected) == 0);
}

int main(int argc, char **argv) {
    const char *expected = argc > 1 && strcmp(argv[1], "set") == 0 ? "x86" : NULL;
    for (int i = 0; i < NAMES; i++) {
        if (expected)
            setenv(name[i], expected, 1);
        else
            unsetenv(name[i]);
    }
    MPI_Init(&argc, &argv);
    int wrong = 0;
    for (int i = 0; i < NAMES; i++)
        wrong += !is(getenv(name[i]), expected);
    if (wrong)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
