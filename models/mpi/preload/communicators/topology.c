#include "models/mpi/preload/communicators/topology.h"

#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_unseen.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static struct topology *make_grid(int dimensions) {
    struct topology *topology = calloc(1, sizeof *topology);
    topology->kind = MPI_CART;
    topology->dimensions = dimensions;
    topology->dimension = calloc((size_t)dimensions + 1, sizeof *topology->dimension);
    return topology;
}

static void *copy_array(const void *array, size_t size) {
    if (array == NULL)
        return NULL;
    void *copy = malloc(size + 1);
    memcpy(copy, array, size);
    return copy;
}

struct neighbours neighbours_copy(const struct neighbours *neighbours) {
    size_t size = (size_t)neighbours->count * sizeof(int);
    return (struct neighbours){neighbours->count, copy_array(neighbours->rank, size), copy_array(neighbours->weight, size)};
}

bool neighbours_any(const struct neighbours *neighbours) {
    bool any = false;
    for (int i = 0; i < neighbours->count; i++)
        any |= neighbours->rank[i] != MPI_PROC_NULL;
    return any;
}

void neighbours_free(struct neighbours *neighbours) {
    free(neighbours->rank);
    free(neighbours->weight);
    *neighbours = (struct neighbours){0};
}

static int edges_of(const struct topology *topology) { return topology->nodes > 0 ? topology->index[topology->nodes - 1] : 0; }

struct topology *topology_copy(const struct topology *topology) {
    if (topology == NULL)
        return NULL;
    struct topology *copy = calloc(1, sizeof *copy);
    *copy = *topology;
    copy->dimension = copy_array(topology->dimension, (size_t)topology->dimensions * sizeof *topology->dimension);
    copy->index = copy_array(topology->index, (size_t)topology->nodes * sizeof *topology->index);
    copy->edge = copy_array(topology->edge, (size_t)edges_of(topology) * sizeof *topology->edge);
    copy->in = neighbours_copy(&topology->in);
    copy->out = neighbours_copy(&topology->out);
    return copy;
}

void topology_free(struct topology *topology) {
    if (topology == NULL)
        return;
    free(topology->dimension);
    free(topology->index);
    free(topology->edge);
    neighbours_free(&topology->in);
    neighbours_free(&topology->out);
    free(topology);
}

uint64_t topology_shape(const struct topology *topology) {
    if (topology == NULL)
        return 0;
    uint64_t shape = topology->shape + (uint64_t)topology->kind;
    shape = XXH3_64bits_withSeed(topology->dimension, (size_t)topology->dimensions * sizeof *topology->dimension, shape);
    shape = XXH3_64bits_withSeed(topology->index, (size_t)topology->nodes * sizeof *topology->index, shape);
    return XXH3_64bits_withSeed(topology->edge, (size_t)edges_of(topology) * sizeof *topology->edge, shape);
}

/* Processes in the grid; -1 if a dimension is not positive or there are more than `limit`. */
static int cells(int dimensions, const int sizes[], int limit) {
    int total = 1;
    for (int i = 0; i < dimensions; i++) {
        if (sizes[i] <= 0 || sizes[i] > limit / total)
            return -1;
        total *= sizes[i];
    }
    return total;
}

static int rank_at(const struct topology *topology, const int *coordinates) {
    int rank = 0;
    for (int i = 0; i < topology->dimensions; i++)
        rank = rank * topology->dimension[i].size + coordinates[i];
    return rank;
}

static void coordinates_of(const struct topology *topology, int rank, int *coordinates) {
    for (int i = topology->dimensions - 1; i >= 0; i--) {
        coordinates[i] = rank % topology->dimension[i].size;
        rank /= topology->dimension[i].size;
    }
}

/* Brings a coordinate into its dimension; false if it is outside one that is not periodic. */
static bool wrap(const struct dimension *dimension, int *coordinate) {
    if (*coordinate >= 0 && *coordinate < dimension->size)
        return true;
    if (!dimension->periodic)
        return false;
    *coordinate = (*coordinate % dimension->size + dimension->size) % dimension->size;
    return true;
}

