/* MPICH looks at the machine in MPI_Init (caches, memory nodes, PCI devices, by hwloc), which takes most of that call's time, and no
 * use of it is made here. It is not shown: hwloc is told by its environment variables to know of processors alone. What the program
 * itself asks hwloc for, before or after, it gets. */
#ifndef MODELS_MPI_PRELOAD_MACHINE_UNSEEN_H
#define MODELS_MPI_PRELOAD_MACHINE_UNSEEN_H

void machine_hide(void);

/* Once after each machine_hide. */
void machine_show(void);

#endif
