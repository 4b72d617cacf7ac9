#include "explorer/machine/machine.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

/* The number in a one-line file; UINT64_MAX if there is none ("max" is how version 2 says that there is no limit). */
static uint64_t read_number(const char *path) {
    FILE *file = fopen(path, "re");
    unsigned long long number = UINT64_MAX;
    if (file && fscanf(file, "%llu", &number) != 1)
        number = UINT64_MAX;
    if (file)
        fclose(file);
    return number;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The limits of our control group and of all above it; version 1 keeps memory in a hierarchy of its own. */
static uint64_t group_limit(void) {
    uint64_t limit =
        least(read_number("/sys/fs/cgroup/memory.max"), read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[4096], path[5000];
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::", 3) != 0)
            continue;
        line[strcspn(line, "\n")] = 0;
        for (char *slash; (slash = strrchr(line + 3, '/')) && slash > line + 3; *slash = 0) {
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", line + 3);
            limit = least(limit, read_number(path));
        }
    }
    if (file)
        fclose(file);
    return limit;
}

uint64_t machine_memory(void) {
    return least((uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE), group_limit());
}

bool machine_closes_cycles(void) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGSEGV, SIG_DFL);
        const bool asked = prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0;
        volatile unsigned long long cycles = asked ? __rdtsc() : 0;
        (void)cycles;
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}
