/* Everything of MPI-3.1 that concerns one process only, in ways that must work: constructing and taking apart datatypes, packing,
 * statuses, info, names, error codes, memory, absolute addresses, the tools interface. */
/* explore: ranks=2 verdict=race-free */
#include <assert.h>
#include <mpi.h>
#include <stddef.h>
#include <string.h>

/* A made type's size and extent, and how it says that it was made. */
static void check_type(MPI_Datatype *type, int size, MPI_Aint extent, int combiner) {
    int found, integers, addresses, types, how;
    MPI_Aint lower, found_extent, true_lower, true_extent;
    MPI_Count size_x, lower_x, extent_x;
    MPI_Type_commit(type);
    MPI_Type_size(*type, &found);
    MPI_Type_get_extent(*type, &lower, &found_extent);
    assert(found == size && found_extent == extent);
    MPI_Type_size_x(*type, &size_x);
    MPI_Type_get_extent_x(*type, &lower_x, &extent_x);
    assert(size_x == size && extent_x == extent && lower_x == lower);
    MPI_Type_get_true_extent(*type, &true_lower, &true_extent);
    MPI_Type_get_true_extent_x(*type, &lower_x, &extent_x);
    assert(lower_x == true_lower && extent_x == true_extent);
    MPI_Type_get_envelope(*type, &integers, &addresses, &types, &how);
    assert(how == combiner);
    MPI_Type_free(type);
    assert(*type == MPI_DATATYPE_NULL);
}

static void make_types(void) {
    MPI_Datatype type, types[2] = {MPI_INT, MPI_DOUBLE};
    int ones[2] = {1, 1}, places[2] = {0, 3}, sizes[2] = {4, 6}, parts[2] = {2, 3}, starts[2] = {1, 2};
    int distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE}, process[2] = {2, 1};
    int defaults[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    MPI_Aint bytes[2] = {0, 16};
    MPI_Type_contiguous(3, MPI_INT, &type);
    check_type(&type, 12, 12, MPI_COMBINER_CONTIGUOUS);
    MPI_Type_vector(2, 1, 3, MPI_INT, &type);
    check_type(&type, 8, 16, MPI_COMBINER_VECTOR);
    MPI_Type_create_hvector(2, 1, 20, MPI_INT, &type);
    check_type(&type, 8, 24, MPI_COMBINER_HVECTOR);
    MPI_Type_indexed(2, ones, places, MPI_INT, &type);
    check_type(&type, 8, 16, MPI_COMBINER_INDEXED);
    MPI_Type_create_hindexed(2, ones, bytes, MPI_INT, &type);
    check_type(&type, 8, 20, MPI_COMBINER_HINDEXED);
    MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &type);
    check_type(&type, 8, 16, MPI_COMBINER_INDEXED_BLOCK);
    MPI_Type_create_hindexed_block(2, 1, bytes, MPI_INT, &type);
    check_type(&type, 8, 20, MPI_COMBINER_HINDEXED_BLOCK);
    MPI_Type_create_struct(2, ones, bytes, types, &type);
    check_type(&type, 12, 24, MPI_COMBINER_STRUCT);
    MPI_Type_create_resized(MPI_INT, -4, 16, &type);
    check_type(&type, 4, 16, MPI_COMBINER_RESIZED);
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type);
    check_type(&type, 24, 96, MPI_COMBINER_SUBARRAY);
    MPI_Type_create_darray(2, 1, 2, sizes, distributions, defaults, process, MPI_ORDER_C, MPI_INT, &type);
    check_type(&type, 48, 96, MPI_COMBINER_DARRAY);
    MPI_Type_dup(MPI_INT, &type);
    check_type(&type, 4, 4, MPI_COMBINER_DUP);
    MPI_Type_create_f90_integer(9, &type);
    MPI_Type_match_size(MPI_TYPECLASS_REAL, sizeof(double), &type);
    assert(type == MPI_DOUBLE || type == MPI_REAL8 || type == MPI_DOUBLE_PRECISION);
}

static int copied;
static int copy(MPI_Datatype type, int keyval, void *extra, void *value, void *result, int *flag) {
    (void)type, (void)keyval, (void)extra;
    *(void **)result = value;
    copied++;
    return *flag = 1, MPI_SUCCESS;
}

