/* A program that asks for MPI_THREAD_MULTIPLE, will not do with less, and then has one thread after all is right: it must not be told
 * that it gets less. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=cannot-run args=thread says=thread mpiexec=no checkpoint=pages */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static void *barrier(void *nothing) {
    MPI_Barrier(MPI_COMM_WORLD);
    return nothing;
}

int main(int argc, char **argv) {
    int provided, asked, is_main;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Query_thread(&asked);
    MPI_Is_thread_main(&is_main);
    printf("%d %d\n", asked == provided, is_main);
    if (argc > 1) {
        pthread_t thread;
        pthread_create(&thread, NULL, barrier, NULL);
        pthread_join(thread, NULL);
    }
    MPI_Finalize();
    return 0;
}
