! explore: ranks=2 verdict=cannot-run says=MPI_Comm_spawn
! What is not supported is refused by name, also when it is called from Fortran.
program fortran_spawn
  use mpi
  implicit none
  integer :: children, error
  call MPI_Init(error)
  call MPI_Comm_spawn('./nothing', MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE, error)
  call MPI_Finalize(error)
end program