int check_topology(const struct caller *caller, MPI_Comm handle, int kind, struct communicator **communicator) {
    int error = check_communicator(caller, handle, communicator);
    if (error != MPI_SUCCESS)
        return error;
    const struct topology *topology = (*communicator)->topology;
    if (topology == NULL || topology->kind != kind)
        return reject(caller, handle, MPI_ERR_TOPOLOGY, "a communicator without a %s topology",
                      kind == MPI_CART    ? "Cartesian"
                      : kind == MPI_GRAPH ? "graph"
                                          : "distributed graph");
    return MPI_SUCCESS;
}

int check_member(const struct caller *caller, const struct communicator *communicator, int rank) {
    if (rank >= 0 && rank < communicator->size)
        return MPI_SUCCESS;
    return reject(caller, communicator->handle, MPI_ERR_RANK, "rank %d in a communicator of size %d", rank, communicator->size);
}

static int check_grid(const struct caller *caller, const struct communicator *communicator, int dimensions, const int sizes[],
                      int *total) {
    *total = dimensions < 0 ? -1 : cells(dimensions, sizes, communicator->size);
    if (*total >= 0)
        return MPI_SUCCESS;
    return reject(caller, communicator->handle, MPI_ERR_DIMS, "a grid that does not fit a communicator of size %d",
                  communicator->size);
}

static uint64_t agree_on_grid(int dimensions, const int sizes[], const int periods[]) {
    uint64_t hash = (uint64_t)dimensions;
    struct meaning grid = {0};
    for (int i = 0; i < dimensions; i++) {
        const int all[] = {sizes[i], periods[i] != 0};
        hash = XXH3_64bits_withSeed(all, sizeof all, hash);
        meaning_add(&grid, "%s%d%s", i > 0 ? " x " : "", sizes[i], periods[i] ? " (periodic)" : "");
    }
    return collective_agreement_on(hash, &grid);
}

/* `reorder` is only a permission: processes keep their order, as with MPICH. */
EXPORT(Cart_create)
int MPI_Cart_create(MPI_Comm handle, int dimensions, const int sizes[], const int periods[], int reorder, MPI_Comm *result) {
    ENTER(Cart_create, handle, dimensions, sizes, periods, reorder, result);
    *result = MPI_COMM_NULL; /* also where it fails, as with MPICH */
    struct communicator *parent;
    int total = 0;
    int error = check_communicator(caller, handle, &parent);
    if (error == MPI_SUCCESS)
        error = check_intracommunicator(caller, parent);
    if (error == MPI_SUCCESS)
        error = check_grid(caller, parent, dimensions, sizes, &total);
    if (error != MPI_SUCCESS)
        return error;
    unseen_note_array(periods, dimensions, sizeof *periods);
    struct collective collective = collective_of_all(caller, parent);
    collective.agreement = agree_on_grid(dimensions, sizes, periods);
    collective_enter(&collective, 0);
    collective_leave(&collective);
    communicator_count_creation(parent);
    if (parent->rank >= total)
        return MPI_SUCCESS;
    *result = communicator_make_carrier(parent);
    struct topology *grid = make_grid(dimensions);
    for (int i = 0; i < dimensions; i++)
        grid->dimension[i] = (struct dimension){sizes[i], periods[i] != 0};
    struct members members = {.world = parent->world, .size = total};
    communicator_set_topology(communicator_create(parent, *result, &members, topology_shape(grid)), grid);
    return MPI_SUCCESS;
}

EXPORT(Cart_map)
int MPI_Cart_map(MPI_Comm handle, int dimensions, const int sizes[], const int periods[], int *rank) {
    ENTER(Cart_map, handle, dimensions, sizes, periods, rank);
    struct communicator *communicator;
    int total = 0;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        error = check_grid(caller, communicator, dimensions, sizes, &total);
    if (error == MPI_SUCCESS)
        *rank = communicator->rank < total ? communicator->rank : MPI_UNDEFINED;
    return error;
}

EXPORT(Topo_test)
int MPI_Topo_test(MPI_Comm handle, int *status) {
    ENTER(Topo_test, handle, status);
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        *status = communicator->topology != NULL ? communicator->topology->kind : MPI_UNDEFINED;
    return error;
}

EXPORT(Cartdim_get)
int MPI_Cartdim_get(MPI_Comm handle, int *dimensions) {
    ENTER(Cartdim_get, handle, dimensions);
    struct communicator *communicator;
    int error = check_topology(caller, handle, MPI_CART, &communicator);
    if (error == MPI_SUCCESS)
        *dimensions = communicator->topology->dimensions;
    return error;
}

