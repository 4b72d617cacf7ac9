/* explore: ranks=4 verdict=race-free args=sorted */
/* explore: ranks=3 verdict=found class=race-output args=arrival */
/* explore: ranks=3 verdict=race-free args=errors */
/* explore: ranks=2 verdict=found class=handle-leak args=released */
/* A pipeline as C++ writes it: handles owned by objects, a datatype made of a struct's members, an operator that is a lambda, errors that
 * are thrown by an error handler's caller, text built by streams, and an object that lives before main and ends what is left. "arrival"
 * prints items as they come; "released" gives up a datatype without freeing it. */
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iomanip>
#include <iostream>
#include <mpi.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Item {
    double weight;
    int owner;
    char label[8];
};

class Error : public std::runtime_error {
  public:
    explicit Error(int code) : std::runtime_error("MPI error"), code_(code) {}
    int kind() const {
        int kind = 0;
        MPI_Error_class(code_, &kind);
        return kind;
    }

  private:
    int code_;
};

void check(int code) {
    if (code != MPI_SUCCESS)
        throw Error(code);
}

class Type {
  public:
    Type() {
        const int lengths[] = {1, 1, 8};
        const MPI_Aint places[] = {offsetof(Item, weight), offsetof(Item, owner), offsetof(Item, label)};
        const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
        MPI_Datatype packed;
        check(MPI_Type_create_struct(3, lengths, places, types, &packed));
        check(MPI_Type_create_resized(packed, 0, sizeof(Item), &type_));
        check(MPI_Type_commit(&type_));
        check(MPI_Type_free(&packed));
    }
    Type(const Type &) = delete;
    Type &operator=(const Type &) = delete;
    ~Type() {
        if (type_ != MPI_DATATYPE_NULL)
            MPI_Type_free(&type_);
    }
    MPI_Datatype release() { return std::exchange(type_, MPI_DATATYPE_NULL); }
    operator MPI_Datatype() const { return type_; }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

struct Journal {
    std::ostringstream text;
    ~Journal() { std::cout << text.str(); }
};
Journal journal;

Item item_of(int rank) {
    Item item = {};
    item.weight = 1.0 / (rank + 1);
    item.owner = rank;
    std::string("item").copy(item.label, sizeof item.label - 1);
    return item;
}

void collect(int rank, int ranks, bool sorted) {
    Type type;
    Item own = item_of(rank);
    if (rank != 0) {
        check(MPI_Send(&own, 1, type, 0, 1, MPI_COMM_WORLD));
        return;
    }
    std::vector<Item> items(static_cast<size_t>(ranks - 1));
    std::vector<MPI_Request> requests(items.size());
    for (size_t i = 0; i < items.size(); i++)
        check(MPI_Irecv(&items[i], 1, type, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[i]));
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    if (sorted)
        std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) { return a.owner < b.owner; });
    for (const Item &item : items)
        journal.text << item.label << ' ' << item.owner << ' ' << std::fixed << std::setprecision(3) << item.weight << '\n';
}

void heaviest(int rank) {
    Type type;
    MPI_Op op;
    auto choose = [](void *in, void *out, int *count, MPI_Datatype *) {
        for (int i = 0; i < *count; i++)
            if (static_cast<Item *>(in)[i].weight > static_cast<Item *>(out)[i].weight)
                static_cast<Item *>(out)[i] = static_cast<Item *>(in)[i];
    };
    check(MPI_Op_create(choose, 1, &op));
    Item own = item_of(rank), best = {};
    check(MPI_Allreduce(&own, &best, 1, type, op, MPI_COMM_WORLD));
    check(MPI_Op_free(&op));
    if (best.owner != 0)
        throw std::logic_error("not the heaviest");
}

void fail(int ranks) {
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    const std::vector<std::pair<int, std::function<int()>>> attempts = {
        {MPI_ERR_RANK, [=] { return MPI_Send(nullptr, 0, MPI_INT, ranks, 0, MPI_COMM_WORLD); }},
        {MPI_ERR_TAG, [] { return MPI_Send(nullptr, 0, MPI_INT, 0, -7, MPI_COMM_WORLD); }},
        {MPI_ERR_ROOT, [=] { return MPI_Bcast(nullptr, 0, MPI_INT, ranks, MPI_COMM_WORLD); }},
    };
    for (const auto &attempt : attempts) {
        try {
            check(attempt.second());
            throw std::logic_error("no error");
        } catch (const Error &error) {
            if (error.kind() != attempt.first)
                throw std::logic_error("another error");
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    const std::string mode = argc > 1 ? argv[1] : "sorted";
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (mode == "released")
        Type().release();
    if (mode == "errors")
        fail(ranks);
    collect(rank, ranks, mode != "arrival");
    heaviest(rank);
    MPI_Finalize();
}
