/* The mistakes. Each spoils one argument. */
#include "rules.h"

#include <limits.h>
#include <stddef.h>

static void null_communicator(struct arguments *with) { with->communicator = MPI_COMM_NULL; }

static void freed_communicator(struct arguments *with) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    with->communicator = copy;
    MPI_Comm_free(&copy);
}

static void negative_count(struct arguments *with) { with->count = -1; }
static void null_type(struct arguments *with) { with->type = MPI_DATATYPE_NULL; }
static void uncommitted_type(struct arguments *with) { MPI_Type_contiguous(1, MPI_INT, &with->type); }

static void freed_type(struct arguments *with) {
    MPI_Datatype type;
    MPI_Type_contiguous(1, MPI_INT, &type);
    MPI_Type_commit(&type);
    with->type = type;
    MPI_Type_free(&type);
}

static void null_buffer(struct arguments *with) { with->buffer = NULL; }
static void large_peer(struct arguments *with) { with->peer = 2; }
static void negative_peer(struct arguments *with) { with->peer = -7; }
static void any_destination(struct arguments *with) { with->peer = MPI_ANY_SOURCE; }
static void negative_tag(struct arguments *with) { with->tag = -7; }
static void any_tag(struct arguments *with) { with->tag = MPI_ANY_TAG; }
static void large_tag(struct arguments *with) { with->tag = INT_MAX; }
static void in_place(struct arguments *with) { with->buffer = MPI_IN_PLACE; }
static void null_operator(struct arguments *with) { with->op = MPI_OP_NULL; }
static void undefined_operation(struct arguments *with) { with->op = MPI_MINLOC; }

static void combine(void *in, void *out, int *count, MPI_Datatype *type) { (void)in, (void)out, (void)count, (void)type; }

static void freed_operator(struct arguments *with) {
    MPI_Op op;
    MPI_Op_create(combine, 1, &op);
    with->op = op;
    MPI_Op_free(&op);
}

static void same_buffer(struct arguments *with) { with->other = with->buffer; }
static void other_type(struct arguments *with) { with->type = MPI_FLOAT; }
static void unknown_request(struct arguments *with) { with->request = (MPI_Request)0x12345678; }
static void no_place(struct arguments *with) { with->no_place = true; }
static void null_request(struct arguments *with) { with->request = MPI_REQUEST_NULL; }
static void freed_info(struct arguments *with) {
    MPI_Info info;
    MPI_Info_create(&info);
    with->info = info;
    MPI_Info_free(&info);
}

static void negative_color(struct arguments *with) { with->count = -5; }

static void null_window(struct arguments *with) { with->window = MPI_WIN_NULL; }

static void freed_window(struct arguments *with) {
    MPI_Win window;
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
    with->window = window;
    MPI_Win_free(&window);
}

static void released_locks(struct arguments *with) { MPI_Win_unlock_all(with->window); }
static void far_displacement(struct arguments *with) { with->displacement = ELEMENTS; }
static void negative_displacement(struct arguments *with) { with->displacement = -1; }
static void own_operator(struct arguments *with) { MPI_Op_create(combine, 1, &with->op); }
static void unknown_assertion(struct arguments *with) { with->assertion = 1 << 30; }
static void unknown_lock(struct arguments *with) { with->lock = 1; }
static void locked_twice(struct arguments *with) { MPI_Win_lock(MPI_LOCK_SHARED, with->peer, 0, with->window); }
static void real_numbers(struct arguments *with) { with->type = MPI_FLOAT; }

static void changed_while_pending(struct arguments *with) { with->meanwhile = CHANGES; }
static void read_while_pending(struct arguments *with) { with->meanwhile = READS; }
static void sent_while_pending(struct arguments *with) { with->meanwhile = SENDS_GIVEN; }
static void sent_before_taken(struct arguments *with) { with->meanwhile = SENDS_TAKEN; }
static void received_into_given(struct arguments *with) { with->meanwhile = RECEIVES_GIVEN; }
static void received_into_taken(struct arguments *with) { with->meanwhile = RECEIVES_TAKEN; }
static void never_completed(struct arguments *with) { with->meanwhile = FORGETS; }

