/* Runs a command and prints the most memory that it had resident, in KiB. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct rusage usage;
    int status;
    pid_t pid = argc > 1 ? fork() : -1;
    if (pid == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return 1;
    fprintf(stderr, "%ld\n", usage.ru_maxrss);
    return 0;
}
