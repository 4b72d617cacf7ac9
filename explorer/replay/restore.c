#include "explorer/replay/restore.h"

#include "ckpt/channel.h"
#include "ckpt/criu.h"
#include "explorer/debug_information/modules.h"
#include "explorer/debug_information/source_names.h"
#include "explorer/reports/report.h"

#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 };

static int complain(const char *sentence) {
    fflush(stdout);
    fprintf(stderr, "explore: %s\n", sentence);
    return VERDICT_CANNOT_RUN;
}

static void print_description(const char *folder) {
    char *path, line[1024];
    if (asprintf(&path, "%s/" IMAGE_DESCRIPTION, folder) < 0)
        abort();
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        fputs(line, stdout);
    if (file)
        fclose(file);
    free(path);
}

/* --- where its threads stand ----------------------------------------------------------------------------------------------- */

struct walk {
    struct modules *modules;
    unsigned number; /* of the frame to come */
};

static void print_frame(struct walk *walk, uint64_t address) {
    const struct module *module = modules_at(walk->modules, address);
    const char *file;
    int line;
    struct source_name function = source_name_at(walk->modules, address);
    printf("  #%-2u 0x%llx %s", walk->number++, (unsigned long long)address, *function.text ? function.text : "?");
    if (module && modules_line(walk->modules, address, &file, &line))
        printf(" (%s:%d)\n", path_base(file), line);
    else
        printf(" in %s\n", module ? module->name : "nothing that is loaded");
}

/* What this tool adds to the program's stack is left out. */
static int on_frame(Dwfl_Frame *frame, void *context) {
    struct walk *walk = context;
    Dwarf_Addr pc;
    bool exact;
    if (!dwfl_frame_pc(frame, &pc, &exact))
        return DWARF_CB_ABORT;
    uint64_t address = exact ? pc : pc - 1;
    const struct module *module = modules_at(walk->modules, address);
    if (!module || module->kind != MODULE_OWN)
        print_frame(walk, address);
    return DWARF_CB_OK;
}

static int on_thread(Dwfl_Thread *thread, void *context) {
    struct walk *walk = context;
    walk->number = 0;
    printf("thread %d:\n", (int)dwfl_thread_tid(thread));
    dwfl_thread_getframes(thread, on_frame, walk);
    return DWARF_CB_OK;
}

static void print_threads(pid_t process) {
    struct walk walk = {.modules = modules_load(process)};
    if (!walk.modules)
        return;
    if (dwfl_linux_proc_attach(modules_dwfl(walk.modules), process, false) == 0)
        dwfl_getthreads(modules_dwfl(walk.modules), on_thread, &walk);
    modules_free(walk.modules);
}

/* --- holding it ------------------------------------------------------------------------------------------------------------ */

/* Until it stands in the call that it was blocked in. */
static bool bring_there(int line) {
    const uint32_t hold = CHANNEL_HOLD;
    int region = memfd_create("explore", MFD_CLOEXEC); /* it will not look */
    struct pollfd there = {.fd = line, .events = POLLIN};
    bool ok =
        region >= 0 && criu_wake(line, region, &hold, sizeof hold) && poll(&there, 1, PATIENCE_MS) == 1 && criu_asleep(line);
    if (region >= 0)
        close(region);
    return ok;
}

static void hold(const volatile bool *interrupt) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    char ignored[256];
    while (!*interrupt)
        if (poll(&input, 1, 100) == 1 && read(0, ignored, sizeof ignored) <= 0)
            return;
}

static int show(const struct criu_copy *copy, const char *folder, const volatile bool *interrupt) {
    print_description(folder);
    print_threads(copy->process);
    printf("process %d is in this state (gdb -p %d); it ends when standard input does\n", (int)copy->process,
           (int)copy->process);
    fflush(stdout);
    hold(interrupt);
    return 0;
}

static int restore_by(const struct criu *criu, const char *folder, const volatile bool *interrupt) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return complain("cannot make a socket");
    struct criu_copy copy;
    char *error = criu_restore(criu, folder, &(struct criu_inherit){CHANNEL_LINE, pair[1]}, 1, &copy);
    close(pair[1]);
    int code;
    if (error) {
        code = complain(error);
        free(error);
    } else {
        code = bring_there(pair[0]) ? show(&copy, folder, interrupt) : complain("the process that was restored does not run");
        criu_end(&copy);
    }
    close(pair[0]);
    return code;
}

int restore(const char *folder, const volatile bool *interrupt) {
    char *error;
    struct criu *criu = criu_find(NULL, &error);
    if (!criu) {
        int code = complain(error);
        free(error);
        return code;
    }
    int code = restore_by(criu, folder, interrupt);
    criu_free(criu);
    return code;
}
