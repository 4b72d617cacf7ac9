! explore: ranks=2 verdict=race-free
! Predefined attributes of communicators and windows as Fortran sees them, the old form of asking too, an attribute of MPI_COMM_SELF that
! MPI_Finalize deletes, and a generalized request whose functions are subroutines.
module callbacks
  use mpi
  implicit none
  integer :: asked = 0, freed = 0, cancelled = 0
contains
  subroutine delete_first(communicator, keyval, value, extra, error)
    integer :: communicator, keyval, error, rank
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error) ! MPI is still there
    if (value /= 7) error stop 20
    print '(a,i0)', 'deleted on rank ', rank
  end subroutine
  subroutine query(extra, status, error)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), error
    asked = asked + int(extra)
    call MPI_Status_set_elements(status, MPI_INTEGER, 3, error)
    call MPI_Status_set_cancelled(status, .false., error)
    status(MPI_SOURCE) = MPI_UNDEFINED
    status(MPI_TAG) = 5
    error = MPI_SUCCESS
  end subroutine
  subroutine release(extra, error)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: error
    freed = freed + int(extra)
    error = MPI_SUCCESS
  end subroutine
  subroutine cancel(extra, complete, error)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: error
    if (complete) error stop 21
    cancelled = cancelled + int(extra)
    error = MPI_SUCCESS
  end subroutine
end module
program fortran_predefined
  use mpi
  use callbacks
  implicit none
  integer(kind=MPI_ADDRESS_KIND) :: value, extra = 2
  integer, target :: memory(4)
  integer :: error, keyval, window, request, status(MPI_STATUS_SIZE), number, old
  logical :: flag
  call MPI_Init(error)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, value, flag, error)
  if (flag .and. value < 2) error stop 1 ! mpiexec need not say
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, value, flag, error)
  if (flag .and. value /= 0) error stop 2
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, error)
  if (.not. flag .or. value < 32767) error stop 3
  call MPI_Attr_get(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, old, flag, error)
  if (flag .and. old < 2) error stop 4

  call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
  call MPI_Win_get_attr(window, MPI_WIN_SIZE, value, flag, error)
  if (.not. flag .or. value /= 16) error stop 5
  call MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, value, flag, error)
  if (.not. flag .or. value /= 4) error stop 6
  call MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, value, flag, error)
  if (.not. flag .or. value /= MPI_WIN_FLAVOR_CREATE) error stop 7
  call MPI_Win_get_attr(window, MPI_WIN_MODEL, value, flag, error)
  if (.not. flag .or. value /= MPI_WIN_UNIFIED) error stop 8
  call MPI_Win_free(window, error)

  call MPI_Grequest_start(query, release, cancel, extra, request, error)
  call MPI_Test(request, flag, status, error)
  if (flag) error stop 9
  call MPI_Cancel(request, error)
  call MPI_Grequest_complete(request, error)
  call MPI_Wait(request, status, error)
  call MPI_Get_count(status, MPI_INTEGER, number, error)
  if (number /= 3 .or. status(MPI_TAG) /= 5) error stop 10
  if (asked /= 2 .or. freed /= 2 .or. cancelled /= 2) error stop 11

  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_first, keyval, 0_MPI_ADDRESS_KIND, error)
  value = 7
  call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, value, error)
  call MPI_Comm_free_keyval(keyval, error)
  call MPI_Finalize(error)
end program
