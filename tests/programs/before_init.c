/* Before MPI_Init a program may do what it likes, once: here it asks a shell, which has no libmpich. Afterwards each rank looks up its
 * user, for which the C library would ask a name service cache through a socket, and reads the list of users instead. With the argument
 * "after" the shell is asked where it cannot be. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=cannot-run says=pipe args=after mpiexec=no */
#include <mpi.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int asked_of_shell(void) {
    int answer = 0;
    FILE *shell = popen("echo 7 | cat", "r");
    if (!shell || fscanf(shell, "%d", &answer) != 1)
        return 0;
    pclose(shell);
    return answer;
}

int main(int argc, char **argv) {
    if (system("true") != 0 || asked_of_shell() != 7)
        return 1;
    MPI_Init(&argc, &argv);
    if (argc > 1)
        asked_of_shell();
    const struct passwd *user = getpwuid(getuid());
    printf("%s\n", user ? user->pw_name : "nobody of this machine");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
