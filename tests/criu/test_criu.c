/* Checkpoints by CRIU of the process in subject.c. Skipped as a whole, with the reason, where CRIU does not work. */
#include "ckpt/criu.h"
#include "ckpt/criu_folder.h"
#include "tests/criu/subject.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A process that sleeps or answers an order; the test has the other end of its socket. */
struct subject {
    pid_t process;
    int number; /* of the socket in the subject */
    int line;   /* our end */
};

static struct criu *criu;
static int region_file;
static struct subject_answer *answers; /* SUBJECT_MAILBOXES of them */
static char scratch[] = "/tmp/test-criu-XXXXXX";

static void set_up(void) {
    char *error;
    criu = criu_find(NULL, &error);
    cr_assert(criu, "%s", error);
    region_file = memfd_create("region", MFD_CLOEXEC);
    cr_assert(ftruncate(region_file, SUBJECT_REGION_BYTES) == 0);
    answers = mmap(NULL, SUBJECT_REGION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, region_file, 0);
    cr_assert(answers != MAP_FAILED);
    cr_assert(mkdtemp(scratch));
}

static void remove_folder(const char *path) {
    DIR *listing = opendir(path);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        char inner[600];
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && unlink(inner) != 0)
            remove_folder(inner);
    }
    if (listing)
        closedir(listing);
    rmdir(path);
}

static void tear_down(void) {
    remove_folder(scratch);
    criu_free(criu);
}

TestSuite(criu, .init = set_up, .fini = tear_down, .timeout = 120);

static const char *folder(const char *name) {
    static char path[2][128];
    static int turn;
    turn ^= 1;
    snprintf(path[turn], sizeof path[turn], "%s/%s", scratch, name);
    return path[turn];
}

/* A process of the test's own that makes checkpoints, and ends with the test. Its end of the pipe is in *report. */
static pid_t fork_explorer(int *report) {
    int ends[2];
    cr_assert(pipe(ends) == 0);
    pid_t test = getpid(), explorer = fork();
    if (explorer == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != test)
            _exit(1);
    }
    *report = ends[explorer == 0];
    close(ends[explorer != 0]);
    return explorer;
}

