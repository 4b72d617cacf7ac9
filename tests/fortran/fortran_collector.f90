! explore: ranks=4 verdict=race-free
! explore: ranks=4 verdict=race-free buffering=none
! explore: ranks=3 verdict=found class=race-output args=list
! explore: ranks=3 verdict=found class=race-output args=file
! Rank 0 takes what the others send in any order. Integer sums do not depend on that order; a list of what came does, whether it
! is printed or written into a file.
program fortran_collector
  use mpi_f08
  implicit none
  integer :: rank, ranks, value, total, i, unit
  type(MPI_Status) :: status
  character(len=8) :: what
  call get_command_argument(1, what)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (rank == 0) then
    if (what == 'file') open(newunit=unit, file='list.txt')
    total = 0
    do i = 1, ranks - 1
      call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, status)
      if (value /= 10 * status%MPI_SOURCE .or. status%MPI_TAG /= 5) error stop 4
      if (what == 'list') write(*, '(i0,a)', advance='no') value, ' '
      if (what == 'file') write(unit, *) value
      total = total + value
    end do
    print *, 'total', total
    if (what == 'file') close(unit)
  else
    value = 10 * rank
    call MPI_Send(value, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD)
  end if
  call MPI_Finalize()
end program
