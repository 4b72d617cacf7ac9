/* What is not supported is refused by name, before MPI_Init too. */
/* explore: ranks=2 verdict=cannot-run says=MPI_Session_init args=session mpiexec=no */
/* explore: ranks=2 verdict=cannot-run says=MPI_Psend_init args=partitioned mpiexec=no */
/* explore: ranks=2 verdict=cannot-run says=MPI_Open_port args=port mpiexec=no */
/* explore: ranks=2 verdict=cannot-run says=MPI_Isendrecv args=cancel mpiexec=no */
#include <mpi.h>
#include <stddef.h>
#include <string.h>

static const char *mode = "session";
static int is(const char *wanted) { return strcmp(mode, wanted) == 0; }

int main(int argc, char **argv) {
    int number = 1;
    char port[MPI_MAX_PORT_NAME];
    MPI_Session session;
    MPI_Request request;
    mode = argc > 1 ? argv[1] : mode;
    if (is("session"))
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Init(&argc, &argv);
    if (is("partitioned"))
        MPI_Psend_init(&number, 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (is("port"))
        MPI_Open_port(MPI_INFO_NULL, port);
    if (is("cancel")) {
        MPI_Isendrecv(&number, 1, MPI_INT, 1, 0, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
    }
    MPI_Finalize();
    return 0;
}