static struct subject start_subject(void) {
    int pair[2];
    cr_assert(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    struct subject subject = {.number = pair[1], .line = pair[0]};
    subject.process = fork();
    if (subject.process == 0) {
        setsid();
        char socket[16], file[16];
        snprintf(socket, sizeof socket, "%d", pair[1]);
        snprintf(file, sizeof file, "%d", region_file);
        int null = open("/dev/null", O_RDWR);
        for (int i = 0; i < 3; i++)
            dup2(null, i);
        close_range(3, ~0u, CLOSE_RANGE_CLOEXEC); /* the test runner's descriptors are no part of it */
        fcntl(pair[1], F_SETFD, 0);
        fcntl(region_file, F_SETFD, 0);
        setenv("UCX_TLS", "self", 1);
        execl(CRIU_SUBJECT, CRIU_SUBJECT, socket, file, NULL);
        _exit(127);
    }
    close(pair[1]);
    cr_assert(criu_asleep(subject.line), "the subject does not start");
    return subject;
}

static void end_subject(const struct subject *subject) {
    kill(subject->process, SIGKILL);
    waitpid(subject->process, NULL, 0);
    close(subject->line);
}

static void dump(const struct subject *subject, const char *directory) {
    char *error = criu_dump(criu, subject->process, directory, &subject->number, 1);
    cr_assert(!error, "%s", error);
}

/* A copy that sleeps in the room it is given. */
static struct subject restore(const char *directory, int number, struct criu_copy *copy) {
    int pair[2];
    cr_assert(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    char *error = criu_restore(criu, directory, &(struct criu_inherit){number, pair[1]}, 1, copy);
    close(pair[1]);
    cr_assert(!error, "%s", error);
    return (struct subject){.process = copy->process, .number = number, .line = pair[0]};
}

static void order(const struct subject *subject, uint32_t mailbox, uint32_t add) {
    struct subject_order order = {.mailbox = mailbox, .add = add, .exit_status = -1};
    cr_assert(criu_wake(subject->line, region_file, &order, sizeof order));
}

static void check_answer(uint32_t mailbox, uint64_t sum) {
    const struct subject_answer *answer = &answers[mailbox];
    cr_assert_eq(answer->sum, sum);
    cr_assert_eq(answer->worker_sum, sum, "the thread that waited at a futex works on");
    cr_assert(answer->pattern_intact);
    cr_assert_eq(answer->filtered_parent, SUBJECT_FAKE_PARENT, "the filter and its handler are in force");
    cr_assert_eq(answer->threads, answers[0].threads);
    cr_assert_eq(answer->pid, answers[0].pid, "it has the number it always had");
    cr_assert_eq(answer->worker_pid, answers[0].worker_pid);
}

static void add_and_check(const struct subject *subject, uint32_t mailbox, uint32_t add, uint64_t sum) {
    order(subject, mailbox, add);
    cr_assert(criu_asleep(subject->line));
    check_answer(mailbox, sum);
}

Test(criu, three_copies_of_one_image_run_side_by_side) {
    struct subject subject = start_subject();
    add_and_check(&subject, 0, 5, 5);
    cr_assert_geq(answers[0].threads, 2);
    dump(&subject, folder("image"));
    add_and_check(&subject, 0, 1, 6); /* the original runs on */
    struct criu_copy copy[3];
    struct subject twin[3];
    for (int i = 0; i < 3; i++)
        twin[i] = restore(folder("image"), subject.number, &copy[i]);
    for (uint32_t i = 0; i < 3; i++)
        order(&twin[i], i + 1, 100 * (i + 1));
    for (int i = 2; i >= 0; i--)
        cr_assert(criu_asleep(twin[i].line));
    for (uint32_t i = 0; i < 3; i++)
        check_answer(i + 1, 5 + 100 * (i + 1));
    add_and_check(&twin[1], 2, 1, 206);
    add_and_check(&subject, 0, 1, 7);
    for (int i = 0; i < 3; i++) {
        criu_end(&copy[i]);
        cr_assert(kill(copy[i].process, 0) != 0 && errno == ESRCH);
    }
    end_subject(&subject);
}

/* The image is made by one process, which is gone, as is what it dumped, when another restores it. */
Test(criu, image_outlives_its_maker) {
    int report, number = -1;
    pid_t maker = fork_explorer(&report);
    if (maker == 0) {
        struct subject subject = start_subject();
        add_and_check(&subject, 0, 5, 5);
        dump(&subject, folder("image"));
        end_subject(&subject);
        (void)!write(report, &subject.number, sizeof subject.number);
        _exit(0);
    }
    cr_assert(read(report, &number, sizeof number) == sizeof number);
    waitpid(maker, NULL, 0);
    struct criu_copy copy;
    struct subject twin = restore(folder("image"), number, &copy);
    add_and_check(&twin, 1, 3, 8);
    criu_end(&copy);
}

Test(criu, a_copy_can_be_dumped_again) {
    struct subject subject = start_subject();
    add_and_check(&subject, 0, 5, 5);
    dump(&subject, folder("image-0"));
    end_subject(&subject);
    for (uint32_t generation = 0; generation < 3; generation++) {
        char from[16], to[16];
        snprintf(from, sizeof from, "image-%u", generation);
        snprintf(to, sizeof to, "image-%u", generation + 1);
        struct criu_copy copy;
        struct subject twin = restore(folder(from), subject.number, &copy);
        add_and_check(&twin, 1, 1, 6 + generation);
        dump(&twin, folder(to));
        criu_end(&copy);
        close(twin.line);
    }
    struct criu_copy copy;
    struct subject twin = restore(folder("image-1"), subject.number, &copy);
    add_and_check(&twin, 1, 10, 16);
    criu_end(&copy);
}

Test(criu, a_room_ends_as_its_copy_ends) {
    struct subject subject = start_subject();
    dump(&subject, folder("image"));
    end_subject(&subject);
    static const struct subject_order end[] = {{.exit_status = 7}, {.exit_status = -1, .signal = SIGTERM}};
    static const int expected[] = {7, 128 + SIGTERM};
    for (int i = 0; i < 2; i++) {
        struct criu_copy copy;
        struct subject twin = restore(folder("image"), subject.number, &copy);
        cr_assert(criu_wake(twin.line, region_file, &end[i], sizeof end[i]));
        cr_assert_not(criu_asleep(twin.line), "the line is closed with its end");
        int status;
        cr_assert_eq(waitpid(copy.room, &status, 0), copy.room);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == expected[i]);
        close(twin.line);
    }
}

Test(criu, nothing_outlives_a_killed_explorer) {
    struct subject subject = start_subject();
    dump(&subject, folder("image"));
    end_subject(&subject);
    /* Stopped, it does not notice that its line is closed: the kernel must end it. */
    const struct subject_order stop = {.exit_status = -1, .signal = SIGSTOP};
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what the explorer leaves behind is ours to wait for */
    int report;
    pid_t explorer = fork_explorer(&report);
    if (explorer == 0) {
        struct criu_copy copy[2];
        for (int i = 0; i < 2; i++) {
            struct subject twin = restore(folder("image"), subject.number, &copy[i]);
            cr_assert(criu_wake(twin.line, region_file, &stop, sizeof stop));
        }
        (void)!write(report, copy, sizeof copy);
        for (;;)
            pause();
    }
    struct criu_copy copy[2];
    cr_assert(read(report, copy, sizeof copy) == sizeof copy);
    for (int i = 0; i < 2; i++)
        cr_assert(kill(copy[i].room, 0) == 0 && kill(copy[i].process, 0) == 0);
    kill(explorer, SIGKILL);
    waitpid(explorer, NULL, 0);
    for (int i = 0; i < 2; i++) {
        int status;
        cr_assert_eq(waitpid(copy[i].room, &status, 0), copy[i].room);
        cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        cr_assert(kill(copy[i].process, 0) != 0 && errno == ESRCH);
    }
}

static size_t image_folders(const char *parent) {
    size_t count = 0;
    DIR *listing = opendir(parent);
    for (struct dirent *entry; listing && (entry = readdir(listing));)
        count += strncmp(entry->d_name, "explore-images-", 15) == 0;
    if (listing)
        closedir(listing);
    return count;
}

/* A folder goes when its owner says so, or else, if its owner was killed, when the next one is made. One in use stays. */
Test(criu, folders_of_killed_owners_are_removed) {
    int report;
    pid_t owner = fork_explorer(&report);
    if (owner == 0) {
        struct image_folder folder;
        char *error = image_folder_make(&folder, scratch), inner[256];
        snprintf(inner, sizeof inner, "%s/7", folder.path);
        mkdir(inner, 0700);
        snprintf(inner, sizeof inner, "%s/7/file", folder.path);
        close(open(inner, O_WRONLY | O_CREAT, 0600));
        (void)!write(report, error ? "n" : "y", 1);
        for (;;)
            pause();
    }
    char made;
    cr_assert(read(report, &made, 1) == 1 && made == 'y');
    struct image_folder own;
    cr_assert_null(image_folder_make(&own, scratch));
    cr_assert_eq(image_folders(scratch), 2, "its owner lives");
    image_folder_remove(&own);
    cr_assert_eq(image_folders(scratch), 1);
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    cr_assert_null(image_folder_make(&own, scratch));
    cr_assert_eq(image_folders(scratch), 1);
    image_folder_remove(&own);
    cr_assert_eq(image_folders(scratch), 0);
}

static void expect_sentence(char *error, const char *part) {
    cr_assert(error, "must fail");
    cr_assert(strstr(error, part), "%s", error);
    cr_assert_not(strchr(error, '\n'), "one line: %s", error);
    free(error);
}

Test(criu, failures_are_sentences) {
    char *error;
    cr_assert_null(criu_find("/nonexistent/criu", &error));
    expect_sentence(error, "/nonexistent/criu");
    cr_assert_null(criu_find("/bin/false", &error));
    expect_sentence(error, "CRIU cannot checkpoint the process");

    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    waitpid(gone, NULL, 0);
    expect_sentence(criu_dump(criu, gone, folder("image"), NULL, 0), "there is none");

    struct criu_copy copy;
    expect_sentence(criu_restore(criu, folder("none"), NULL, 0, &copy), "No such file or directory");
    expect_sentence(criu_restore(criu, scratch, NULL, 0, &copy), "no complete checkpoint");
    cr_assert_eq(copy.room, -1);
}

Test(criu, a_damaged_image_is_refused) {
    struct subject subject = start_subject();
    dump(&subject, folder("image"));
    end_subject(&subject);
    char path[256];
    snprintf(path, sizeof path, "%s/pages-1.img", folder("image"));
    cr_assert(truncate(path, 4096) == 0);
    struct criu_copy copy;
    expect_sentence(criu_restore(criu, folder("image"), NULL, 0, &copy), "CRIU cannot restore the process");
    expect_sentence(criu_restore(criu, folder("image"), &(struct criu_inherit){99, 1}, 1, &copy), "descriptor 99");
}

int main(int argc, char **argv) {
    char *error;
    struct criu *found = criu_find(NULL, &error);
    if (!found) {
        printf("SKIPPED %s\n", error);
        return 77;
    }
    criu_free(found);
    struct criterion_test_set *tests = criterion_initialize();
    int failed = criterion_handle_args(argc, argv, true) && !criterion_run_all_tests(tests);
    criterion_finalize(tests);
    return failed;
}
