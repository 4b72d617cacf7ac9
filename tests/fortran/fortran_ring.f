! explore: ranks=3 verdict=race-free
! explore: ranks=3 verdict=race-free buffering=none
! A token goes round, in fixed form and with mpif.h. Each rank receives from one rank only, so MPI_ANY_SOURCE is no choice.
      program ring
      implicit none
      include 'mpif.h'
      integer rank, ranks, token, error, status(MPI_STATUS_SIZE)
      call MPI_INIT(error)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
      token = 0
      if (rank .ne. 0) then
         call MPI_RECV(token, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1,
     &                 MPI_COMM_WORLD, status, error)
         if (status(MPI_SOURCE) .ne. rank - 1) stop 2
         if (status(MPI_TAG) .ne. 1) stop 3
      endif
      token = token + rank
      call MPI_SEND(token, 1, MPI_INTEGER, mod(rank + 1, ranks), 1,
     &              MPI_COMM_WORLD, error)
      if (rank .eq. 0) then
         call MPI_RECV(token, 1, MPI_INTEGER, ranks - 1, 1,
     &                 MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
         write (6, *) 'sum', token
      endif
      call MPI_FINALIZE(error)
      end
