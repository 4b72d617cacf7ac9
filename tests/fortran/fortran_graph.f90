! explore: ranks=3 verdict=race-free
! Constants that are addresses: MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY, MPI_IN_PLACE and MPI_STATUS_IGNORE, in both modules' calls of
! graph topologies and nonblocking collectives.
program fortran_graph
  use mpi_f08
  implicit none
  integer :: rank, ranks, next, last, indegree, outdegree, sources(1), targets(1), weights(1), heard(1), total
  type(MPI_Comm) :: ring, alone
  type(MPI_Request) :: request
  logical :: weighted
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  last = mod(rank + ranks - 1, ranks)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [last], MPI_UNWEIGHTED, 1, [next], MPI_UNWEIGHTED, MPI_INFO_NULL, &
                                      .false., ring)
  call MPI_Dist_graph_neighbors_count(ring, indegree, outdegree, weighted)
  if (indegree /= 1 .or. outdegree /= 1 .or. weighted) error stop 2
  call MPI_Dist_graph_neighbors(ring, 1, sources, MPI_UNWEIGHTED, 1, targets, MPI_UNWEIGHTED)
  if (sources(1) /= last .or. targets(1) /= next) error stop 3
  call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, heard, 1, MPI_INTEGER, ring)
  if (heard(1) /= last) error stop 4
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, sources, MPI_WEIGHTS_EMPTY, 0, targets, MPI_WEIGHTS_EMPTY, &
                                      MPI_INFO_NULL, .false., alone)
  call MPI_Dist_graph_neighbors_count(alone, indegree, outdegree, weighted)
  if (indegree /= 0 .or. outdegree /= 0 .or. .not. weighted) error stop 5
  total = rank + 1
  call MPI_Iallreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  if (total /= ranks * (ranks + 1) / 2) error stop 6
  call MPI_Comm_free(alone)
  call MPI_Comm_free(ring)
  call MPI_Finalize()
end program
