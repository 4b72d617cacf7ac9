/* Calls that ask or tell an object something: of each kind of handle, what a program may do to it by itself. */
#include "rules.h"

#include <stddef.h>

static int number, flag, list[ELEMENTS];
static MPI_Aint distance, distance_too;
static MPI_Count large, large_too;
static MPI_Offset offset;
static MPI_Status status;
static char name[MPI_MAX_OBJECT_NAME], text[MPI_MAX_INFO_VAL + 1];

#define GROUP_CALLS(CALL)                                                                                              \
    CALL(Group_size, HAS_GROUP, MPI_Group_size(with->group, &number))                                                  \
    CALL(Group_rank, HAS_GROUP, MPI_Group_rank(with->group, &number))                                                  \
    CALL(Group_compare, HAS_GROUP, MPI_Group_compare(with->group, MPI_GROUP_EMPTY, &number))                           \
    CALL(Group_compare_with, HAS_GROUP, MPI_Group_compare(MPI_GROUP_EMPTY, with->group, &number))                      \
    CALL(Group_translate_ranks, HAS_GROUP, MPI_Group_translate_ranks(with->group, 0, list, with->group, list))         \
    CALL(Group_incl_of, HAS_GROUP, MPI_Group made; MPI_Group_incl(with->group, 0, list, &made))                        \
    CALL(Group_excl_of, HAS_GROUP, MPI_Group made; MPI_Group_excl(with->group, 0, list, &made); MPI_Group_free(&made)) \
    CALL(Group_union_of, HAS_GROUP, MPI_Group made; MPI_Group_union(with->group, MPI_GROUP_EMPTY, &made);              \
         MPI_Group_free(&made))                                                                                        \
    CALL(Group_difference_of, HAS_GROUP, MPI_Group made; MPI_Group_difference(with->group, MPI_GROUP_EMPTY, &made);    \
         MPI_Group_free(&made))                                                                                        \
    CALL(Group_intersection_of, HAS_GROUP, MPI_Group made; MPI_Group_intersection(with->group, with->group, &made);    \
         MPI_Group_free(&made))

#define INFO_CALLS(CALL)                                                                                             \
    CALL(Info_set, HAS_INFO_OBJECT, MPI_Info_set(with->info, "key", "value"))                                        \
    CALL(Info_get, HAS_INFO_OBJECT, MPI_Info_get(with->info, "key", MPI_MAX_INFO_VAL, text, &flag))                  \
    CALL(Info_get_string, HAS_INFO_OBJECT, number = 4; MPI_Info_get_string(with->info, "key", &number, text, &flag)) \
    CALL(Info_get_valuelen, HAS_INFO_OBJECT, MPI_Info_get_valuelen(with->info, "key", &number, &flag))               \
    CALL(Info_get_nkeys, HAS_INFO_OBJECT, MPI_Info_get_nkeys(with->info, &number))                                   \
    CALL(Info_dup, HAS_INFO_OBJECT, MPI_Info copy; MPI_Info_dup(with->info, &copy); MPI_Info_free(&copy))

