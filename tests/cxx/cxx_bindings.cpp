/* explore: ranks=2 verdict=race-free */
/* explore: ranks=3 verdict=found class=race-output args=any */
// The C++ bindings, which MPI-2.2 had and MPICH still has, with errors as exceptions: also those of files that cannot be opened, by
// the handler that MPI::FILE_NULL is given.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

static void require(bool holds, const char *what) {
    if (holds)
        return;
    std::fprintf(stderr, "not so: %s\n", what);
    MPI::COMM_WORLD.Abort(1);
}

static int class_of_send_to(int rank) {
    int value = 1;
    try {
        MPI::COMM_WORLD.Send(&value, 1, MPI::INT, rank, 0);
    } catch (MPI::Exception &error) {
        return error.Get_error_class();
    }
    return MPI::SUCCESS;
}

static int class_of_opening(const char *name) {
    try {
        MPI::File::Open(MPI::COMM_WORLD, name, MPI::MODE_RDONLY, MPI::INFO_NULL).Close();
    } catch (MPI::Exception &error) {
        return error.Get_error_class();
    }
    return MPI::SUCCESS;
}

// Rank 0 says from whom its messages come.
static void collect(int rank, int size) {
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI::Status status;
        int value = 0;
        MPI::COMM_WORLD.Recv(&value, 1, MPI::INT, MPI::ANY_SOURCE, 1, status);
        std::printf("%d from %d\n", value, status.Get_source());
    }
    if (rank > 0)
        MPI::COMM_WORLD.Send(&rank, 1, MPI::INT, 0, 1);
}

int main(int argc, char **argv) {
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    require(class_of_send_to(size) == MPI::ERR_RANK, "a rank that is none is an exception");
    require(class_of_opening("no.such.file") == MPI::ERR_NO_SUCH_FILE, "a file that is not there is an exception");
    if (argc > 1)
        collect(rank, size);
    MPI::Intracomm half = MPI::COMM_WORLD.Split(rank % 2, rank);
    int sum = 0;
    half.Allreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
    half.Free();
    MPI::Finalize();
    return EXIT_SUCCESS;
}
