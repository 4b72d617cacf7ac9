/* MPI_Init under the explorer: the process becomes the zygote. It maps the channel, finds out which memory belongs to a
 * rank, and from then on only forks executors. */
#include "models/mpi/preload/rank.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/files/files.h"
#include "models/mpi/preload/process/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
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

void channel_seal(struct channel *channel) {
    RAW3(SYS_mprotect, channel, PAGE_BYTES, PROT_READ);
    RAW3(SYS_mprotect, (char *)channel + channel->pages_at, PAGE_BYTES, PROT_READ);
    RAW3(SYS_mprotect, (char *)channel + channel->nodes_at, PAGE_BYTES, PROT_READ);
}

static void map_channel(void) {
    const char *variable = getenv(CHANNEL_VARIABLE);
    if (!variable)
        cannot("the library preloaded into the program works only when the explorer starts it");
    int descriptor = atoi(variable);
    struct channel head;
    if (pread(descriptor, &head, sizeof head, 0) != sizeof head || head.version != CHANNEL_VERSION)
        cannot("explorer and preloaded library are of different versions");
    struct channel *channel =
        mmap(CHANNEL_AT, head.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, descriptor, 0);
    struct control *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (channel == MAP_FAILED || made == MAP_FAILED)
        cannot("cannot map the explorer's memory: is there an address space limit (ulimit -v)?");
    close(descriptor);
    channel_seal(channel);
    unsetenv(CHANNEL_VARIABLE);
    unsetenv(ALLOCATION_LOG_VARIABLE);
    made->channel = channel;
    made->mailbox = channel_mailbox(channel, 0);
    made->mailbox->pid = (int)RAW0(SYS_getpid);
    made->image.pages = (struct block_store *)((char *)channel + channel->pages_at);
    made->image.nodes = (struct block_store *)((char *)channel + channel->nodes_at);
    control = made;
}

/* Where the process's stack ends: its upper end, above all frames, arguments and environment. 0 if `here` is not on it. */
static uintptr_t end_of_stack(uintptr_t here) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        cannot("cannot read /proc/self/maps");
    char line[4600];
    uintptr_t found = 0, start, end;
    while (found == 0 && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx", &start, &end) == 2 && here >= start && here < end && strstr(line, "[stack]"))
            found = end;
    }
    fclose(maps);
    return found;
}

/* The stack is made as large as it may become, so that its range never changes. */
static void stretch_stack(uintptr_t here) {
    struct rlimit limit;
    uintptr_t most = 8u << 20, top = end_of_stack(here);
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur <= STACK_BYTES_MOST)
        most = limit.rlim_cur;
    volatile char *lowest = (volatile char *)(top - most + PAGE_BYTES);
    if (top != 0)
        *lowest = 0;
}

/* A stack that grew beyond its range would do so unseen: it overflows instead. */
static void end_stack(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0)
        cannot("cannot limit the program's stack");
    limit.rlim_cur = control->image.stack_high - control->image.stack_low;
    if (setrlimit(RLIMIT_STACK, &limit) != 0)
        cannot("cannot limit the program's stack");
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

/* Such memory is no part of local states, and all ranks would have the same. */
static bool shares_memory;

void rank_note_shared_memory(void) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4600], permissions[5];
    while (maps && fgets(line, sizeof line, maps))
        shares_memory |= sscanf(line, "%*s %4s", permissions) == 1 && permissions[1] == 'w' && permissions[3] == 's';
    if (maps)
        fclose(maps);
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
        if (start >= ALLOCATION_LOG_AT && start < ALLOCATION_LOG_AT + ALLOCATION_LOG_BYTES)
            continue;
        if (!tracked(permissions, path))
            continue;
        if (here >= start && here < end) {
            control->image.stack_low = start;
            control->image.stack_high = end;
        }
        if (inode)
            touch(start, end);
        add_mapping(start, end);
        if (permissions[2] == 'x')
            image_let_execute(&control->image, start);
    }
    fclose(maps);
}

