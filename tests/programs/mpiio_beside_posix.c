/* A file that MPI-IO and a rank's own calls use, at different times: one writes the input and all read it by MPI_File_open; all write by
 * MPI-IO, and one looks at what has become of it, changes it, removes it. Opening and closing by MPI-IO are collective, so whatever a
 * member of the group does itself comes before or after what MPI-IO does, and every rank knows what the file is then.
 *
 *     read               nobody changes it
 *     prepare            rank 1 writes the input, which its last byte must be seen of
 *     prepare_unclosed   ... and has it still open: what it writes later would come at any time
 *     prepare_outside    ... and does not open it, so nothing says when
 *     result             rank 1 reads what both have written
 *     result_conflict    ... which is one or the other, as both have written the same byte: the output differs
 *     result_open        ... before it is closed
 *     result_place       ... and asks before it is closed what file system it is on, which says nothing of what is in it
 *     result_outside     rank 0 alone has written it
 *     result_atomic      as result, where each access was one with the file's home
 *     result_within      ... and each has written by an opening of its own, while the common one was there
 *     result_beyond      ... which it closes after that
 *     result_unknown     ... while the common one was only to read, so that rank 1 might look at the same time
 *     again              rank 1 prepares, both write more, rank 1 overwrites a byte of that, both read it
 *     removed            rank 1 removes it, so nobody can open it
 *     removed_conflict   ... so that it does not matter what was in it
 *     removed_late       ... but after MPI_Finalize
 *     deleted            rank 1 makes it itself, and MPI_File_delete removes it
 *     deleted_other      ... for another rank
 *     deleted_seen       rank 0 deletes what rank 1 then looks for
 *     own                each has one of its own, by MPI_COMM_SELF
 *     on_close           it goes when it is closed */
/* explore: ranks=2 verdict=race-free args=read */
/* explore: ranks=2 verdict=race-free args=prepare */
/* explore: ranks=2 verdict=cannot-run says=open args=prepare_unclosed mpiexec=no */
/* explore: ranks=2 verdict=cannot-run says=MPI-IO args=prepare_outside mpiexec=no */
/* explore: ranks=2 verdict=race-free args=result */
/* explore: ranks=2 verdict=found class=race-output args=result_conflict */
/* explore: ranks=2 verdict=cannot-run says=MPI-IO args=result_open mpiexec=no */
/* explore: ranks=2 verdict=race-free args=result_place */
/* explore: ranks=2 verdict=cannot-run says=MPI-IO args=result_outside mpiexec=no */
/* explore: ranks=2 verdict=race-free args=result_atomic */
/* explore: ranks=2 verdict=race-free args=result_within */
/* explore: ranks=2 verdict=cannot-run says=MPI-IO args=result_beyond mpiexec=no */
/* explore: ranks=2 verdict=cannot-run says=MPI-IO args=result_unknown mpiexec=no */
/* explore: ranks=2 verdict=race-free args=again */
/* explore: ranks=2 verdict=race-free args=removed */
/* explore: ranks=2 verdict=race-free args=removed_conflict */
/* explore: ranks=2 verdict=cannot-run says=MPI_Finalize args=removed_late mpiexec=no */
/* explore: ranks=2 verdict=race-free args=deleted */
/* explore: ranks=2 verdict=cannot-run says=deletes args=deleted_other mpiexec=no */
/* explore: ranks=2 verdict=cannot-run says=deletes args=deleted_seen mpiexec=no */
/* explore: ranks=2 verdict=race-free args=own */
/* explore: ranks=2 verdict=race-free args=on_close */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

static const char *mode = "";
static int rank;
static char name[64];

static bool is(const char *wanted) { return strcmp(mode, wanted) == 0; }
static bool begins(const char *wanted) { return strncmp(mode, wanted, strlen(wanted)) == 0; }

