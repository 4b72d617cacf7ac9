/* Calls that make something the program must free. */
#include "rules.h"

#include <stddef.h>

/* `object` is made by `call`, and freed unless that is the mistake. */
#define MAKES(name, type, freed_by, call)           \
    static void do_##name(struct arguments *with) { \
        type object;                                \
        call;                                       \
        if (!with->keeps)                           \
            freed_by(&object);                      \
    }

/* --- communicators --------------------------------------------------------------------------------------------------- */

#define MAKES_COMMUNICATOR(name, call) MAKES(name, MPI_Comm, MPI_Comm_free, call)
#define OLD with->communicator
static const int pair[] = {2}, no[] = {0}, yes[] = {1}, one[] = {1}, ring_degrees[] = {1, 2}, ring[] = {1, 0};

static MPI_Group group_of_all(void) {
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    return all;
}

static void free_group(MPI_Group group) { MPI_Group_free(&group); }
static void free_communicator(MPI_Comm communicator) { MPI_Comm_free(&communicator); }

/* One that the calls which make another of it want. */
static MPI_Comm grid(void) {
    MPI_Comm made;
    MPI_Cart_create(MPI_COMM_WORLD, 1, pair, no, 0, &made);
    return made;
}

static MPI_Comm bridge(MPI_Comm over) {
    MPI_Comm made;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, over, other_rank(), 0, &made);
    return made;
}

MAKES_COMMUNICATOR(Comm_split_type, MPI_Comm_split_type(OLD, MPI_COMM_TYPE_SHARED, 0, with->info, &object))
MAKES_COMMUNICATOR(Cart_create, MPI_Cart_create(OLD, 1, pair, no, 0, &object))
MAKES_COMMUNICATOR(Graph_create, MPI_Graph_create(OLD, 2, ring_degrees, ring, 0, &object))
MAKES_COMMUNICATOR(Dist_graph_create, MPI_Dist_graph_create(OLD, 1, no, one, one, MPI_UNWEIGHTED, with->info, 0, &object))
MAKES_COMMUNICATOR(Dist_graph_create_adjacent, const int other = other_rank();
                   MPI_Dist_graph_create_adjacent(OLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED, with->info, 0,
                                                  &object))
MAKES_COMMUNICATOR(Intercomm_create, object = bridge(OLD))
MAKES_COMMUNICATOR(Comm_create, MPI_Group all = group_of_all(); MPI_Comm_create(OLD, all, &object); free_group(all))
MAKES_COMMUNICATOR(Comm_create_group, MPI_Group all = group_of_all(); MPI_Comm_create_group(OLD, all, with->tag, &object);
                   free_group(all))
MAKES_COMMUNICATOR(Comm_idup, MPI_Request request = MPI_REQUEST_NULL;
                   MPI_Comm_idup(OLD, &object, with->no_place ? NULL : &request); WAIT(request))
MAKES_COMMUNICATOR(Cart_sub, MPI_Comm old = grid(); MPI_Cart_sub(old, yes, &object); free_communicator(old))
MAKES_COMMUNICATOR(Intercomm_merge, MPI_Comm old = bridge(MPI_COMM_WORLD); MPI_Intercomm_merge(old, 0, &object);
                   free_communicator(old))

/* --- groups ---------------------------------------------------------------------------------------------------------- */

#define MAKES_GROUP(name, call) MAKES(name, MPI_Group, MPI_Group_free, MPI_Group all = group_of_all(); call; free_group(all))
static int first_alone[][3] = {{0, 0, 1}};
MAKES_GROUP(Group_incl, MPI_Group_incl(all, 1, no, &object))
MAKES_GROUP(Group_excl, MPI_Group_excl(all, 1, no, &object))
MAKES_GROUP(Group_range_incl, MPI_Group_range_incl(all, 1, first_alone, &object))
MAKES_GROUP(Group_range_excl, MPI_Group_range_excl(all, 1, first_alone, &object))
MAKES_GROUP(Group_union, MPI_Group_union(all, MPI_GROUP_EMPTY, &object))
MAKES_GROUP(Group_intersection, MPI_Group_intersection(all, all, &object))
MAKES_GROUP(Group_difference, MPI_Group_difference(all, MPI_GROUP_EMPTY, &object))

/* --- types: made of `type` ------------------------------------------------------------------------------------------- */

#define MAKES_TYPE(name, ...) MAKES(name, MPI_Datatype, MPI_Type_free, MPI_##name(__VA_ARGS__, &object))
static const MPI_Aint at_start[] = {0};
MAKES_TYPE(Type_dup, with->type)
MAKES_TYPE(Type_contiguous, with->count, with->type)
MAKES_TYPE(Type_vector, with->count, 1, 2, with->type)
MAKES_TYPE(Type_create_hvector, with->count, 1, 8, with->type)
MAKES_TYPE(Type_indexed, with->count, one, no, with->type)
MAKES_TYPE(Type_create_hindexed, with->count, one, at_start, with->type)
MAKES_TYPE(Type_create_indexed_block, with->count, 1, no, with->type)
MAKES_TYPE(Type_create_hindexed_block, with->count, 1, at_start, with->type)
MAKES_TYPE(Type_create_struct, with->count, one, at_start, &with->type)
MAKES_TYPE(Type_create_resized, with->type, 0, 8)
MAKES_TYPE(Type_create_subarray, 1, pair, one, no, MPI_ORDER_C, with->type)
MAKES_TYPE(Type_create_darray, 2, 0, 1, pair, (int[]){MPI_DISTRIBUTE_BLOCK}, (int[]){MPI_DISTRIBUTE_DFLT_DARG}, pair,
           MPI_ORDER_C, with->type)

