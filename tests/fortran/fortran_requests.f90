! explore: ranks=2 verdict=race-free
! Nonblocking operations between two ranks, with what completes them in every form. The order in which MPI_Waitany and
! MPI_Testsome report is free; nothing here depends on it.
program fortran_requests
  use mpi
  implicit none
  integer :: rank, other, error, i, ready, done
  integer :: from(3), into(3), send(3), receive(3), indices(3)
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 3)
  logical :: flag
  asynchronous :: from, into
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  other = 1 - rank
  from = [(100 * rank + i, i = 1, 3)]

  call start(10)
  call MPI_Waitall(3, receive, statuses, error)
  call MPI_Waitall(3, send, MPI_STATUSES_IGNORE, error)
  if (any(receive /= MPI_REQUEST_NULL)) error stop 2
  if (any(statuses(MPI_TAG, :) /= [11, 12, 13])) error stop 3
  call check()

  call start(20)
  do i = 1, 3
    call MPI_Waitany(3, receive, ready, status, error)
    if (status(MPI_TAG) /= 20 + ready .or. status(MPI_SOURCE) /= other) error stop 4
  end do
  call MPI_Waitany(3, receive, ready, MPI_STATUS_IGNORE, error)
  if (ready > 0) error stop 5 ! not MPI_UNDEFINED itself: some versions of MPICH add 1 to that as to an index
  call MPI_Waitall(3, send, MPI_STATUSES_IGNORE, error)
  call check()

  call start(30)
  done = 0
  do while (done < 3)
    call MPI_Testsome(3, receive, ready, indices, statuses, error)
    if (ready == MPI_UNDEFINED) error stop 6
    do i = 1, ready
      if (statuses(MPI_TAG, i) /= 30 + indices(i)) error stop 7
    end do
    done = done + ready
  end do
  flag = .false.
  do while (.not. flag)
    call MPI_Testall(3, send, flag, MPI_STATUSES_IGNORE, error)
  end do
  call check()
  call MPI_Finalize(error)
contains
  subroutine start(tag)
    integer, intent(in) :: tag
    integer :: k
    into = -1
    do k = 1, 3
      call MPI_Irecv(into(k), 1, MPI_INTEGER, other, tag + k, MPI_COMM_WORLD, receive(k), error)
      call MPI_Isend(from(k), 1, MPI_INTEGER, other, tag + k, MPI_COMM_WORLD, send(k), error)
    end do
  end subroutine
  subroutine check()
    if (any(into /= [(100 * other + i, i = 1, 3)])) error stop 8
  end subroutine
end program
