! explore: ranks=3 verdict=race-free
! explore: ranks=3 verdict=race-free buffering=none
! explore: ranks=3 verdict=found class=race-output args=arrival
! Internal procedures as operator and as argument, which use variables of their host: the compiler makes a piece of code for each on the
! stack, where it must be possible to execute it also after the rank has waited. "arrival": what they make depends on who is first.
program fortran_internal
  use mpi
  implicit none
  integer :: rank, ranks, error, operator, factor, round, i, numbers(10), results(10)
  logical :: by_arrival
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  by_arrival = command_argument_count() > 0
  call MPI_Op_create(add_multiple, .true., operator, error)
  do round = 1, 3
    factor = 2 * round
    numbers = [(rank * i + round, i = 1, 10)]
    call MPI_Allreduce(numbers, results, 10, MPI_INTEGER, operator, MPI_COMM_WORLD, error)
    print *, results
    if (rank == 0) call for_all_others(receive)
    if (rank /= 0) call MPI_Send(rank, 1, MPI_INTEGER, 0, round, MPI_COMM_WORLD, error)
  end do
  if (rank == 0) print *, factor
  call MPI_Op_free(operator, error)
  call MPI_Finalize(error)
contains
  subroutine add_multiple(in, in_out, count, datatype)
    integer :: count, datatype, in(count), in_out(count)
    in_out = in_out + in + factor - 2 * round
  end subroutine

  subroutine for_all_others(action)
    external :: action
    integer :: other
    do other = 1, ranks - 1
      call action(other)
    end do
  end subroutine

  subroutine receive(other)
    integer :: other, value
    if (by_arrival) then
      call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    else
      call MPI_Recv(value, 1, MPI_INTEGER, other, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end if
    factor = factor + other * value
  end subroutine
end program