/* --- the rest -------------------------------------------------------------------------------------------------------- */

static void combine(void *in, void *out, int *count, MPI_Datatype *type) { (void)in, (void)out, (void)count, (void)type; }

MAKES(Op_create, MPI_Op, MPI_Op_free, MPI_Op_create(combine, 1, &object))
MAKES(Info_create, MPI_Info, MPI_Info_free, MPI_Info_create(&object))
MAKES(Comm_get_info, MPI_Info, MPI_Info_free, MPI_Comm_get_info(OLD, &object))
MAKES(Comm_create_keyval, int, MPI_Comm_free_keyval,
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &object, NULL))
MAKES(Type_create_keyval, int, MPI_Type_free_keyval,
      MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &object, NULL))
MAKES(Win_create_keyval, int, MPI_Win_free_keyval,
      MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &object, NULL))

static void *nothing_said;
static int say_nothing(void *state, MPI_Status *status) {
    (void)state;
    return MPI_Status_set_elements(status, MPI_INT, 0);
}
static int free_nothing(void *state) {
    (void)state;
    return MPI_SUCCESS;
}
static int cancel_nothing(void *state, int complete) {
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void wait_for(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }
MAKES(Grequest_start, MPI_Request, wait_for,
      MPI_Grequest_start(say_nothing, free_nothing, cancel_nothing, &nothing_said, &object);
      MPI_Grequest_complete(object))

#define MADE_OF_RANKS (HAS_COMMUNICATOR | HAS_OBJECT)
#define MADE_OF_TYPE (HAS_OLD_TYPE | HAS_OBJECT)

const struct family object_families[] = {
    FAMILY(Comm_split_type, MADE_OF_RANKS | HAS_OTHER_CALL | HAS_INFO, COLLECTIVE),
    FAMILY(Cart_create, MADE_OF_RANKS, COLLECTIVE),
    FAMILY(Graph_create, MADE_OF_RANKS, COLLECTIVE),
    FAMILY(Dist_graph_create, MADE_OF_RANKS | HAS_INFO, COLLECTIVE),
    FAMILY(Dist_graph_create_adjacent, MADE_OF_RANKS | HAS_INFO, COLLECTIVE),
    FAMILY(Intercomm_create, MADE_OF_RANKS | HAS_OWN_WAY, COLLECTIVE),
    FAMILY(Comm_create, MADE_OF_RANKS, COLLECTIVE),
    FAMILY(Comm_create_group, MADE_OF_RANKS | HAS_OWN_WAY, COLLECTIVE),
    FAMILY(Comm_idup, MADE_OF_RANKS | HAS_NEW_REQUEST | HAS_ACROSS, COLLECTIVE),
    FAMILY(Cart_sub, HAS_OBJECT, COLLECTIVE),
    FAMILY(Intercomm_merge, HAS_OBJECT | HAS_OWN_WAY, COLLECTIVE),
    FAMILY(Group_incl, HAS_OBJECT, LOCAL),
    FAMILY(Group_excl, HAS_OBJECT, LOCAL),
    FAMILY(Group_range_incl, HAS_OBJECT, LOCAL),
    FAMILY(Group_range_excl, HAS_OBJECT, LOCAL),
    FAMILY(Group_union, HAS_OBJECT, LOCAL),
    FAMILY(Group_intersection, HAS_OBJECT, LOCAL),
    FAMILY(Group_difference, HAS_OBJECT, LOCAL),
    FAMILY(Type_dup, MADE_OF_TYPE, LOCAL),
    FAMILY(Type_contiguous, MADE_OF_TYPE | HAS_COUNT, LOCAL),
    FAMILY(Type_vector, MADE_OF_TYPE | HAS_COUNT, LOCAL),
    FAMILY(Type_create_hvector, MADE_OF_TYPE | HAS_COUNT, LOCAL),
    FAMILY(Type_indexed, MADE_OF_TYPE | HAS_COUNT, LOCAL),
    FAMILY(Type_create_hindexed, MADE_OF_TYPE | HAS_COUNT, LOCAL),
    FAMILY(Type_create_indexed_block, MADE_OF_TYPE | HAS_COUNT, LOCAL),
    FAMILY(Type_create_hindexed_block, MADE_OF_TYPE | HAS_COUNT, LOCAL),
    FAMILY(Type_create_struct, MADE_OF_TYPE | HAS_COUNT, LOCAL),
    FAMILY(Type_create_resized, MADE_OF_TYPE, LOCAL),
    FAMILY(Type_create_subarray, MADE_OF_TYPE, LOCAL),
    FAMILY(Type_create_darray, MADE_OF_TYPE, LOCAL),
    FAMILY(Op_create, HAS_OBJECT, LOCAL),
    FAMILY(Info_create, HAS_OBJECT | HAS_NO_INIT, LOCAL),
    FAMILY(Comm_get_info, MADE_OF_RANKS, LOCAL),
    FAMILY(Comm_create_keyval, HAS_OBJECT, LOCAL),
    FAMILY(Type_create_keyval, HAS_OBJECT, LOCAL),
    FAMILY(Win_create_keyval, HAS_OBJECT, LOCAL),
    FAMILY(Grequest_start, HAS_REQUEST_OBJECT, LOCAL),
};
const int object_family_count = sizeof object_families / sizeof object_families[0];
