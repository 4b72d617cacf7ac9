! explore: ranks=3 verdict=race-free
! Each rank writes its block through a view, and reads back what the one before it wrote.
program mpiio_fortran
  use mpi
  implicit none
  integer :: error, rank, ranks, file, values(4), i, status(MPI_STATUS_SIZE), before, count, filetype, mode
  integer(kind=MPI_OFFSET_KIND) :: displacement, size
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  values = [(100 * rank + i, i = 1, 4)]
  mode = MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE
  call MPI_File_open(MPI_COMM_WORLD, "fortran.out", mode, MPI_INFO_NULL, file, error)
  if (error /= MPI_SUCCESS) call MPI_Abort(MPI_COMM_WORLD, 1, error)
  displacement = 4 * rank
  call MPI_Type_create_resized(MPI_INTEGER, 0_MPI_ADDRESS_KIND, int(4 * ranks, MPI_ADDRESS_KIND), filetype, error)
  call MPI_Type_commit(filetype, error)
  call MPI_File_set_view(file, displacement, MPI_INTEGER, filetype, "native", MPI_INFO_NULL, error)
  call MPI_File_write_all(file, values, 4, MPI_INTEGER, status, error)
  call MPI_Get_count(status, MPI_INTEGER, count, error)
  before = mod(rank + ranks - 1, ranks)
  displacement = 4 * before
  call MPI_File_set_view(file, displacement, MPI_INTEGER, filetype, "native", MPI_INFO_NULL, error)
  call MPI_File_read_all(file, values, 4, MPI_INTEGER, status, error)
  call MPI_File_get_size(file, size, error)
  print *, count, values, size
  if (any(values /= [(100 * before + i, i = 1, 4)]) .or. size /= 16 * ranks) call MPI_Abort(MPI_COMM_WORLD, 2, error)
  call MPI_File_close(file, error)
  call MPI_Type_free(filetype, error)
  call MPI_Finalize(error)
end program mpiio_fortran
