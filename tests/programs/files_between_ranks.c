/* Ranks share a disk, but each is explored with what it has changed itself, and what others have before the last barrier: when one
 * uses what another changes and there is none in between ("at-once"), whichever comes first and however, that must be refused. Each
 * argument is a pair of uses; those that do not touch each other are all right. */
/* explore: ranks=2 verdict=cannot-run args=write-then-read-at-once says=shared.txt */
/* explore: ranks=2 verdict=race-free args=write-then-read mpiexec=no */
/* explore: ranks=2 verdict=cannot-run args=read-then-write-at-once says=shared.txt */
/* explore: ranks=2 verdict=race-free args=read-then-write mpiexec=no */
/* explore: ranks=3 verdict=cannot-run args=write-then-stat-at-once says=communication */
/* explore: ranks=3 verdict=race-free args=write-then-stat mpiexec=no */
/* explore: ranks=2 verdict=cannot-run args=both-write-at-once says=communication */
/* explore: ranks=2 verdict=race-free args=both-write mpiexec=no */
/* explore: ranks=2 verdict=cannot-run args=remove-then-read-at-once says=communication */
/* explore: ranks=2 verdict=race-free args=remove-then-read mpiexec=no */
/* explore: ranks=2 verdict=cannot-run args=make-then-list-at-once says=lists */
/* explore: ranks=2 verdict=race-free args=make-then-list mpiexec=no */
/* explore: ranks=2 verdict=cannot-run args=list-then-make-at-once says=lists */
/* explore: ranks=2 verdict=race-free args=list-then-make mpiexec=no */
/* explore: ranks=2 verdict=cannot-run args=directory-then-file-at-once says=communication */
/* explore: ranks=2 verdict=race-free args=directory-then-file mpiexec=no */
/* explore: ranks=2 verdict=cannot-run args=file-then-directory-at-once says=communication */
/* explore: ranks=2 verdict=race-free args=file-then-directory mpiexec=no */
/* explore: ranks=2 verdict=cannot-run args=both-make-directory-at-once says=communication */
/* explore: ranks=2 verdict=race-free args=both-make-directory mpiexec=no */
/* explore: ranks=2 verdict=cannot-run args=rename-onto-at-once says=communication */
/* explore: ranks=2 verdict=race-free args=rename-onto mpiexec=no */
/* explore: ranks=2 verdict=race-free args=both-read */
/* explore: ranks=2 verdict=race-free args=both-list */
/* explore: ranks=3 verdict=race-free args=own-files mpiexec=no */
/* explore: ranks=2 verdict=race-free args=open-for-update mpiexec=no */
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void touch(const char *name) {
    FILE *file = fopen(name, "a");
    if (file) {
        fputs("x\n", file);
        fclose(file);
    }
}

static void look(const char *name) {
    char line[80];
    FILE *file = fopen(name, "r");
    if (file) {
        if (fgets(line, sizeof line, file))
            line[0] = 0;
        fclose(file);
    }
}

static void list(const char *name) {
    DIR *directory = opendir(name);
    while (readdir(directory)) {
    }
    closedir(directory);
}

static void use(const char *what, const char *program) {
    struct stat status;
    if (!strcmp(what, "write") || !strcmp(what, "make"))
        touch("shared.txt");
    else if (!strcmp(what, "read"))
        look("shared.txt");
    else if (!strcmp(what, "stat"))
        (void)!stat("shared.txt", &status);
    else if (!strcmp(what, "remove")) {
        touch("shared.txt");
        unlink("shared.txt");
    } else if (!strcmp(what, "readprogram"))
        look(program);
    else if (!strcmp(what, "list"))
        list(".");
    else if (!strcmp(what, "directory"))
        mkdir("folder", 0777);
    else if (!strcmp(what, "file"))
        touch("folder/file");
    else if (!strcmp(what, "rename")) {
        touch("mine.txt");
        rename("mine.txt", "shared.txt");
    } else if (!strcmp(what, "update"))
        close(open(program, O_RDWR)); /* as Fortran opens files that it only reads */
}

static const char *const pairs[][3] = {
    {"write-then-read", "write", "read"},
    {"read-then-write", "read", "write"},
    {"write-then-stat", "write", "stat"},
    {"both-write", "write", "write"},
    {"remove-then-read", "remove", "read"},
    {"make-then-list", "make", "list"},
    {"list-then-make", "list", "make"},
    {"directory-then-file", "directory", "file"},
    {"file-then-directory", "file", "directory"},
    {"both-make-directory", "directory", "directory"},
    {"rename-onto", "rename", "read"},
    {"both-read", "readprogram", "readprogram"},
    {"both-list", "list", "list"},
    {"open-for-update", "update", "update"},
};

int main(int argc, char **argv) {
    int rank;
    char own[40];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        size_t length = strlen(pairs[i][0]);
        if (argc < 2 || strncmp(argv[1], pairs[i][0], length))
            continue;
        if (rank == 0)
            use(pairs[i][1], argv[0]);
        if (!argv[1][length])
            MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            use(pairs[i][2], argv[0]);
    }
    if (argc > 1 && !strcmp(argv[1], "own-files")) {
        snprintf(own, sizeof own, "rank-%d.txt", rank);
        touch(own);
        look(own);
        MPI_Barrier(MPI_COMM_WORLD);
        touch(own);
    }
    MPI_Finalize();
    return 0;
}