static int check_room(const struct caller *caller, const struct communicator *communicator, int room) {
    if (room >= communicator->topology->dimensions)
        return MPI_SUCCESS;
    return reject(caller, communicator->handle, MPI_ERR_ARG, "room for %d dimensions of %d", room,
                  communicator->topology->dimensions);
}

EXPORT(Cart_get)
int MPI_Cart_get(MPI_Comm handle, int room, int sizes[], int periods[], int coordinates[]) {
    ENTER(Cart_get, handle, room, sizes, periods, coordinates);
    struct communicator *communicator;
    int error = check_topology(caller, handle, MPI_CART, &communicator);
    if (error == MPI_SUCCESS)
        error = check_room(caller, communicator, room);
    if (error != MPI_SUCCESS)
        return error;
    const struct topology *topology = communicator->topology;
    for (int i = 0; i < topology->dimensions; i++) {
        sizes[i] = topology->dimension[i].size;
        periods[i] = topology->dimension[i].periodic;
    }
    coordinates_of(topology, communicator->rank, coordinates);
    return MPI_SUCCESS;
}

EXPORT(Cart_coords)
int MPI_Cart_coords(MPI_Comm handle, int rank, int room, int coordinates[]) {
    ENTER(Cart_coords, handle, rank, room, coordinates);
    struct communicator *communicator;
    int error = check_topology(caller, handle, MPI_CART, &communicator);
    if (error == MPI_SUCCESS)
        error = check_room(caller, communicator, room);
    if (error == MPI_SUCCESS)
        error = check_member(caller, communicator, rank);
    if (error == MPI_SUCCESS)
        coordinates_of(communicator->topology, rank, coordinates);
    return error;
}

EXPORT(Cart_rank)
int MPI_Cart_rank(MPI_Comm handle, const int coordinates[], int *rank) {
    ENTER(Cart_rank, handle, coordinates, rank);
    struct communicator *communicator;
    int error = check_topology(caller, handle, MPI_CART, &communicator);
    if (error != MPI_SUCCESS)
        return error;
    const struct topology *topology = communicator->topology;
    *rank = 0;
    for (int i = 0; i < topology->dimensions; i++) {
        int coordinate = coordinates[i];
        if (!wrap(&topology->dimension[i], &coordinate))
            return reject(caller, handle, MPI_ERR_ARG, "coordinate %d in dimension %d of size %d", coordinates[i], i,
                          topology->dimension[i].size);
        *rank = *rank * topology->dimension[i].size + coordinate;
    }
    return MPI_SUCCESS;
}

/* The rank `distance` cells away from ours in one dimension. */
static int neighbour(const struct communicator *communicator, const int *own, int dimension, int distance) {
    const struct topology *topology = communicator->topology;
    int coordinate = own[dimension] + distance;
    if (!wrap(&topology->dimension[dimension], &coordinate))
        return MPI_PROC_NULL;
    int *moved = malloc((size_t)topology->dimensions * sizeof *moved);
    memcpy(moved, own, (size_t)topology->dimensions * sizeof *moved);
    moved[dimension] = coordinate;
    int rank = rank_at(topology, moved);
    free(moved);
    return rank;
}

/* In each dimension first the neighbour below, then the one above (MPI-3.1 section 7.6). */
static struct neighbours grid_neighbours(const struct communicator *communicator) {
    int dimensions = communicator->topology->dimensions;
    struct neighbours neighbours = {.rank = malloc((2 * (size_t)dimensions + 1) * sizeof(int))};
    int *own = malloc(((size_t)dimensions + 1) * sizeof *own);
    coordinates_of(communicator->topology, communicator->rank, own);
    for (int i = 0; i < dimensions; i++) {
        neighbours.rank[neighbours.count++] = neighbour(communicator, own, i, -1);
        neighbours.rank[neighbours.count++] = neighbour(communicator, own, i, 1);
    }
    free(own);
    return neighbours;
}

struct neighbours topology_sources(const struct communicator *communicator) {
    const struct topology *topology = communicator->topology;
    switch (topology->kind) {
    case MPI_CART: return grid_neighbours(communicator);
    case MPI_GRAPH: return graph_neighbours(topology, communicator->rank);
    default: return neighbours_copy(&topology->in);
    }
}

