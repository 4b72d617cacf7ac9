! explore: ranks=2 verdict=found class=deadlock says=fortran_deadlock.f90:14 args=receives
! explore: ranks=2 verdict=found class=deadlock says=fortran_deadlock.f90:17 buffering=none
! explore: ranks=2 verdict=race-free buffering=infinite
! Both ranks receive first, which never ends; or both send first, which ends if sends are buffered.
program fortran_deadlock
  use mpi_f08
  implicit none
  integer :: rank, sent, received
  character(len=8) :: what
  call get_command_argument(1, what)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  sent = rank
  if (what == 'receives') call MPI_Recv(received, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  ! The line above is the call of the first deadlock,
  ! the line below that of the second.
  call MPI_Send(sent, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD)
  if (what /= 'receives') call MPI_Recv(received, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Finalize()
end program
