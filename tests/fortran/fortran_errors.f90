! explore: ranks=2 verdict=race-free
! explore: ranks=2 verdict=race-free args=stop
! explore: ranks=2 verdict=found class=exit-status args=error says=fortran_errors.f90:22
! explore: ranks=2 verdict=found class=exit-status args=bounds says=fortran_errors.f90:24
! explore: ranks=2 verdict=found class=crash args=null says=fortran_errors.f90:26
! explore: ranks=2 verdict=found class=abort args=abort
! How a Fortran program ends: well, by "stop" after MPI_Finalize, by "error stop", by a check of array bounds (the program is
! compiled with it), by a wild pointer, by MPI_Abort.
program fortran_errors
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, error, index
  integer :: list(3)
  integer, pointer :: nowhere
  character(len=8) :: what
  call get_command_argument(1, what)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  list = rank
  if (what == 'error' .and. rank == 1) error stop 3
  index = merge(4, 2, what == 'bounds' .and. rank == 1)
  list(index) = 7
  if (what == 'null' .and. rank == 1) call c_f_pointer(transfer(8_c_intptr_t, c_null_ptr), nowhere)
  if (what == 'null' .and. rank == 1) nowhere = 1
  if (what == 'abort' .and. rank == 1) call MPI_Abort(MPI_COMM_WORLD, 6, error)
  print *, list(2)
  call MPI_Finalize(error)
  if (what == 'stop') stop
end program