struct neighbours topology_destinations(const struct communicator *communicator) {
    const struct topology *topology = communicator->topology;
    return topology->kind == MPI_DIST_GRAPH ? neighbours_copy(&topology->out) : topology_sources(communicator);
}

void communicator_set_topology(struct communicator *communicator, struct topology *topology) {
    communicator->topology = topology;
    if (topology == NULL)
        return;
    struct neighbours sources = topology_sources(communicator);
    int count = 0;
    for (int i = 0; i < sources.count; i++) {
        if (sources.rank[i] != MPI_PROC_NULL)
            sources.rank[count++] = communicator->world[sources.rank[i]];
    }
    rank_announce_sources(communicator->context, sources.rank, count);
    neighbours_free(&sources);
}

EXPORT(Cart_shift)
int MPI_Cart_shift(MPI_Comm handle, int dimension, int distance, int *source, int *destination) {
    ENTER(Cart_shift, handle, dimension, distance, source, destination);
    struct communicator *communicator;
    int error = check_topology(caller, handle, MPI_CART, &communicator);
    if (error != MPI_SUCCESS)
        return error;
    if (dimension < 0 || dimension >= communicator->topology->dimensions)
        return reject(caller, handle, MPI_ERR_ARG, "dimension %d of %d", dimension, communicator->topology->dimensions);
    int *own = malloc((size_t)communicator->topology->dimensions * sizeof *own);
    coordinates_of(communicator->topology, communicator->rank, own);
    *source = neighbour(communicator, own, dimension, -distance);
    *destination = neighbour(communicator, own, dimension, distance);
    free(own);
    return MPI_SUCCESS;
}

/* Does a member differ from us only in the dimensions that remain? */
static bool in_our_slice(const struct topology *topology, const int remaining[], const int *own, const int *other) {
    for (int i = 0; i < topology->dimensions; i++) {
        if (!remaining[i] && own[i] != other[i])
            return false;
    }
    return true;
}

/* The world ranks of our slice in the order of the grid. */
static int choose_slice(const struct communicator *parent, const int remaining[], int *world) {
    const struct topology *topology = parent->topology;
    int *own = malloc(((size_t)topology->dimensions + 1) * sizeof *own);
    int *other = malloc(((size_t)topology->dimensions + 1) * sizeof *other);
    coordinates_of(topology, parent->rank, own);
    int size = 0;
    for (int rank = 0; rank < parent->size; rank++) {
        coordinates_of(topology, rank, other);
        if (in_our_slice(topology, remaining, own, other))
            world[size++] = parent->world[rank];
    }
    free(other);
    free(own);
    return size;
}

static struct topology *project(const struct topology *topology, const int remaining[]) {
    struct topology *projected = make_grid(topology->dimensions);
    projected->dimensions = 0;
    for (int i = 0; i < topology->dimensions; i++) {
        if (remaining[i])
            projected->dimension[projected->dimensions++] = topology->dimension[i];
    }
    return projected;
}

static bool keeps_any(const struct topology *topology, const int remaining[]) {
    bool any = false;
    for (int i = 0; i < topology->dimensions; i++)
        any |= remaining[i] != 0;
    return any;
}

/* If no dimension is kept, MPICH gives the first process a grid of one and the others none. */
EXPORT(Cart_sub)
int MPI_Cart_sub(MPI_Comm handle, const int remaining[], MPI_Comm *result) {
    ENTER(Cart_sub, handle, remaining, result);
    struct communicator *parent;
    int error = check_topology(caller, handle, MPI_CART, &parent);
    if (error != MPI_SUCCESS)
        return error;
    unseen_note_array(remaining, parent->topology->dimensions, sizeof *remaining);
    struct collective collective = collective_of_all(caller, parent);
    collective_enter(&collective, 0);
    collective_leave(&collective);
    communicator_count_creation(parent);
    *result = MPI_COMM_NULL;
    if (!keeps_any(parent->topology, remaining) && parent->rank != 0)
        return MPI_SUCCESS;
    int *world = malloc((size_t)parent->size * sizeof *world);
    int size = choose_slice(parent, remaining, world);
    *result = communicator_make_carrier(parent);
    struct topology *grid = project(parent->topology, remaining);
    struct members members = {.world = world, .size = size};
    communicator_set_topology(communicator_create(parent, *result, &members, topology_shape(grid)), grid);
    free(world);
    return MPI_SUCCESS;
}
