/* Ranks that use the same files in turns, with a collective of all in between: each turn must find what earlier ones have left, as on a
 * disk, which the program checks itself. Where nothing that all ranks wait in is in between, that must be refused. */
/* explore: ranks=3 verdict=race-free args=append */
/* explore: ranks=3 verdict=race-free args=append_checkpoint checkpoint=fork */
/* explore: ranks=2 verdict=race-free args=kept_open */
/* explore: ranks=3 verdict=race-free args=configuration */
/* explore: ranks=3 verdict=race-free args=neighbours */
/* explore: ranks=2 verdict=race-free args=rewritten */
/* explore: ranks=3 verdict=race-free args=renamed */
/* explore: ranks=2 verdict=race-free args=removed */
/* explore: ranks=3 verdict=race-free args=directory */
/* explore: ranks=2 verdict=race-free args=moved_folder */
/* explore: ranks=2 verdict=race-free args=another_kind */
/* explore: ranks=3 verdict=found class=race-output args=who_was_first */
/* explore: ranks=2 verdict=found class=deadlock args=gets_stuck */
/* explore: ranks=2 verdict=found class=abort args=forgotten */
/* explore: ranks=2 verdict=cannot-run args=by_message says=collective */
/* explore: ranks=2 verdict=cannot-run args=by_ibarrier says=collective */
/* explore: ranks=3 verdict=cannot-run args=by_some says=collective */
/* explore: ranks=2 verdict=cannot-run args=by_broadcast says=collective */
/* explore: ranks=2 verdict=cannot-run args=later_at_once says=collective */
/* explore: ranks=2 verdict=cannot-run args=opened_before says=collective */
/* explore: ranks=2 verdict=cannot-run args=open_and_removed says=open */
/* explore: ranks=2 verdict=cannot-run args=left_folder says=works */
/* explore: ranks=2 verdict=cannot-run args=late_changes says=MPI_Finalize */
/* explore: ranks=2 verdict=cannot-run args=beside_mpi_io says=MPI-IO */
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, ranks;
static const char *mode;