/* --- what ranks must agree on --- */

static void other_root(struct arguments *with) { with->peer = 1; }
static void other_operator(struct arguments *with) { with->op = MPI_MAX; }
static void other_count(struct arguments *with) { with->count = 2; }
static void other_tag(struct arguments *with) { with->tag++; }
static void do_nothing(struct arguments *with) { (void)with; }
static void left_out(struct arguments *with) { with->instead = do_nothing; }

/* What one family calls at most. */
static void split(struct arguments *with) {
    int between_groups;
    MPI_Comm part;
    MPI_Comm_test_inter(with->communicator, &between_groups);
    if (between_groups)
        MPI_Comm_create(with->communicator, MPI_GROUP_EMPTY, &part);
    else
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
}
static void other_call(struct arguments *with) { with->instead = split; }
static void made_twice(struct arguments *with) { with->twice = true; }
static void synchronise(struct arguments *with) { MPI_File_sync(with->file); }
static void sync_instead(struct arguments *with) { with->instead = synchronise; }
static void seek(struct arguments *with) { MPI_File_seek_shared(with->file, 0, MPI_SEEK_SET); }
static void seek_instead(struct arguments *with) { with->instead = seek; }
static void no_room(struct arguments *with) { with->count = 0; }

static void kept_buffer(struct arguments *with) {
    with->twice = true;
    with->keeps = true;
}

static void send_another(struct arguments *with) { MPI_Send(with->other, 1, with->type, 0, with->tag, with->communicator); }
static void never_received(struct arguments *with) { with->after = send_another; }

static void too_long(struct arguments *with) {
    static int numbers[ELEMENTS + 1];
    with->buffer = numbers;
    with->count = ELEMENTS + 1;
}

static void never_freed(struct arguments *with) { with->keeps = true; }

/* --- accesses that meet --- */

static void put(struct arguments *with) { MPI_Put(with->other, 1, MPI_INT, 1, 0, 1, MPI_INT, with->window); }
static void met_by_put(struct arguments *with) { with->after = put; }
static volatile int seen;
static void load(struct arguments *with) { seen = with->other[0]; }
static void owner_loads(struct arguments *with) { with->after = load; }
static void store(struct arguments *with) { *(volatile int *)with->other = 7; }
static void owner_stores(struct arguments *with) { with->after = store; }

