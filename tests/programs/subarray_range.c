/* A subarray lies in its array (MPI-3.1 4.1.3), which MPICH does not look at. */
/* explore: ranks=1 verdict=found class=invalid-argument says=dimension args=4,3,2 */
/* explore: ranks=1 verdict=found class=invalid-argument says=dimension args=4,5,0 */
/* explore: ranks=1 verdict=found class=invalid-argument says=dimension args=4,2,-1 */
/* explore: ranks=1 verdict=race-free args=4,3,1 */
/* explore: ranks=1 verdict=race-free args=4,4,0 */
/* explore: ranks=1 verdict=race-free args=4,0,4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int sizes[2] = {5}, parts[2] = {5}, starts[2] = {0};
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    sscanf(argv[1], "%d,%d,%d", &sizes[1], &parts[1], &starts[1]);
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
