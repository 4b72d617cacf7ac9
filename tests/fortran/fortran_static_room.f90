! Fortran's variables of static storage: a common block is one, whatever its parts are, so a count may go on from one part
! into the next (common_right), but not behind the block; of a module each variable is one. Variables that share memory by
! equivalence are one as well.
! explore: ranks=2 verdict=found class=invalid-argument args=common says=block
! explore: ranks=2 verdict=race-free args=common_right
! explore: ranks=2 verdict=found class=invalid-argument args=module says=table
! explore: ranks=2 verdict=race-free args=module_right
! explore: ranks=2 verdict=found class=invalid-argument args=equivalent
! explore: ranks=2 verdict=race-free args=equivalent_right
module tables
    implicit none
    integer, save :: table(10), other(10)
end module

program fortran_static_room
    use tables
    implicit none
    include 'mpif.h'
    integer :: rank, error, more
    integer :: first(10), second(10)
    common /block/ first, second
    integer, save :: early(10), late(10), room(100)
    equivalence (early(6), late(1))
    character(len=32) :: what
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call get_command_argument(1, what)
    more = 1
    if (index(what, 'right') > 0) more = 0
    if (rank == 1) then
        call MPI_Recv(room, 100, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    else if (what(1:6) == 'common') then
        call MPI_Send(first(6), 15 + more, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
    else if (what(1:6) == 'module') then
        call MPI_Send(table(6), 5 + more, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
    else
        call MPI_Send(early, 15 + more, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
    end if
    call MPI_Finalize(error)
end program
