! explore: ranks=3 verdict=race-free
!     Fixed form and mpif.h: absolute addresses from MPI_BOTTOM, MPI_STATUS_IGNORE, MPI_IN_PLACE at a root, packing, persistent
!     requests and an error that the program handles itself.
      program bottom
      implicit none
      include 'mpif.h'
      integer rank, size, ierr, type, class, i, request(2), position
      integer lengths(2), types(2), status(MPI_STATUS_SIZE)
      integer (kind=MPI_ADDRESS_KIND) places(2)
      integer numbers(3), all(3)
      double precision value
      character packed(100)
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
      do i = 1, 3
         numbers(i) = 10 * rank + i
      end do
      value = 0.5d0 * rank
      call MPI_GET_ADDRESS(numbers(2), places(1), ierr)
      call MPI_GET_ADDRESS(value, places(2), ierr)
      lengths(1) = 2
      lengths(2) = 1
      types(1) = MPI_INTEGER
      types(2) = MPI_DOUBLE_PRECISION
      call MPI_TYPE_CREATE_STRUCT(2, lengths, places, types, type, ierr)
      call MPI_TYPE_COMMIT(type, ierr)
      call MPI_BCAST(MPI_BOTTOM, 1, type, 2, MPI_COMM_WORLD, ierr)
      if (numbers(1) .ne. 10 * rank + 1) call MPI_ABORT(MPI_COMM_WORLD,
     &  1, ierr)
      if (numbers(2) .ne. 22 .or. numbers(3) .ne. 23) call
     &  MPI_ABORT(MPI_COMM_WORLD, 2, ierr)
      if (value .ne. 1.0d0) call MPI_ABORT(MPI_COMM_WORLD, 3, ierr)
      call MPI_SEND_INIT(MPI_BOTTOM, 1, type, mod(rank + 1, size), 4,
     &  MPI_COMM_WORLD, request(1), ierr)
      call MPI_RECV_INIT(packed, 100, MPI_PACKED, MPI_ANY_SOURCE, 5,
     &  MPI_COMM_WORLD, request(2), ierr)
      do i = 1, 2
         call MPI_START(request(1), ierr)
         call MPI_RECV(packed, 100, MPI_PACKED, mod(rank + size - 1,
     &     size), 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
         call MPI_WAIT(request(1), MPI_STATUS_IGNORE, ierr)
      end do
      position = 0
      call MPI_UNPACK(packed, 100, position, numbers(2), 2,
     &  MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call MPI_UNPACK(packed, 100, position, value, 1,
     &  MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
      if (numbers(2) .ne. 22 .or. value .ne. 1.0d0) call
     &  MPI_ABORT(MPI_COMM_WORLD, 7, ierr)
      position = 0
      position = 0
      if (rank .eq. 0) then
         call MPI_START(request(2), ierr)
         call MPI_WAIT(request(2), status, ierr)
         call MPI_UNPACK(packed, 100, position, numbers, 3,
     &  MPI_INTEGER, MPI_COMM_WORLD, ierr)
         call MPI_UNPACK(packed, 100, position, value, 1,
     &  MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
         if (status(MPI_SOURCE) .ne. 1 .or. numbers(1) .ne. 11) call
     &  MPI_ABORT(MPI_COMM_WORLD, 4, ierr)
      else if (rank .eq. 1) then
         call MPI_PACK(numbers, 3, MPI_INTEGER, packed, 100, position,
     &  MPI_COMM_WORLD, ierr)
         call MPI_PACK(value, 1, MPI_DOUBLE_PRECISION, packed, 100,
     &  position, MPI_COMM_WORLD, ierr)
         call MPI_SEND(packed, position, MPI_PACKED, 0, 5,
     &  MPI_COMM_WORLD, ierr)
      end if
      all(rank + 1) = rank + 1
      if (rank .eq. 0) then
         call MPI_GATHER(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1,
     &  MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
         if (all(1) + all(2) + all(3) .ne. 6) call
     &  MPI_ABORT(MPI_COMM_WORLD, 5, ierr)
      else
         call MPI_GATHER(all(rank + 1), 1, MPI_INTEGER, i, 0,
     &  MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      end if
      call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_RETURN,
     &  ierr)
      call MPI_SEND(numbers, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD,
     &  ierr)
      call MPI_ERROR_CLASS(ierr, class, i)
      if (class .ne. MPI_ERR_RANK) call MPI_ABORT(MPI_COMM_WORLD, 6,
     &  ierr)
      call MPI_REQUEST_FREE(request(1), ierr)
      call MPI_REQUEST_FREE(request(2), ierr)
      call MPI_TYPE_FREE(type, ierr)
      call MPI_FINALIZE(ierr)
      end