#define TYPE_CALLS(CALL)                                                                                                    \
    CALL(Type_size, HAS_OLD_TYPE, MPI_Type_size(with->type, &number))                                                       \
    CALL(Type_size_x, HAS_OLD_TYPE, MPI_Type_size_x(with->type, &large))                                                    \
    CALL(Type_get_extent, HAS_OLD_TYPE, MPI_Type_get_extent(with->type, &distance, &distance_too))                          \
    CALL(Type_get_extent_x, HAS_OLD_TYPE, MPI_Type_get_extent_x(with->type, &large, &large_too))                            \
    CALL(Type_get_true_extent, HAS_OLD_TYPE, MPI_Type_get_true_extent(with->type, &distance, &distance_too))                \
    CALL(Type_get_true_extent_x, HAS_OLD_TYPE, MPI_Type_get_true_extent_x(with->type, &large, &large_too))                  \
    CALL(Type_get_envelope, HAS_OLD_TYPE, MPI_Type_get_envelope(with->type, &number, &number, &number, &flag))              \
    CALL(Type_get_name, HAS_OLD_TYPE, MPI_Type_get_name(with->type, name, &number))                                         \
    CALL(Type_commit, HAS_OLD_TYPE, MPI_Type_commit(&with->type))                                                           \
    CALL(Get_count, HAS_OLD_TYPE, MPI_Get_count(&status, with->type, &number))                                              \
    CALL(Get_elements, HAS_OLD_TYPE, MPI_Get_elements(&status, with->type, &number))                                        \
    CALL(Get_elements_x, HAS_OLD_TYPE, MPI_Get_elements_x(&status, with->type, &large))                                     \
    CALL(Pack_size, HAS_COMMUNICATOR | HAS_COUNT | HAS_OLD_TYPE,                                                            \
         MPI_Pack_size(with->count, with->type, with->communicator, &number))                                               \
    CALL(Pack_external_size, HAS_OLD_TYPE, MPI_Pack_external_size("external32", 1, with->type, &distance))                  \
    CALL(Reduce_local, HAS_DATA | HAS_OPERATOR | HAS_TWO_BUFFERS, MPI_Reduce_local(REDUCTION))                              \
    CALL(Unpack, HAS_COMMUNICATOR | HAS_DATA, number = 0; MPI_Unpack(list, sizeof list, &number, DATA, with->communicator)) \
    CALL(Pack_external, HAS_DATA, distance = 0; MPI_Pack_external("external32", DATA, list, sizeof list, &distance))        \
    CALL(Unpack_external, HAS_DATA, distance = 0; MPI_Unpack_external("external32", list, sizeof list, &distance, DATA))    \
    CALL(Op_commutative, HAS_OPERATOR_OBJECT, MPI_Op_commutative(with->op, &flag))

#define COMMUNICATOR_CALLS(CALL)                                                                                   \
    CALL(Comm_test_inter, HAS_COMMUNICATOR, MPI_Comm_test_inter(with->communicator, &flag))                        \
    CALL(Comm_compare, HAS_COMMUNICATOR, MPI_Comm_compare(with->communicator, MPI_COMM_SELF, &number))             \
    CALL(Comm_compare_with, HAS_COMMUNICATOR, MPI_Comm_compare(MPI_COMM_SELF, with->communicator, &number))        \
    CALL(Comm_get_name, HAS_COMMUNICATOR, MPI_Comm_get_name(with->communicator, name, &number))                    \
    CALL(Comm_set_errhandler, HAS_COMMUNICATOR, MPI_Comm_set_errhandler(with->communicator, MPI_ERRORS_ARE_FATAL)) \
    CALL(Comm_call_errhandler, HAS_COMMUNICATOR, MPI_Comm_set_errhandler(with->communicator, MPI_ERRORS_RETURN);   \
         MPI_Comm_call_errhandler(with->communicator, MPI_ERR_OTHER))                                              \
    CALL(Topo_test, HAS_COMMUNICATOR, MPI_Topo_test(with->communicator, &number))                                  \
    CALL(Cart_map, HAS_COMMUNICATOR, list[0] = 2; MPI_Cart_map(with->communicator, 1, list, list + 1, &number))

/* On a ring of both ranks: a communicator that is none is a mistake of these too. */
#define GRID_CALLS(CALL)                                                                               \
    CALL(Cartdim_get, HAS_GRID, MPI_Cartdim_get(with->communicator, &number))                          \
    CALL(Cart_get, HAS_GRID, MPI_Cart_get(with->communicator, 1, list, list + 1, list + 2))            \
    CALL(Cart_rank, HAS_GRID, MPI_Cart_rank(with->communicator, list, &number))                        \
    CALL(Cart_coords, HAS_GRID | HAS_MEMBER, MPI_Cart_coords(with->communicator, with->peer, 1, list)) \
    CALL(Cart_shift, HAS_GRID, MPI_Cart_shift(with->communicator, 0, 1, list, list + 1))
#define GRAPH_CALLS(CALL)                                                                                                   \
    CALL(Graphdims_get, HAS_GRAPH, MPI_Graphdims_get(with->communicator, list, list + 1))                                   \
    CALL(Graph_get, HAS_GRAPH, MPI_Graph_get(with->communicator, 2, 2, list, list + 2))                                     \
    CALL(Graph_neighbors_count, HAS_GRAPH | HAS_MEMBER, MPI_Graph_neighbors_count(with->communicator, with->peer, &number)) \
    CALL(Graph_neighbors, HAS_GRAPH | HAS_MEMBER, MPI_Graph_neighbors(with->communicator, with->peer, 1, list))

