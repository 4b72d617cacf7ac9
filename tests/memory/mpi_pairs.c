/* Histories of MPI objects: handles are numbered by what is alive, and what is freed leaves nothing. */
#include "tests/memory/histories.h"

#include <mpi.h>
#include <string.h>

static void make_type(void) {
    MPI_Datatype type;
    MPI_Type_vector(3, 2, 5, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&type);
}
static void make_two_types(void) {
    MPI_Datatype first, second;
    MPI_Type_contiguous(7, MPI_INT, &first);
    MPI_Type_vector(3, 1, 5, MPI_INT, &second);
    MPI_Type_commit(&second);
    MPI_Type_free(&second);
    MPI_Type_free(&first);
}
static void add(void *in, void *inout, int *length, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}
static MPI_Op kept_operator;
static void make_and_free(const int order[3]) {
    MPI_Op operator[3];
    for (int i = 0; i < 3; i++)
        MPI_Op_create(add, 1, &operator[i]);
    for (int i = 0; i < 3; i++)
        MPI_Op_free(&operator[order[i]]);
    MPI_Op_create(add, 1, &kept_operator);
}
static void free_forwards(void) { make_and_free((int[]){0, 1, 2}); }
static void free_backwards(void) { make_and_free((int[]){2, 0, 1}); }

static MPI_Datatype kept_type;
static void keep_type(void) {
    MPI_Type_contiguous(7, MPI_INT, &kept_type);
    MPI_Type_commit(&kept_type);
}

static void pack(void) {
    char packed[100];
    double value[3] = {1, 2, 3};
    int at = 0;
    MPI_Pack(value, 3, MPI_DOUBLE, packed, sizeof packed, &at, MPI_COMM_SELF);
    at = 0;
    MPI_Unpack(packed, sizeof packed, &at, value, 3, MPI_DOUBLE, MPI_COMM_SELF);
}

static void make_operator(void) {
    MPI_Op operator;
    MPI_Op_create(add, 1, &operator);
    MPI_Op_free(&operator);
}
static void use_operator(void) {
    int mine = 3, all = 4;
    MPI_Op operator;
    MPI_Op_create(add, 1, &operator);
    MPI_Reduce_local(&mine, &all, 1, MPI_INT, operator);
    MPI_Op_free(&operator);
}

static void make_group(void) {
    MPI_Group all, some;
    int ranks[2] = {2, 0};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, ranks, &some);
    MPI_Group_free(&all);
    MPI_Group_free(&some);
}
static void make_info_of(const char *key) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, key, "value");
    MPI_Info_free(&info);
}
static void make_info(void) { make_info_of("key"); }
static void make_other_info(void) { make_info_of("other"); }
static void make_keyval(void) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);
}
static void read_attribute(void) {
    int *value, found;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
}
static void error_text(void) {
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(MPI_ERR_TRUNCATE, text, &length);
}
static void names(void) {
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    MPI_Type_get_name(MPI_INT, name, &length);
    char processor[MPI_MAX_PROCESSOR_NAME];
    MPI_Get_processor_name(processor, &length);
    MPI_Get_library_version((char[MPI_MAX_LIBRARY_VERSION_STRING]){0}, &length);
}

/* Messages to oneself on MPI_COMM_SELF: requests are made and completed in two orders. */
static void complete_in_order(const int order[2]) {
    int in[2] = {0}, out[2] = {1, 2};
    MPI_Request receive[2], send[2];
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &receive[i]);
    for (int i = 0; i < 2; i++)
        MPI_Isend(&out[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &send[i]);
    MPI_Waitall(2, send, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Wait(&receive[order[i]], MPI_STATUS_IGNORE);
}
static void complete_forwards(void) { complete_in_order((int[]){0, 1}); }
static void complete_backwards(void) { complete_in_order((int[]){1, 0}); }

static void persistent(void) {
    MPI_Request request;
    static int buffer;
    MPI_Recv_init(&buffer, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request);
    MPI_Request_free(&request);
}

/* What a request has told is not kept with it. */
static MPI_Request kept_request;
static void complete_persistent(int tag) {
    static int buffer;
    const int sent = 0;
    MPI_Recv_init(&buffer, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, &kept_request);
    MPI_Start(&kept_request);
    MPI_Send(&sent, 1, MPI_INT, 0, tag, MPI_COMM_SELF);
    MPI_Wait(&kept_request, MPI_STATUS_IGNORE);
}
static void complete_first(void) { complete_persistent(6); }
static void complete_second(void) { complete_persistent(7); }

static MPI_Request pending;
static void make_persistent(void) {
    static int buffer;
    MPI_Recv_init(&buffer, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &pending);
}

static char status_of(const int *value) {
    MPI_Status status;
    int count;
    memset(&status, 0x44, sizeof status);
    MPI_Sendrecv(value, 1, MPI_INT, 0, 3, &count, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    return (char)count;
}
static void status_fields(void) {
    static int one;
    status_of(&one);
}

static void duplicate(void) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm_free(&copy);
}

const struct pair mpi_pairs[] = {
    {"type_made_and_freed", SAME, make_type, NULL},
    {"types_made_and_freed", SAME, make_two_types, make_type},
    {"operators_freed_in_two_orders", SAME, free_forwards, free_backwards},
    {"type_kept", DIFFERENT, keep_type, NULL},
    {"packed", SAME, pack, NULL},
    {"operator_made_and_freed", SAME, make_operator, NULL},
    {"operator_used", SAME, use_operator, make_operator},
    {"group_made_and_freed", SAME, make_group, NULL},
    {"info_made_and_freed", SAME, make_info, make_other_info},
    {"attribute_made_and_freed", SAME, make_keyval, NULL},
    {"attribute_read", SAME, read_attribute, NULL},
    {"mpi_error_text", SAME, error_text, NULL},
    {"mpi_names", SAME, names, NULL},
    {"requests_in_two_orders", SAME, complete_forwards, complete_backwards},
    {"request_persistent_freed", SAME, persistent, NULL},
    {"request_persistent", DIFFERENT, make_persistent, NULL},
    {"request_persistent_complete", SAME, complete_first, complete_second},
    {"status_read", SAME, status_fields, NULL},
    /* How many communicators were made of one goes into the names of the next ones: the other members count too. */
    {"communicator_duplicated", DIFFERENT, duplicate, NULL},
    {0},
};