static int deleted;
static int delete (MPI_Datatype type, int keyval, void *value, void *extra) {
    (void)type, (void)keyval, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static void use_attributes_and_names(void) {
    MPI_Datatype type, other;
    int keyval, flag, length, number = 3, *value;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_create_keyval(copy, delete, &keyval, NULL);
    MPI_Type_set_attr(type, keyval, &number);
    MPI_Type_dup(type, &other);
    MPI_Type_get_attr(other, keyval, &value, &flag);
    assert(flag && value == &number && copied == 1);
    MPI_Type_free(&other);
    MPI_Type_delete_attr(type, keyval);
    assert(deleted == 2);
    MPI_Type_free_keyval(&keyval);
    MPI_Type_set_name(type, "pair");
    MPI_Type_get_name(type, name, &length);
    assert(!strcmp(name, "pair"));
    MPI_Type_free(&type);
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    assert(!strcmp(name, "MPI_COMM_WORLD"));
    MPI_Comm_set_name(MPI_COMM_WORLD, "all");
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    assert(!strcmp(name, "all"));
}

static void pack(void) {
    int numbers[3] = {1, 2, 3}, found[3] = {0}, position = 0;
    MPI_Aint size, place = 0;
    char buffer[100];
    MPI_Pack_external_size("external32", 3, MPI_INT, &size);
    assert(size == 12);
    MPI_Pack_external("external32", numbers, 3, MPI_INT, buffer, sizeof buffer, &place);
    assert(place == 12 && buffer[3] == 1);
    place = 0;
    MPI_Unpack_external("external32", buffer, sizeof buffer, &place, found, 3, MPI_INT);
    assert(found[2] == 3);
    MPI_Pack(numbers, 2, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
    position = 0;
    MPI_Unpack(buffer, sizeof buffer, &position, found, 2, MPI_INT, MPI_COMM_WORLD);
    assert(found[1] == 2);
}

static void use_statuses(void) {
    MPI_Status status;
    MPI_Fint fortran[MPI_F_STATUS_SIZE];
    MPI_Count many;
    int count, flag;
    memset(&status, 0, sizeof status);
    MPI_Status_set_elements(&status, MPI_INT, 5);
    MPI_Get_count(&status, MPI_INT, &count);
    assert(count == 5);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    assert(count == MPI_UNDEFINED);
    MPI_Status_set_elements_x(&status, MPI_BYTE, (MPI_Count)1 << 33);
    MPI_Get_elements_x(&status, MPI_INT, &many);
    assert(many == (MPI_Count)1 << 31);
    MPI_Status_set_cancelled(&status, 1);
    MPI_Test_cancelled(&status, &flag);
    assert(flag);
    MPI_Status_c2f(&status, fortran);
    memset(&status, 0, sizeof status);
    MPI_Status_f2c(fortran, &status);
    MPI_Test_cancelled(&status, &flag);
    assert(flag);
}

static void use_info(void) {
    MPI_Info info, copied_info;
    char value[20], key[MPI_MAX_INFO_KEY];
    int flag, count, length;
    MPI_Info_create(&info);
    MPI_Info_set(info, "host", "here");
    MPI_Info_dup(info, &copied_info);
    MPI_Info_delete(info, "host");
    MPI_Info_get_nkeys(info, &count);
    assert(count == 0);
    MPI_Info_get(copied_info, "host", 19, value, &flag);
    assert(flag && !strcmp(value, "here"));
    MPI_Info_get_valuelen(copied_info, "host", &length, &flag);
    MPI_Info_get_nthkey(copied_info, 0, key);
    assert(flag && length == 4 && !strcmp(key, "host"));
    MPI_Comm_set_info(MPI_COMM_WORLD, copied_info);
    MPI_Info_free(&info);
    MPI_Comm_get_info(MPI_COMM_WORLD, &info);
    MPI_Info_free(&info);
    MPI_Info_free(&copied_info);
}

static void use_error_codes(void) {
    int class, code, found, length, *last, flag;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "of ours");
    MPI_Error_class(code, &found);
    MPI_Error_string(code, text, &length);
    assert(found == class && strstr(text, "of ours"));
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    assert(flag && *last >= class);
}

static void use_operators(void) {
    int a[2] = {1, 2}, b[2] = {10, 20}, commutes;
    MPI_Reduce_local(a, b, 2, MPI_INT, MPI_SUM);
    assert(b[0] == 11 && b[1] == 22);
    MPI_Op_commutative(MPI_SUM, &commutes);
    assert(commutes);
}

/* A type of absolute addresses, with MPI_BOTTOM. */
static void send_from_anywhere(int rank) {
    int a = rank, b = rank + 10, lengths[2] = {1, 1}, received[2];
    MPI_Aint places[2];
    MPI_Datatype both;
    MPI_Request request;
    MPI_Get_address(&a, &places[0]);
    MPI_Get_address(&b, &places[1]);
    assert(MPI_Aint_add(places[0], MPI_Aint_diff(places[1], places[0])) == places[1]);
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &both);
    MPI_Type_commit(&both);
    MPI_Isend(MPI_BOTTOM, 1, both, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(received, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    assert(received[0] == 1 - rank && received[1] == 11 - rank);
    MPI_Sendrecv(received, 2, MPI_INT, 1 - rank, 1, MPI_BOTTOM, 1, both, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(a == rank && b == rank + 10);
    MPI_Bcast(MPI_BOTTOM, 1, both, 0, MPI_COMM_WORLD);
    assert(a == 0 && b == 10);
    MPI_Type_free(&both);
}

static void use_the_rest(void) {
    int flag, provided, number;
    void *memory;
    MPI_Alloc_mem(100, MPI_INFO_NULL, &memory);
    memset(memory, 1, 100);
    MPI_Free_mem(memory);
    MPI_Is_thread_main(&flag);
    MPI_Query_thread(&provided);
    assert(flag && provided == MPI_THREAD_SERIALIZED);
    MPI_Pcontrol(1);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_num(&number);
    MPI_T_pvar_get_num(&number);
    MPI_T_finalize();
    int keyval;
    MPI_Errhandler handler;
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyval, NULL);
    MPI_Win_free_keyval(&keyval);
    MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
    assert(handler == MPI_ERRORS_RETURN);
}

int main(int argc, char **argv) {
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make_types();
    use_attributes_and_names();
    pack();
    use_statuses();
    use_info();
    use_error_codes();
    use_operators();
    send_from_anywhere(rank);
    use_the_rest();
    MPI_Finalize();
    return 0;
}