#define FILE_CALLS(CALL)                                                                                                  \
    CALL(File_seek, HAS_FILE, MPI_File_seek(with->file, 0, MPI_SEEK_SET))                                                 \
    CALL(File_seek_shared, HAS_FILE, MPI_File_seek_shared(with->file, 0, MPI_SEEK_SET))                                   \
    CALL(File_get_position, HAS_FILE, MPI_File_get_position(with->file, &offset))                                         \
    CALL(File_get_position_shared, HAS_FILE, MPI_File_get_position_shared(with->file, &offset))                           \
    CALL(File_get_byte_offset, HAS_FILE, MPI_File_get_byte_offset(with->file, 0, &offset))                                \
    CALL(File_get_size, HAS_FILE, MPI_File_get_size(with->file, &offset))                                                 \
    CALL(File_set_size, HAS_FILE, MPI_File_set_size(with->file, 4))                                                       \
    CALL(File_preallocate, HAS_FILE, MPI_File_preallocate(with->file, 4))                                                 \
    CALL(File_get_amode, HAS_FILE, MPI_File_get_amode(with->file, &number))                                               \
    CALL(File_get_atomicity, HAS_FILE, MPI_File_get_atomicity(with->file, &flag))                                         \
    CALL(File_set_atomicity, HAS_FILE, MPI_File_set_atomicity(with->file, 1))                                             \
    CALL(File_get_group, HAS_FILE, MPI_Group group; MPI_File_get_group(with->file, &group); MPI_Group_free(&group))       \
    CALL(File_get_info, HAS_FILE, MPI_Info info; MPI_File_get_info(with->file, &info); MPI_Info_free(&info))              \
    CALL(File_set_info, HAS_FILE | HAS_INFO, MPI_File_set_info(with->file, with->info))                                   \
    CALL(File_get_view, HAS_FILE, MPI_Datatype etype; MPI_Datatype filetype;                                              \
         MPI_File_get_view(with->file, &offset, &etype, &filetype, text))                                                 \
    CALL(File_get_type_extent, HAS_FILE | HAS_OLD_TYPE, MPI_File_get_type_extent(with->file, with->type, &distance))      \
    CALL(File_get_errhandler, HAS_FILE_OR_DEFAULT, MPI_Errhandler handler; MPI_File_get_errhandler(with->file, &handler)) \
    CALL(File_sync, HAS_FILE, MPI_File_sync(with->file))                                                                  \
    CALL(File_read_at, HAS_FILE | HAS_DATA, MPI_File_read_at(with->file, 0, DATA, &status))                               \
    CALL(File_read_all, HAS_FILE | HAS_DATA, MPI_File_read_all(with->file, DATA, &status))                                \
    CALL(File_read_at_all, HAS_FILE | HAS_DATA, MPI_File_read_at_all(with->file, 0, DATA, &status))                       \
    CALL(File_read_shared, HAS_FILE | HAS_DATA, MPI_File_read_shared(with->file, DATA, &status))                          \
    CALL(File_read_ordered, HAS_FILE | HAS_DATA, MPI_File_read_ordered(with->file, DATA, &status))                        \
    CALL(File_write_at_all, HAS_FILE | HAS_DATA, MPI_File_write_at_all(with->file, 0, DATA, &status))

#define ALL_CALLS(CALL) GROUP_CALLS(CALL) INFO_CALLS(CALL) TYPE_CALLS(CALL) COMMUNICATOR_CALLS(CALL) FILE_CALLS(CALL)
#define DEFINE(name, has, call) \
    static void do_##name(struct arguments *with) { call; }
ALL_CALLS(DEFINE)
GRID_CALLS(DEFINE)
GRAPH_CALLS(DEFINE)

#define LIST(name, has, call) FAMILY(name, has, LOCAL),
const struct family handle_families[] = {ALL_CALLS(LIST) GRID_CALLS(LIST) GRAPH_CALLS(LIST)};
const int handle_family_count = sizeof handle_families / sizeof handle_families[0];