static void expect(bool right, const char *what) {
    if (right)
        return;
    fprintf(stderr, "%s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void write_by_stdio(const char *text) {
    FILE *stream = fopen(name, "w");
    expect(stream && fputs(text, stream) >= 0, "cannot write");
    fclose(stream);
}

/* NULL: it is not there. */
static const char *read_by_stdio(void) {
    static char text[64];
    FILE *stream = fopen(name, "r");
    if (!stream)
        return NULL;
    text[fread(text, 1, sizeof text - 1, stream)] = 0;
    fclose(stream);
    return text;
}

static MPI_File open_file(MPI_Comm communicator, int access) {
    MPI_File file = MPI_FILE_NULL;
    MPI_File_open(communicator, name, access, MPI_INFO_NULL, &file);
    return file;
}

static void expect_by_mpi(const char *wanted) {
    char text[64] = "";
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_RDONLY);
    expect(file != MPI_FILE_NULL, "cannot open");
    MPI_File_read_at(file, 0, text, sizeof text, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    expect(strcmp(text, wanted) == 0, "other content");
}

/* Each a byte of its own, or both the same one. */
static void write_by_mpi(bool conflict, int access) {
    const char letter = (char)('a' + rank);
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR | access);
    if (is("result_atomic"))
        MPI_File_set_atomicity(file, 1);
    MPI_File_write_at(file, conflict ? 0 : rank, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE);
    if (is("result_open") && rank == 1)
        read_by_stdio();
    if (is("result_place") && rank == 1)
        expect(statfs(name, &(struct statfs){0}) == 0, "no file system");
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Libraries have an opening for collective accesses and one for those of each rank. */
static void write_by_own_opening(void) {
    const char letter = (char)('a' + rank);
    const int access = is("result_unknown") ? MPI_MODE_RDONLY : MPI_MODE_RDWR;
    MPI_File made = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    MPI_File_close(&made);
    MPI_File common = open_file(MPI_COMM_WORLD, access), own = open_file(MPI_COMM_SELF, MPI_MODE_RDWR);
    MPI_File_write_at(own, rank, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(is("result_beyond") ? &common : &own);
    MPI_File_close(is("result_beyond") ? &own : &common);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void prepare(void) {
    FILE *left = NULL;
    if (rank == 1)
        write_by_stdio("input");
    if (rank == 1 && is("prepare_unclosed"))
        left = fopen(name, "a");
    MPI_Barrier(MPI_COMM_WORLD);
    if (is("prepare_outside")) {
        MPI_File file = rank == 0 ? open_file(MPI_COMM_SELF, MPI_MODE_RDONLY) : MPI_FILE_NULL;
        if (file != MPI_FILE_NULL)
            MPI_File_close(&file);
    } else {
        expect_by_mpi("input");
    }
    if (left)
        fclose(left);
}

static void result(void) {
    if (is("result_within") || is("result_beyond") || is("result_unknown")) {
        write_by_own_opening();
    } else if (!is("result_outside")) {
        write_by_mpi(is("result_conflict"), 0);
    } else {
        MPI_File file = rank == 0 ? open_file(MPI_COMM_SELF, MPI_MODE_CREATE | MPI_MODE_WRONLY) : MPI_FILE_NULL;
        if (file != MPI_FILE_NULL)
            MPI_File_close(&file);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 1)
        printf("%s\n", read_by_stdio());
    expect(rank == 0 || is("result_conflict") || strcmp(read_by_stdio(), "ab") == 0, "not what was written");
}

static void again(void) {
    if (rank == 1)
        write_by_stdio("--c");
    MPI_Barrier(MPI_COMM_WORLD);
    write_by_mpi(false, 0);
    if (rank == 1) {
        expect(strcmp(read_by_stdio(), "abc") == 0, "not what was written");
        FILE *stream = fopen(name, "r+");
        fputs("A", stream);
        fclose(stream);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect_by_mpi("Abc");
    expect(rank == 0 || strcmp(read_by_stdio(), "Abc") == 0, "not what it has written itself");
}

static void removed(void) {
    write_by_mpi(is("removed_conflict"), 0);
    if (rank == 1 && !is("removed_late"))
        expect(unlink(name) == 0 && !read_by_stdio(), "not removed");
    MPI_Barrier(MPI_COMM_WORLD);
    if (is("removed"))
        expect(open_file(MPI_COMM_WORLD, MPI_MODE_RDONLY) == MPI_FILE_NULL, "it is there still");
}

static void deleted(void) {
    int deleting = is("deleted") ? 1 : 0;
    if (rank == 1 && !is("deleted_seen"))
        write_by_stdio("input");
    if (is("deleted_seen"))
        write_by_mpi(false, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == deleting)
        expect(MPI_File_delete(name, MPI_INFO_NULL) == MPI_SUCCESS, "cannot delete");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        expect(access(name, F_OK) != 0, "it is there still");
}

static void own(void) {
    char letter = (char)('a' + rank), back[2] = "";
    snprintf(name, sizeof name, "beside_posix_%d.out", rank);
    MPI_File file = open_file(MPI_COMM_SELF, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    MPI_File_write_at(file, 0, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    back[0] = letter;
    expect(strcmp(read_by_stdio(), back) == 0, "not what was written");
    unlink(name);
}

static void on_close(void) {
    if (rank == 1)
        write_by_stdio("input");
    MPI_Barrier(MPI_COMM_WORLD);
    write_by_mpi(false, MPI_MODE_DELETE_ON_CLOSE);
    expect(rank == 0 || !read_by_stdio(), "it is there still");
}

static void look(void) {
    strcpy(name, "/etc/passwd");
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_RDONLY);
    MPI_File_close(&file);
    if (rank == 0)
        printf("%c\n", read_by_stdio()[0]);
}

int main(int argc, char **argv) {
    mode = argc > 1 ? argv[1] : mode;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "beside_posix_%s.out", mode);
    if (begins("prepare"))
        prepare();
    else if (begins("result"))
        result();
    else if (is("again"))
        again();
    else if (begins("removed"))
        removed();
    else if (begins("deleted"))
        deleted();
    else if (is("own"))
        own();
    else if (is("on_close"))
        on_close();
    else
        look();
    if (rank == 1 && (begins("prepare") || begins("result") || is("again")))
        unlink(name);
    MPI_Finalize();
    if (is("removed_late") && rank == 1)
        unlink(name);
    return 0;
}
