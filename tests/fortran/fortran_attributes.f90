! explore: ranks=2 verdict=race-free
! Attributes whose copy and delete functions are Fortran subroutines, the predefined ones, and communicators that carry them.
module attribute_functions
  implicit none
  integer :: deleted = 0
contains
  subroutine double_it(communicator, keyval, extra, value, copy, flag, error)
    use mpi
    integer :: communicator, keyval, error
    integer(kind=MPI_ADDRESS_KIND) :: extra, value, copy
    logical :: flag
    copy = value * extra
    flag = .true.
    error = MPI_SUCCESS
  end subroutine
  subroutine count_it(communicator, keyval, value, extra, error)
    use mpi
    integer :: communicator, keyval, error
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    deleted = deleted + 1
    error = MPI_SUCCESS
  end subroutine
end module
program fortran_attributes
  use mpi
  use attribute_functions
  implicit none
  integer :: rank, error, keyval, copy, half, members
  integer(kind=MPI_ADDRESS_KIND) :: value
  logical :: flag
  character(len=MPI_MAX_OBJECT_NAME) :: name
  integer :: length
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, error)
  if (.not. flag .or. value < 32767) error stop 2
  call MPI_Comm_create_keyval(double_it, count_it, keyval, 2_MPI_ADDRESS_KIND, error)
  value = 21
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, value, error)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
  call MPI_Comm_get_attr(copy, keyval, value, flag, error)
  if (.not. flag .or. value /= 42) error stop 3
  call MPI_Comm_set_name(copy, 'a copy', error)
  call MPI_Comm_get_name(copy, name, length, error)
  if (name(1:length) /= 'a copy') error stop 4
  call MPI_Comm_free(copy, error)
  if (deleted /= 1) error stop 5
  call MPI_Comm_split(MPI_COMM_WORLD, rank, 0, half, error)
  call MPI_Comm_size(half, members, error)
  call MPI_Comm_get_attr(half, keyval, value, flag, error)
  if (members /= 1 .or. flag) error stop 6
  call MPI_Comm_free(half, error)
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval, error)
  if (deleted /= 2) error stop 7
  call MPI_Comm_free_keyval(keyval, error)
  call MPI_Finalize(error)
end program
