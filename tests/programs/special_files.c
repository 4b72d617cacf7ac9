/* What of files cannot be modelled is refused by name; what the kernel would call an error is one. */
/* explore: ranks=1 verdict=cannot-run args=stat says=/proc/self/stat */
/* explore: ranks=1 verdict=cannot-run args=process says=/proc/1 */
/* explore: ranks=1 verdict=cannot-run args=uuid says=moment */
/* explore: ranks=1 verdict=cannot-run args=statistics says=moment */
/* explore: ranks=1 verdict=cannot-run args=pipe says=pipe */
/* explore: ranks=1 verdict=cannot-run args=popen says=popen */
/* explore: ranks=1 verdict=cannot-run args=link says=links */
/* explore: ranks=1 verdict=cannot-run args=shared-mapping says=maps */
/* explore: ranks=1 verdict=cannot-run args=large memory=600M says=memory */
/* explore: ranks=1 verdict=race-free args=errors */
/* explore: ranks=1 verdict=race-free args=constant */
/* explore: ranks=1 verdict=race-free args=memory */
/* explore: ranks=1 verdict=cannot-run args=break says=brk */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int is(const char *argument, const char *name) { return !strcmp(argument, name); }

/* Bad addresses, and more descriptors than there are. */
static int errors(void) {
    int descriptor, last = -1, file = open("/dev/null", O_WRONLY);
    void *volatile nowhere = (void *)8;
    if (open(nowhere, O_RDONLY) != -1 || errno != EFAULT)
        return 1;
    if (read(open("/dev/zero", O_RDONLY), nowhere, 8) != -1 || errno != EFAULT)
        return 1;
    if (write(open("/dev/null", O_WRONLY), "x", 1) != 1 || write(1, nowhere, 8) != -1 || errno != EFAULT)
        return 1;
    if (access(nowhere, R_OK) != -1 || errno != EFAULT)
        return 1;
    while ((descriptor = dup(file)) >= 0)
        last = descriptor;
    int limit = errno == EMFILE && open("/dev/null", O_RDONLY) == -1 && errno == EMFILE;
    for (; last > file; last--)
        close(last);
    return limit ? 0 : 1;
}

/* Files of the kernel that are always the same. */
static int constant(void) {
    char line[256] = "", path[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file || !fgets(line, sizeof line, file) || fclose(file) != 0)
        return 1;
    if (readlink("/proc/self/exe", path, sizeof path) <= 0 || !strstr(path, "special_files"))
        return 1;
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)getpid());
    FILE *setting = fopen("/proc/sys/kernel/ostype", "r");
    if (!setting || !fgets(line, sizeof line, setting) || strcmp(line, "Linux\n") != 0)
        return 1;
    file = fopen(path, "r");
    return file && fgets(line, sizeof line, file) && strstr(line, "special_files") ? 0 : 1;
}

/* How much memory there is, and is used, by all the ways in which programs ask. */
static int number_after(const char *path, const char *name) {
    char line[256], value[32] = "";
    int number = -1;
    FILE *file = fopen(path, "r");
    while (file && number < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0 && sscanf(line + strlen(name), "%31s", value) == 1)
            number = atoi(value);
    return file && fclose(file) == 0 ? number : -1;
}

static int memory(void) {
    double load = -1;
    FILE *file = fopen("/proc/loadavg", "r");
    int right = file && fscanf(file, "%lf", &load) == 1 && load >= 0 && fclose(file) == 0;
    right = right && number_after("/proc/self/status", "Pid:") == (int)getpid() && number_after("/proc/self/statm", "") > 0;
    right = right && number_after("/proc/self/status", "VmHWM:") >= number_after("/proc/self/status", "VmRSS:");
    return right && number_after("/proc/meminfo", "MemTotal:") >= number_after("/proc/meminfo", "MemFree:") ? 0 : 1;
}

static int try(const char *what) {
    int ends[2];
    if (is(what, "stat"))
        return fopen("/proc/self/stat", "r") == NULL;
    if (is(what, "break"))
        return sbrk(4096) == (void *)-1;
    if (is(what, "uuid"))
        return fopen("/proc/sys/kernel/random/uuid", "r") == NULL;
    if (is(what, "statistics"))
        return fopen("/sys/class/net/lo/statistics/rx_bytes", "r") == NULL;
    if (is(what, "process"))
        return access("/proc/1", F_OK);
    if (is(what, "pipe"))
        return pipe(ends);
    if (is(what, "popen"))
        return popen("true", "r") == NULL;
    if (is(what, "link"))
        return symlink("a", "b");
    if (is(what, "shared-mapping")) {
        FILE *file = tmpfile();
        fputs("text", file);
        fflush(file);
        return mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0) == MAP_FAILED;
    }
    if (is(what, "large")) {
        FILE *file = tmpfile();
        return ftruncate(fileno(file), 1l << 31);
    }
    return is(what, "errors") ? errors() : is(what, "constant") ? constant() : is(what, "memory") ? memory() : 1;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc < 2 || try(argv[1]))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
