! What is said of a Fortran program uses its own names, not the linker's: a module's procedure with its module, and the program as
! it is called.
! explore: ranks=3 verdict=found class=race-output says=grid::sweep args=module
! explore: ranks=3 verdict=found class=race-output says=collector args=program
module grid
  use mpi
  implicit none
contains
  subroutine sweep()
    integer :: i, value, error
    do i = 1, 2
       call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
       print *, value
    end do
  end subroutine sweep
end module grid

program collector
  use grid
  implicit none
  integer :: rank, error, i, value
  character(16) :: what
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call get_command_argument(1, what)
  if (rank > 0) then
     call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, error)
  else if (what == 'program') then
     do i = 1, 2
        call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        print *, value
     end do
  else
     call sweep()
  end if
  call MPI_Finalize(error)
end program collector
