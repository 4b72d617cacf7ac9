# Rank 0 hears from the others, from anyone, by MPI's functions as the interpreter finds them in the library. The argument: whether it
# prints the "sum", or the "list" of whom it has heard from, which depends on the order.
import ctypes
import sys

mpi = ctypes.CDLL("libmpich.so.12")
WORLD = ctypes.c_int(0x44000000)
INT = ctypes.c_int(0x4C000405)
ANY_SOURCE = ctypes.c_int(-2)
STATUS_IGNORE = ctypes.c_void_p(1)

mpi.MPI_Init(None, None)
rank, size = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(WORLD, ctypes.byref(rank))
mpi.MPI_Comm_size(WORLD, ctypes.byref(size))
number = ctypes.c_int(rank.value)
if rank.value > 0:
    mpi.MPI_Send(ctypes.byref(number), 1, INT, 0, 0, WORLD)
else:
    heard = []
    for _ in range(size.value - 1):
        mpi.MPI_Recv(ctypes.byref(number), 1, INT, ANY_SOURCE, 0, WORLD, STATUS_IGNORE)
        heard.append(number.value)
    print(sum(heard) if sys.argv[1] == "sum" else heard)
mpi.MPI_Finalize()