static int is(const char *name) { return strncmp(mode, name, strlen(name)) == 0; }
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void check(int holds, const char *what) {
    if (holds)
        return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void put(const char *name, const char *how, const char *text) {
    FILE *file = fopen(name, how);
    check(file != NULL, "cannot open a file to write");
    fputs(text, file);
    fclose(file);
}

static int holds(const char *name, const char *expected) {
    char content[256] = "";
    FILE *file = fopen(name, "r");
    if (!file)
        return 0;
    content[fread(content, 1, sizeof content - 1, file)] = 0;
    fclose(file);
    return !strcmp(content, expected);
}

/* 0, 1, …, a line each. */
static const char *all_ranks(void) {
    static char lines[256];
    lines[0] = 0;
    for (int i = 0; i < ranks; i++)
        sprintf(lines + strlen(lines), "%d\n", i);
    return lines;
}

static void append(void) {
    char line[16];
    for (int turn = 0; turn < ranks; turn++) {
        if (turn == rank) {
            sprintf(line, "%d\n", rank);
            put("shared.txt", "a", line);
        }
        barrier();
    }
    check(holds("shared.txt", all_ranks()), "lines are missing");
}

static void keep_open(void) {
    if (rank == 0)
        put("shared.txt", "w", "");
    barrier();
    FILE *file = fopen("shared.txt", "a+");
    barrier();
    for (int turn = 0; turn < ranks; turn++) {
        if (turn == rank) {
            fprintf(file, "%d\n", rank);
            fflush(file);
        }
        barrier();
    }
    char content[256] = "";
    rewind(file);
    content[fread(content, 1, sizeof content - 1, file)] = 0;
    check(!strcmp(content, all_ranks()), "what others have written does not show in a file that was open");
    fclose(file);
}

/* Each collective in which everybody needs everybody will do. */
static void configure(void) {
    int sum, all[8];
    if (rank == 0)
        put("shared.txt", "w", "17\n");
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(holds("shared.txt", "17\n"), "there is no configuration");
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    if (rank == 1)
        put("shared.txt", "w", "18\n");
    MPI_Alltoall(all, 1, MPI_INT, all + ranks, 1, MPI_INT, MPI_COMM_WORLD);
    check(holds("shared.txt", "18\n"), "the configuration is an old one");
}

static void exchange(void) {
    char own[32], next[32], text[32];
    sprintf(own, "rank-%d.txt", rank);
    sprintf(next, "rank-%d.txt", (rank + 1) % ranks);
    for (int round = 0; round < 2; round++) {
        sprintf(text, "%d of round %d\n", rank, round);
        put(own, "w", text);
        barrier();
        sprintf(text, "%d of round %d\n", (rank + 1) % ranks, round);
        check(holds(next, text), "the neighbour's file is not what it has written");
        barrier();
    }
    unlink(own);
}

static void rewrite(void) {
    if (rank == 0)
        put("shared.txt", "w", "a long line\n");
    barrier();
    if (rank == 1)
        put("shared.txt", "w", "short\n");
    barrier();
    check(holds("shared.txt", "short\n"), "it is not what was written last");
}

static void rewrite_and_leave(void) {
    rewrite();
    barrier();
    if (rank == 0)
        put("shared.txt", "a", "and more\n");
    barrier();
}

static void rename_it(void) {
    if (rank == 0) {
        put("new.txt", "w", "new\n");
        rename("new.txt", "shared.txt");
    }
    barrier();
    check(holds("shared.txt", "new\n") && access("new.txt", F_OK) != 0, "it has another name");
}

static void remove_it(void) {
    if (rank == 0)
        put("shared.txt", "w", "x\n");
    barrier();
    if (rank == 1)
        unlink("shared.txt");
    barrier();
    check(access("shared.txt", F_OK) != 0, "it is there still");
}

static void make_directory(void) {
    char name[32];
    int entries = 0;
    if (rank == 0)
        mkdir("folder", 0777);
    barrier();
    sprintf(name, "folder/%d", rank);
    put(name, "w", "x\n");
    barrier();
    if (rank == ranks - 1) {
        DIR *directory = opendir("folder");
        check(directory != NULL, "there is no folder");
        while (readdir(directory))
            entries++;
        closedir(directory);
        check(entries == ranks + 2, "files are missing");
    }
    barrier();
    unlink(name);
    barrier();
    if (rank == 0)
        check(rmdir("folder") == 0, "the folder is not empty");
}

/* What is in it is somewhere else, too. */
static void move_directory(void) {
    if (rank == 0) {
        mkdir("folder", 0777);
        put("folder/inside", "w", "x\n");
    }
    barrier();
    check(holds("folder/inside", "x\n"), "it is not there yet");
    barrier();
    if (rank == 1)
        rename("folder", "other");
    barrier();
    check(holds("other/inside", "x\n"), "it has not moved");
    check(access("folder/inside", F_OK) != 0, "it is where it was");
    barrier();
    if (rank == 0) {
        unlink("other/inside");
        rmdir("other");
    }
}

static void change_kind(void) {
    struct stat status;
    if (rank == 0)
        mkdir("shared.txt", 0777);
    barrier();
    check(stat("shared.txt", &status) == 0 && S_ISDIR(status.st_mode), "it is no directory");
    barrier();
    if (rank == 1) {
        rmdir("shared.txt");
        put("shared.txt", "w", "x\n");
    }
    barrier();
    check(holds("shared.txt", "x\n"), "it is no file");
}

static void tell_who_was_first(void) {
    int first = 0;
    char line[16];
    MPI_Status status;
    if (rank == 0) {
        for (int i = 1; i < ranks; i++) {
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            first = first ? first : status.MPI_SOURCE;
        }
        sprintf(line, "%d\n", first);
        put("shared.txt", "w", line);
    } else {
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    barrier();
    if (rank == 1)
        puts(holds("shared.txt", "1\n") ? "I was" : "it was not me");
}

static void get_stuck(void) {
    if (rank == 0)
        put("shared.txt", "w", "x\n");
    barrier();
    if (holds("shared.txt", "x\n"))
        MPI_Recv(NULL, 0, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void use_at_once(void) {
    MPI_Request request;
    MPI_Comm some;
    if (rank == 0)
        put("shared.txt", "w", "x\n");
    if (is("by_ibarrier")) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (is("by_broadcast")) {
        MPI_Bcast(&ranks, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (is("by_message")) {
        if (rank == 0)
            MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Group world, two;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_incl(world, 2, (int[]){0, 1}, &two);
        if (rank < 2) {
            MPI_Comm_create_group(MPI_COMM_WORLD, two, 0, &some);
            MPI_Barrier(some);
            MPI_Comm_free(&some);
        }
        MPI_Group_free(&world);
        MPI_Group_free(&two);
    }
    if (rank == 1)
        check(holds("shared.txt", "x\n"), "it is not there");
}

/* In the first two turns all is well. */
static void use_later_at_once(void) {
    if (rank == 0)
        put("shared.txt", "w", "x\n");
    barrier();
    check(holds("shared.txt", "x\n"), "it is not there");
    barrier();
    if (rank == 0)
        put("shared.txt", "w", "y\n");
    else
        holds("shared.txt", "y\n");
}

/* Only reading it comes at the same time as writing. */
static void read_what_was_opened_before(void) {
    char content[8];
    if (rank == 0)
        put("shared.txt", "w", "x\n");
    barrier();
    FILE *file = rank == 1 ? fopen("shared.txt", "r") : NULL;
    barrier();
    if (rank == 0)
        put("shared.txt", "a", "y\n");
    if (file) {
        check(fread(content, 1, sizeof content, file) >= 2, "it is empty");
        fclose(file);
    }
}

static void rename_where_others_work(void) {
    if (rank == 0)
        mkdir("folder", 0777);
    barrier();
    if (rank == 1)
        check(chdir("folder") == 0, "there is no folder");
    barrier();
    if (rank == 0)
        rename("folder", "other");
    barrier();
}

static void remove_what_is_open(void) {
    if (rank == 0)
        put("shared.txt", "w", "x\n");
    barrier();
    FILE *file = rank == 1 ? fopen("shared.txt", "r") : NULL;
    barrier();
    if (rank == 0)
        unlink("shared.txt");
    barrier();
    if (file)
        fclose(file);
}

static void change_late(void) {
    put("shared.txt", "a", "late\n");
    unlink("shared.txt");
}

static void open_by_mpi_io(void) {
    MPI_File file;
    rewrite();
    if (MPI_File_open(MPI_COMM_WORLD, "other.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS)
        MPI_File_close(&file);
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {{"append", append},
             {"kept_open", keep_open},
             {"configuration", configure},
             {"neighbours", exchange},
             {"rewritten", rewrite},
             {"renamed", rename_it},
             {"removed", remove_it},
             {"directory", make_directory},
             {"moved_folder", move_directory},
             {"another_kind", change_kind},
             {"who_was_first", tell_who_was_first},
             {"gets_stuck", get_stuck},
             {"by_", use_at_once},
             {"later_at_once", use_later_at_once},
             {"opened_before", read_what_was_opened_before},
             {"open_and_removed", remove_what_is_open},
             {"left_folder", rename_where_others_work},
             {"late_changes", rewrite_and_leave},
             {"beside_mpi_io", open_by_mpi_io}};

int main(int argc, char **argv) {
    mode = argc > 1 ? argv[1] : "append";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (is(modes[i].name))
            modes[i].run();
    if (is("forgotten")) { /* nobody has written it */
        rewrite();
        check(holds("other.txt", "x\n"), "it is not there");
    }
    barrier();
    if (rank == 0 && !is("late_changes"))
        unlink("shared.txt");
    MPI_Finalize();
    if (is("late_changes") && rank == 1)
        change_late();
    return 0;
}