/* Where each module has its thread-local variables: those of this thread, the only one. */
static int add_thread_block(struct dl_phdr_info *module, size_t size, void *context) {
    struct memory_layout *layout = context;
    if (size < sizeof *module || !module->dlpi_tls_data || layout->thread_blocks == LAYOUT_THREAD_BLOCKS)
        return 0;
    for (int i = 0; i < module->dlpi_phnum; i++)
        if (module->dlpi_phdr[i].p_type == PT_TLS)
            layout->thread_block[layout->thread_blocks++] =
                (struct layout_thread_block){.module = module->dlpi_addr,
                                             .start = (uintptr_t)module->dlpi_tls_data,
                                             .end = (uintptr_t)module->dlpi_tls_data + module->dlpi_phdr[i].p_memsz};
    return 0;
}

_Static_assert((int)LAYOUT_RANGES == (int)IMAGE_RANGES, "every range has its place");

static void publish_layout(void) {
    struct memory_layout *layout = channel_layout(control->channel);
    const struct image *image = &control->image;
    struct arena_bounds arena = arena_bounds();
    layout->ranges = image->ranges;
    for (uint32_t i = 0; i < image->ranges; i++)
        layout->range[i] = (struct layout_range){image->range[i].start, image->range[i].end, image->range[i].first, 0};
    layout->stack_low = image->stack_low;
    layout->stack_high = image->stack_high;
    layout->stack_pointer_at = (uintptr_t)&rank_core.stack_pointer;
    layout->descriptors = arena.descriptors;
    layout->descriptors_end = arena.descriptors_end;
    layout->heap = arena.pages;
    layout->heap_end = arena.pages_end;
    dl_iterate_phdr(add_thread_block, layout);
}

static void allocate_lists(void) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    long lists = RAW6(SYS_mmap, 0, image_list_bytes(&control->image), PROT_READ | PROT_WRITE, flags, -1, 0);
    if (lists < 0 && lists > -4096)
        cannot("cannot reserve address space for tracking the program's memory");
    image_use_lists(&control->image, (void *)lists);
}

static int is_open_mpi(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size, (void)context;
    return strstr(object->dlpi_name, "/libmpi.so") != NULL;
}

/* What may have happened since the file was looked at (explorer/processes/program_check.c). */
static void check_process(void) {
    if (RAW0(SYS_getppid) != control->channel->explorer_pid)
        cannot(
            "MPI_Init is called in a process that the program has started (by a script, time, strace, …): give the MPI program "
            "itself to explore");
    if (dl_iterate_phdr(is_open_mpi, NULL))
        cannot("the program has loaded Open MPI (libmpi.so), for which only a build with MPICH can stand in");
}

void rank_start(uint16_t function, uint64_t site) {
    fflush(NULL);
    setvbuf(stdout, NULL, _IONBF, 0);
    map_channel();
    check_process();
    if (shares_memory)
        cannot("the program has memory that other processes can change (a shared mapping made before MPI_Init), which is not "
               "supported");
    arena_limit(control->channel->arena_bytes);
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    stretch_stack(here);
    own_signals_start();
    crash_handlers_install();
    const char *threads = threads_begin();
    if (threads)
        cannot(threads);
    vdso_find(&control->vdso);
    vdso_use_system_calls(&control->vdso);
    rank_core.started = true;
    rank_core.random_state = 0x9e3779b97f4a7c15u;
    if (!files_start())
        cannot("the program reads stdin before MPI_Init, which is not supported: only rank 0 would get it");
    list_ranges(here);
    end_stack();
    publish_layout();
    allocate_lists();
    struct wire_call call = {.kind = WIRE_CALL_START, .function = function, .site = site};
    control->report_used = 0;
    struct wire_call *record = report_add(WIRE_CALL, sizeof *record);
    *record = call;
    step_leave(&rank_core.stack_pointer, control->stack + CONTROL_STACK_BYTES, zygote_run);
}
