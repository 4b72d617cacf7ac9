! explore: ranks=3 verdict=race-free
! The bindings of Fortran 2008, about half of which come as PMPI_* calls: types for handles, no error argument, parts of arrays
! that are not contiguous, an operator with C pointers.
module combine
  implicit none
contains
  subroutine larger(a, b, length, datatype)
    use mpi_f08
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: a, b
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    call c_f_pointer(a, in, [length])
    call c_f_pointer(b, inout, [length])
    inout = max(in, inout)
  end subroutine
end module
program fortran_f08
  use mpi_f08
  use combine
  implicit none
  integer :: rank, ranks, next, last, i, count, ready, values(4), many(9), indices(2), dims(1)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Op) :: operator
  type(MPI_Comm) :: copy, ring
  type(MPI_Datatype) :: column
  type(MPI_Group) :: group
  type(MPI_Message) :: message
  logical :: flag
  real :: matrix(3, 3)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  last = mod(rank + ranks - 1, ranks)

  call MPI_Op_create(larger, .true., operator)
  values = [rank, -rank, 5, 0]
  call MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_INTEGER, operator, MPI_COMM_WORLD)
  if (any(values /= [ranks - 1, 0, 5, 0])) error stop 2
  call MPI_Op_free(operator)
  if (operator /= MPI_OP_NULL) error stop 3

  call MPI_Type_vector(3, 1, 3, MPI_REAL, column)
  call MPI_Type_commit(column)
  matrix = rank
  call MPI_Irecv(matrix(2, 1), 1, column, last, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(matrix(1, 1), 1, column, next, 1, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, statuses)
  if (any(matrix(2, :) /= last) .or. any(matrix(3, :) /= rank)) error stop 4
  if (statuses(1)%MPI_SOURCE /= last .or. requests(1) /= MPI_REQUEST_NULL) error stop 5
  call MPI_Type_free(column)

  many = [(10 * rank + i, i = 1, 9)]
  if (MPI_SUBARRAYS_SUPPORTED) then
    call MPI_Sendrecv(many(1:9:4), 3, MPI_INTEGER, next, 2, many(4:8:2), 3, MPI_INTEGER, last, 2, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    if (any(many(4:8:2) /= 10 * last + [1, 5, 9]) .or. many(3) /= 10 * rank + 3) error stop 6
  end if

  if (rank == 0) then
    do i = 1, 2
      call MPI_Irecv(values(i), 1, MPI_INTEGER, i, 3, MPI_COMM_WORLD, requests(i))
    end do
    count = 0
    do while (count < 2)
      call MPI_Waitsome(2, requests, ready, indices, MPI_STATUSES_IGNORE)
      count = count + ready
    end do
    if (any(values(1:2) /= [1, 2])) error stop 7
    call MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, message, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    if (count /= 2 .or. status%MPI_SOURCE /= 1) error stop 8
    call MPI_Mrecv(values, count, MPI_INTEGER, message, status)
  else
    call MPI_Ssend(rank, 1, MPI_INTEGER, 0, 3, MPI_COMM_WORLD)
    if (rank == 1) call MPI_Send(values, 2, MPI_INTEGER, 0, 4, MPI_COMM_WORLD)
  end if
  call MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE)
  if (flag) error stop 9

  dims = ranks
  call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, [.true.], .false., ring)
  call MPI_Cart_shift(ring, 0, 1, last, next)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 5, count, 1, MPI_INTEGER, last, 5, ring, MPI_STATUS_IGNORE)
  if (count /= last) error stop 10
  call MPI_Comm_free(ring)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  call MPI_Comm_group(copy, group)
  call MPI_Group_size(group, count)
  if (count /= ranks) error stop 11
  call MPI_Group_free(group)
  call MPI_Barrier(copy)
  call MPI_Gather(rank, 1, MPI_INTEGER, values, 1, MPI_INTEGER, 0, copy)
  call MPI_Scatter(values, 1, MPI_INTEGER, count, 1, MPI_INTEGER, 0, copy)
  if (count /= rank) error stop 12
  call MPI_Comm_free(copy)
  call MPI_Finalize()
end program
