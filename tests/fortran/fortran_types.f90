! explore: ranks=3 verdict=race-free
! Derived types, MPI_BOTTOM, MPI_IN_PLACE, character, logical and complex data, and an operator that is a Fortran subroutine.
program fortran_types
  use mpi
  implicit none
  integer :: rank, ranks, next, last, error, i, every_second, record, operator, types(2), lengths(2)
  integer(kind=MPI_ADDRESS_KIND) :: places(2), lower, extent
  integer :: numbers(10), received(10), product(2)
  integer, volatile :: header
  double precision, volatile :: body
  character(len=12) :: text, heard
  logical :: mine, any_rank
  complex :: z, sum_of_z
  external multiply
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  next = mod(rank + 1, ranks)
  last = mod(rank + ranks - 1, ranks)

  numbers = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, numbers, 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (any(numbers /= ranks * (ranks + 1) / 2)) error stop 2

  call MPI_Op_create(multiply, .true., operator, error)
  numbers = rank + 2
  call MPI_Reduce(numbers, product, 2, MPI_INTEGER, operator, 1, MPI_COMM_WORLD, error)
  if (rank == 1 .and. any(product /= 24)) error stop 3 ! 2 * 3 * 4
  call MPI_Op_free(operator, error)
  if (operator /= MPI_OP_NULL) error stop 4

  call MPI_Type_vector(5, 1, 2, MPI_INTEGER, every_second, error)
  call MPI_Type_commit(every_second, error)
  call MPI_Type_get_extent(every_second, lower, extent, error)
  if (lower /= 0 .or. extent /= 36) error stop 5
  numbers = [(100 * rank + i, i = 1, 10)]
  received = -1
  call MPI_Sendrecv(numbers, 1, every_second, next, 1, received, 5, MPI_INTEGER, last, 1, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, error)
  if (any(received(1:5) /= [(100 * last + i, i = 1, 9, 2)]) .or. any(received(6:) /= -1)) error stop 6
  call MPI_Type_free(every_second, error)

  call MPI_Get_address(header, places(1), error)
  call MPI_Get_address(body, places(2), error)
  lengths = 1
  types = [MPI_INTEGER, MPI_DOUBLE_PRECISION]
  call MPI_Type_create_struct(2, lengths, places, types, record, error)
  call MPI_Type_commit(record, error)
  header = rank
  body = 0.5d0 * rank
  call MPI_Bcast(MPI_BOTTOM, 1, record, 2, MPI_COMM_WORLD, error)
  if (header /= 2 .or. body /= 1.0d0) error stop 7
  call MPI_Type_free(record, error)

  write(text, '(a,i0)') 'I am ', rank
  heard = 'nothing'
  call MPI_Sendrecv(text, len(text), MPI_CHARACTER, next, 2, heard, len(heard), MPI_CHARACTER, last, 2, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, error)
  print *, heard

  mine = rank == 2
  call MPI_Allreduce(mine, any_rank, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, error)
  if (.not. any_rank) error stop 8
  call MPI_Allreduce(mine, any_rank, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, error)
  if (any_rank) error stop 9
  z = cmplx(rank, 1)
  call MPI_Allreduce(z, sum_of_z, 1, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, error)
  if (sum_of_z /= (3.0, 3.0)) error stop 10
  call MPI_Finalize(error)
end program

subroutine multiply(a, b, length, datatype)
  implicit none
  integer, intent(in) :: length, datatype
  integer, intent(in) :: a(length)
  integer, intent(inout) :: b(length)
  b = b * a
end subroutine
