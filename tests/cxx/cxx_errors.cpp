/* explore: ranks=2 verdict=race-free */
// Error handlers of the C++ bindings take references to objects and are called by the bindings, once for each error: those of a
// communicator, also for a message that is too long for its receive, and of a file.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

static int calls, last_class, last_size;

static void require(bool holds, const char *what) {
    if (holds)
        return;
    std::fprintf(stderr, "not so: %s\n", what);
    MPI::COMM_WORLD.Abort(1);
}

static void note(MPI::Comm &communicator, int *code, ...) {
    calls++;
    last_class = MPI::Get_error_class(*code);
    last_size = communicator.Get_size();
}

static void note_of_file(MPI::File &, int *code, ...) {
    calls++;
    last_class = MPI::Get_error_class(*code);
}

static void use_communicator(int rank, int size) {
    int values[3] = {1, 2, 3};
    MPI::Errhandler handler = MPI::Comm::Create_errhandler(note);
    MPI::COMM_WORLD.Set_errhandler(handler);
    handler.Free();
    MPI::COMM_WORLD.Send(values, 1, MPI::INT, size, 0);
    require(calls == 1 && last_class == MPI::ERR_RANK && last_size == size, "a rank that is none is told once");
    if (rank == 0)
        MPI::COMM_WORLD.Send(values, 3, MPI::INT, 1, 0);
    else
        MPI::COMM_WORLD.Recv(values, 2, MPI::INT, 0, 0);
    require(calls == 1 + rank && (rank == 0 || last_class == MPI::ERR_TRUNCATE), "a message that is too long is told once");
}

static void use_file() {
    MPI::Errhandler handler = MPI::File::Create_errhandler(note_of_file);
    MPI::FILE_NULL.Set_errhandler(handler);
    handler.Free();
    MPI::Errhandler same = MPI::FILE_NULL.Get_errhandler();
    MPI::FILE_NULL.Set_errhandler(same);
    same.Free();
    calls = 0;
    MPI::File::Open(MPI::COMM_WORLD, "no.such.file", MPI::MODE_RDONLY, MPI::INFO_NULL);
    require(calls == 1 && last_class == MPI::ERR_NO_SUCH_FILE, "a file that is not there is told once");
}

int main(int argc, char **argv) {
    MPI::Init(argc, argv);
    use_communicator(MPI::COMM_WORLD.Get_rank(), MPI::COMM_WORLD.Get_size());
    use_file();
    MPI::Finalize();
    return EXIT_SUCCESS;
}
