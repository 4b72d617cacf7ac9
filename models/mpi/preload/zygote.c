/* MPI_Init under the explorer: the process becomes the zygote. It maps the channel, finds out which memory belongs to a
 * rank, and from then on only forks executors. */
#include "models/mpi/preload/rank.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/control.h"
#include "models/mpi/preload/vdso.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHANNEL_AT ((void *)0x200000000000)

static _Noreturn void cannot(const char *why) {
    if (control && control->mailbox) {
        snprintf(control->mailbox->text, sizeof control->mailbox->text, "%s", why);
        control->mailbox->status = STATUS_CANNOT;
        atomic_store(&control->mailbox->report, 1);
        RAW3(SYS_futex, &control->mailbox->report, FUTEX_WAKE, INT_MAX);
    } else {
        fprintf(stderr, "explore: %s\n", why);
    }
    RAW1(SYS_exit_group, 3);
    __builtin_unreachable();
}

static void map_channel(void) {
    const char *variable = getenv(CHANNEL_VARIABLE);
    if (!variable)
        cannot("the library preloaded into the program works only when the explorer starts it");
    int descriptor = atoi(variable);
    struct channel head;
    if (pread(descriptor, &head, sizeof head, 0) != sizeof head || head.version != CHANNEL_VERSION)
        cannot("explorer and preloaded library are of different versions");
    struct channel *channel = mmap(CHANNEL_AT, head.bytes, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, descriptor, 0);
    struct control *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (channel == MAP_FAILED || made == MAP_FAILED)
        cannot("cannot map the explorer's memory: is there an address space limit (ulimit -v)?");
    close(descriptor);
    unsetenv(CHANNEL_VARIABLE);
    made->channel = channel;
    made->mailbox = channel_mailbox(channel, 0);
    made->mailbox->pid = (int)RAW0(SYS_getpid);
    made->image.pages = (struct block_store *)((char *)channel + channel->pages_at);
    made->image.nodes = (struct block_store *)((char *)channel + channel->nodes_at);
    control = made;
}

/* Threads do not survive the fork of an executor. MPICH's own (a transport library's, idle) may be lost; the program's not. */
static int thread_count(void) {
    DIR *directory = opendir("/proc/self/task");
    if (!directory)
        return 1;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

/* The stack is made as large as it may become, so that its range never changes. */
static void stretch_stack(uintptr_t top) {
    struct rlimit limit;
    uintptr_t most = 8u << 20;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < (64u << 20))
        most = limit.rlim_cur;
    volatile char *lowest = (volatile char *)(top - most + (256u << 10));
    *lowest = 0;
}

static bool tracked(const char *permissions, const char *path) {
    return permissions[0] == 'r' && permissions[1] == 'w' && permissions[3] == 'p' && strncmp(path, "[v", 2) != 0;
}

/* A page of a file mapping that was never touched has no entry yet, and would be taken for zeros. */
static void touch(uintptr_t start, uintptr_t end) {
    for (volatile char *at = (char *)start; at < (volatile char *)end; at += PAGE_BYTES)
        *at = *at;
}

static void add_range(uintptr_t start, uintptr_t end) {
    if (!image_add_range(&control->image, start, end))
        cannot("the program has too many or too large memory mappings");
}

/* The kernel merges neighbouring mappings: the control block may be part of a larger one. */
static void add_mapping(uintptr_t start, uintptr_t end) {
    uintptr_t hole = (uintptr_t)control, hole_end = hole + (sizeof *control + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    if (hole >= end || hole_end <= start) {
        add_range(start, end);
        return;
    }
    if (hole > start)
        add_range(start, hole);
    if (hole_end < end)
        add_range(hole_end, end);
}

static void add_arena(const struct arena_bounds *arena) {
    add_range(arena->descriptors, arena->descriptors_end);
    image_close_from(&control->image, control->image.ranges - 1, arena->descriptors_used);
    add_range(arena->pages, arena->pages_end);
    image_close_from(&control->image, control->image.ranges - 1, arena->pages_used);
}

static void list_ranges(uintptr_t here) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        cannot("cannot read /proc/self/maps");
    char line[4600];
    bool arena_added = false;
    struct arena_bounds arena = arena_bounds();
    while (fgets(line, sizeof line, maps)) {
        uintptr_t start, end;
        unsigned long inode;
        char permissions[5], path[4097] = "";
        if (sscanf(line, "%lx-%lx %4s %*s %*s %lu %4096s", &start, &end, permissions, &inode, path) < 4)
            continue;
        if (!arena_added && start >= arena.descriptors) {
            add_arena(&arena);
            arena_added = true;
        }
        if (start >= arena.descriptors && start < (uintptr_t)CHANNEL_AT)
            continue; /* the arena's two mappings */
        if (!tracked(permissions, path))
            continue;
        if (here >= start && here < end) {
            control->image.stack_low = start;
            control->image.stack_high = end;
        }
        if (inode)
            touch(start, end);
        add_mapping(start, end);
    }
    fclose(maps);
}

static void allocate_lists(void) {
    struct image *image = &control->image;
    size_t pages = image->page_count;
    size_t bytes = pages * (sizeof *image->dirty + sizeof *image->written + sizeof *image->change + 1);
    char *lists = (char *)RAW6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if ((intptr_t)lists < 0 && (intptr_t)lists > -4096)
        cannot("cannot reserve address space for tracking the program's memory");
    image->change = (struct page_change *)lists;
    image->dirty = (uint32_t *)(image->change + pages);
    image->written = image->dirty + pages;
    image->writable = (uint8_t *)(image->written + pages);
}

void rank_start(uint16_t function, uint64_t site) {
    if (thread_count() > 2)
        cannot("the program starts threads before MPI_Init, which is not supported");
    fflush(NULL);
    setvbuf(stdout, NULL, _IONBF, 0);
    map_channel();
    arena_limit(control->channel->arena_bytes);
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    stretch_stack(here);
    own_signals_start();
    crash_handlers_install();
    vdso_make_system_calls();
    rank_core.started = true;
    rank_core.random_state = 0x9e3779b97f4a7c15u;
    list_ranges(here);
    allocate_lists();
    struct wire_call call = {.kind = WIRE_CALL_START, .function = function, .site = site};
    control->report_used = 0;
    struct wire_call *record = report_add(WIRE_CALL, sizeof *record);
    *record = call;
    step_leave(&rank_core.stack_pointer, control->stack + CONTROL_STACK_BYTES, zygote_run);
}