#define OWNER_ACCESSES(name, call)                        \
    static void name##_in_epoch(struct arguments *with) { \
        lock(with->window);                               \
        call;                                             \
        MPI_Win_unlock(1, with->window);                  \
    }                                                     \
    static void name(struct arguments *with) { with->after = name##_in_epoch; }
#define ELEMENT with->buffer, 1, MPI_INT, 1, 0, 1, MPI_INT
OWNER_ACCESSES(owner_gets, MPI_Get(ELEMENT, with->window))
OWNER_ACCESSES(owner_puts, MPI_Put(ELEMENT, with->window))
OWNER_ACCESSES(owner_adds, MPI_Accumulate(ELEMENT, MPI_SUM, with->window))

/* --- objects --- */

static void null_group(struct arguments *with) { with->group = MPI_GROUP_NULL; }
static void freed_group(struct arguments *with) {
    MPI_Group group = with->group;
    MPI_Group_free(&group);
}
static void null_info(struct arguments *with) { with->info = MPI_INFO_NULL; }
static void null_file(struct arguments *with) { with->file = MPI_FILE_NULL; }
static void closed_file(struct arguments *with) {
    MPI_File file = with->file;
    MPI_File_close(&file);
}
static void no_topology(struct arguments *with) { with->communicator = MPI_COMM_WORLD; }

/* --- epochs --- */

static void never_begun(struct arguments *with) { with->begins = 0; }
static void begun_twice(struct arguments *with) { with->begins = 2; }
static void never_ended(struct arguments *with) { with->ends = 0; }
static void ended_twice(struct arguments *with) { with->ends = 2; }
static void fence_within(struct arguments *with) { with->within = fence; }
static void lock_within(struct arguments *with) { with->within = lock; }
static void lock_all_within(struct arguments *with) { with->within = lock_all; }
static void start(MPI_Win window) { MPI_Win_start(MPI_GROUP_EMPTY, 0, window); }
static void start_within(struct arguments *with) { with->within = start; }

#define MISTAKE(name, needs) \
    { #name, needs, "invalid-argument", name, NULL, false }

const struct mistake mistakes[] = {
    MISTAKE(null_communicator, HAS_COMMUNICATOR),
    MISTAKE(freed_communicator, HAS_COMMUNICATOR),
    MISTAKE(negative_count, HAS_COUNT),
    MISTAKE(null_type, HAS_TYPE),
    MISTAKE(freed_type, HAS_TYPE),
    MISTAKE(null_type, HAS_OLD_TYPE),
    MISTAKE(freed_type, HAS_OLD_TYPE),
    MISTAKE(uncommitted_type, HAS_TYPE),
    MISTAKE(null_buffer, HAS_BUFFER),
    MISTAKE(large_peer, HAS_PEER),
    MISTAKE(negative_peer, HAS_PEER),
    MISTAKE(any_destination, HAS_SEND),
    MISTAKE(negative_tag, HAS_PEER),
    MISTAKE(any_tag, HAS_SEND),
    MISTAKE(large_tag, HAS_PEER),
    MISTAKE(in_place, HAS_PEER | HAS_BUFFER),
    MISTAKE(in_place, IS_ACROSS | HAS_BUFFER),
    MISTAKE(large_peer, HAS_ROOT),
    MISTAKE(negative_peer, HAS_ROOT),
    MISTAKE(null_group, HAS_GROUP),
    MISTAKE(freed_group, HAS_GROUP),
    MISTAKE(null_info, HAS_INFO_OBJECT),
    MISTAKE(freed_info, HAS_INFO_OBJECT),
    MISTAKE(null_file, HAS_FILE),
    MISTAKE(closed_file, HAS_FILE),
    MISTAKE(closed_file, HAS_FILE_OR_DEFAULT),
    MISTAKE(no_topology, HAS_GRID),
    MISTAKE(no_topology, HAS_GRAPH),
    MISTAKE(null_communicator, HAS_GRID),
    MISTAKE(null_communicator, HAS_GRAPH),
    MISTAKE(large_peer, HAS_MEMBER),
    MISTAKE(negative_peer, HAS_MEMBER),
    MISTAKE(null_operator, HAS_OPERATOR_OBJECT),
    MISTAKE(freed_operator, HAS_OPERATOR_OBJECT),
    MISTAKE(null_operator, HAS_OPERATOR),
    MISTAKE(undefined_operation, HAS_OPERATOR),
    MISTAKE(freed_operator, HAS_OPERATOR),
    MISTAKE(same_buffer, HAS_TWO_BUFFERS),
    {"other_type", HAS_MATCHED_TYPE, "type-mismatch", other_type, NULL, false},
    {"other_type", HAS_AGREED_TYPE, "type-mismatch", other_type, NULL, false},
    MISTAKE(unknown_request, HAS_REQUEST),
    MISTAKE(no_place, HAS_NEW_REQUEST),
    MISTAKE(null_request, HAS_NO_NULL),
    MISTAKE(negative_color, HAS_COLOR),
    MISTAKE(freed_info, HAS_INFO),
    MISTAKE(null_window, HAS_WINDOW),
    MISTAKE(freed_window, HAS_WINDOW),
    MISTAKE(large_peer, HAS_TARGET),
    MISTAKE(negative_peer, HAS_TARGET),
    MISTAKE(any_destination, HAS_TARGET),
    MISTAKE(in_place, HAS_TARGET | HAS_BUFFER),
    MISTAKE(own_operator, HAS_TARGET | HAS_OPERATOR),
    MISTAKE(far_displacement, HAS_DISPLACEMENT),
    MISTAKE(negative_displacement, HAS_DISPLACEMENT),
    MISTAKE(unknown_assertion, HAS_ASSERTION),
    MISTAKE(unknown_lock, HAS_LOCK_TYPE),
    MISTAKE(real_numbers, HAS_INTEGERS),
    {"released_locks", HAS_LOCKS, "rma-epoch", released_locks, NULL, false},
    {"locked_twice", HAS_UNLOCKED, "rma-epoch", locked_twice, NULL, false},
    {"changed_while_pending", HAS_GIVEN, "buffer-in-use", changed_while_pending, NULL, false},
    {"read_while_pending", HAS_TAKEN, "buffer-in-use", read_while_pending, NULL, false},
    {"sent_while_pending", HAS_GIVEN, "race-free", sent_while_pending, NULL, false}, /* MPI-3.1 section 3.7.2: it may be read */
    {"sent_before_taken", HAS_TAKEN, "buffer-in-use", sent_before_taken, NULL, false},
    {"received_into_given", HAS_GIVEN, "buffer-in-use", received_into_given, NULL, false},
    {"received_into_taken", HAS_TAKEN, "buffer-in-use", received_into_taken, NULL, false},
    {"made_twice", HAS_READY, "invalid-argument", made_twice, NULL, false},
    {"made_twice", HAS_POLLING, "livelock", made_twice, NULL, false},
    {"made_twice", IS_SEND, "deadlock", made_twice, NULL, false},
    {"made_twice", IS_RECEIVE, "deadlock", made_twice, NULL, false},
    {"made_twice", IS_COLLECTIVE, "deadlock", made_twice, NULL, false},
    {"other_root", IS_ACROSS | HAS_ROOT, "invalid-argument", other_root, NULL, false}, /* the other group has one rank */
    {"other_root", HAS_ROOT, "collective-mismatch", other_root, "race-free", false},
    {"other_operator", IS_COLLECTIVE | HAS_OPERATOR, "collective-mismatch", other_operator, "race-free", false},
    {"left_out", IS_COLLECTIVE, "deadlock", left_out, NULL, false},
    {"left_out", IS_SEND, "deadlock", left_out, NULL, false},
    {"left_out", IS_RECEIVE, "deadlock", left_out, NULL, false},
    {"other_count", IS_COLLECTIVE | HAS_COUNT | HAS_TYPE, "collective-mismatch", other_count, NULL, false},
    {"other_call", IS_ACROSS | IS_COLLECTIVE, "collective-mismatch", other_call, NULL, false},
    {"other_call", IS_COLLECTIVE | HAS_OTHER_CALL, "race-free", other_call, NULL, false},
    {"other_call", HAS_OWN_WAY, "deadlock", other_call, NULL, false},
    {"other_call", IS_COLLECTIVE, "collective-mismatch", other_call, NULL, false},
    {"other_count", HAS_VALUE, "collective-mismatch", other_count, "race-free", false},
    {"left_out", HAS_COMMON_FILE, "collective-mismatch", left_out, NULL, false}, /* it calls MPI_File_close instead */
    {"made_twice", HAS_COMMON_FILE, "collective-mismatch", made_twice, NULL, false},
    {"sync_instead", HAS_COMMON_FILE | HAS_OTHER_CALL, "race-free", sync_instead, NULL, false},
    {"sync_instead", HAS_COMMON_FILE, "collective-mismatch", sync_instead, NULL, false},
    {"seek_instead", HAS_COMMON_FILE, "collective-mismatch", seek_instead, NULL, false},
    {"other_tag", HAS_READY, "invalid-argument", other_tag, "race-free", false},
    {"other_tag", HAS_POLLING, "livelock", other_tag, "race-free", false},
    {"other_tag", IS_SEND | HAS_PEER, "deadlock", other_tag, "race-free", false},
    {"other_tag", IS_RECEIVE | HAS_PEER, "deadlock", other_tag, "race-free", false},
    {"no_room", IS_RECEIVE | HAS_MATCHED_TYPE, "truncation", no_room, NULL, false},
    {"too_long", IS_SEND | HAS_MATCHED_TYPE, "truncation", too_long, NULL, false},
    {"never_received", HAS_BUFFERING, "unreceived-message", made_twice, NULL, false},
    {"never_received", HAS_ATTACHED, "unreceived-message", kept_buffer, NULL, false},
    {"never_received", IS_RECEIVE, "unreceived-message", never_received, NULL, true},
    {"met_by_put", HAS_END, "race-free", met_by_put, NULL, false},
    {"met_by_put", HAS_TARGET | HAS_BUFFER, "rma-conflict", met_by_put, NULL, false},
    {"never_begun", HAS_EPOCH, "rma-epoch", never_begun, NULL, false},
    {"begun_twice", HAS_EPOCH, "rma-epoch", begun_twice, NULL, false},
    {"never_ended", HAS_EPOCH, "rma-epoch", never_ended, NULL, false},
    {"ended_twice", HAS_EPOCH, "rma-epoch", ended_twice, NULL, false},
    {"fence_within", HAS_EPOCH, "rma-epoch", fence_within, NULL, false},
    {"lock_within", HAS_ACCESS_EPOCH, "rma-epoch", lock_within, NULL, false},
    {"lock_within", HAS_FENCES, "rma-epoch", lock_within, NULL, false},
    {"lock_all_within", HAS_ACCESS_EPOCH, "rma-epoch", lock_all_within, NULL, false},
    {"start_within", HAS_ACCESS_EPOCH, "rma-epoch", start_within, NULL, false},
    {"never_begun", HAS_FENCES, "rma-epoch", never_begun, NULL, false},
    {"never_ended", HAS_FENCES, "rma-epoch", never_ended, NULL, false},
    {"begun_twice", HAS_FENCES, "collective-mismatch", begun_twice, "race-free", false},
    {"owner_loads", HAS_LOOK, "race-free", owner_loads, NULL, true},
    {"owner_loads", HAS_ATOMIC, "race-free", owner_loads, NULL, true},
    {"owner_loads", HAS_TARGET | HAS_BUFFER, "rma-conflict", owner_loads, NULL, true},
    {"owner_stores", HAS_TARGET | HAS_BUFFER, "rma-conflict", owner_stores, NULL, true},
    {"owner_gets", HAS_LOOK, "race-free", owner_gets, NULL, true},
    {"owner_gets", HAS_TARGET | HAS_BUFFER, "rma-conflict", owner_gets, NULL, true},
    {"owner_puts", HAS_TARGET | HAS_BUFFER, "rma-conflict", owner_puts, NULL, true},
    {"owner_adds", HAS_ATOMIC, "race-free", owner_adds, NULL, true},
    {"owner_adds", HAS_TARGET | HAS_BUFFER, "rma-conflict", owner_adds, NULL, true},
    {"never_freed", HAS_FREED_BY_ALL, "deadlock", never_freed, "handle-leak", false},
    {"never_freed", HAS_REQUEST_OBJECT, "request-leak", never_freed, NULL, false},
    {"never_freed", HAS_OBJECT, "handle-leak", never_freed, NULL, false},
    {"never_completed", HAS_PENDING, "request-leak", never_completed, NULL, false},
    {"never_completed", HAS_OPEN_FILE, "invalid-argument", never_completed, NULL, false}, /* told when the file is closed */
};
const int mistake_count = sizeof mistakes / sizeof mistakes[0];
