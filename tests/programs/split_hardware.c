/* Splitting by hardware (MPI-4.0 section 7.4.2): shared memory, which all ranks have in common here, is asked for by name too; who asks for
 * a part of the hardware that is not there, or for any smaller one, gets MPI_COMM_NULL, which is always allowed. */
/* explore: ranks=3 verdict=race-free mpiexec=no */
#include <assert.h>
#include <mpi.h>

static MPI_Comm split_by(const char *resource) {
    MPI_Comm part;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_hw_resource_type", resource);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part);
    MPI_Info_free(&info);
    return part;
}

int main(int argc, char **argv) {
    int size;
    MPI_Comm part;
    MPI_Init(&argc, &argv);
    part = split_by("mpi_shared_memory");
    MPI_Comm_size(part, &size);
    assert(size == 3);
    MPI_Comm_free(&part);
    assert(split_by("no such thing") == MPI_COMM_NULL);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &part);
    assert(part == MPI_COMM_NULL);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &part);
    assert(part == MPI_COMM_NULL);
    MPI_Finalize();
    return 0;
}
