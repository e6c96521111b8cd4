// Tests counts, displacements and extents whose products pass 2^31 and 2^63, for items without data: the
// calls move and touch no byte, and no rank waits in vain.
#include <algorithm>
#include <climits>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

using namespace strata::testing;

namespace {

constexpr std::size_t guarded_bytes = 256;
constexpr MPI_Aint far = MPI_Aint{1} << 40;

void take_nothing(void*, void*, int*, MPI_Datatype*) {}

class Limits {
public:
    Limits(Session& session, MPI_Datatype type, int count, int reduced, std::string what)
        : session_(session),
          type_(type),
          count_(count),
          reduced_(std::min(count, reduced)),
          what_(std::move(what)),
          counts_(static_cast<std::size_t>(session.size()), count),
          displacements_(counts_.size(), INT_MAX) {
        MPI_Op_create(take_nothing, 1, &op_);
        fill_pattern(mine_, sizeof mine_, key_);
        fill_pattern(all_, sizeof all_, key_);
    }
    Limits(const Limits&) = delete;
    Limits& operator=(const Limits&) = delete;
    ~Limits() { MPI_Op_free(&op_); }

    void all() {
        for (const int root : {0, session_.size() - 1}) rooted(root, session_.rank() == root);
        call("Allreduce", [&] { MPI_Allreduce(mine_, all_, reduced_, type_, op_, MPI_COMM_WORLD); });
        call("Allreduce in place",
             [&] { MPI_Allreduce(MPI_IN_PLACE, all_, reduced_, type_, op_, MPI_COMM_WORLD); });
        call("Allgather", [&] { MPI_Allgather(mine_, count_, type_, all_, count_, type_, MPI_COMM_WORLD); });
        call("Allgather in place",
             [&] { MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_, count_, type_, MPI_COMM_WORLD); });
        call("Allgatherv", [&] {
            MPI_Allgatherv(mine_, count_, type_, all_, counts_.data(), displacements_.data(), type_,
                           MPI_COMM_WORLD);
        });
        call("Barrier", [] { MPI_Barrier(MPI_COMM_WORLD); });
    }

private:
    void rooted(int root, bool here) {
        void* const in_place = here ? MPI_IN_PLACE : static_cast<void*>(mine_);
        call("Bcast", [&] { MPI_Bcast(mine_, count_, type_, root, MPI_COMM_WORLD); });
        call("Reduce", [&] { MPI_Reduce(mine_, all_, reduced_, type_, op_, root, MPI_COMM_WORLD); });
        call("Reduce in place",
             [&] { MPI_Reduce(in_place, all_, reduced_, type_, op_, root, MPI_COMM_WORLD); });
        call("Gather", [&] { MPI_Gather(mine_, count_, type_, all_, count_, type_, root, MPI_COMM_WORLD); });
        call("Gather in place",
             [&] { MPI_Gather(in_place, count_, type_, all_, count_, type_, root, MPI_COMM_WORLD); });
        call("Gatherv", [&] {
            MPI_Gatherv(mine_, count_, type_, all_, counts_.data(), displacements_.data(), type_, root,
                        MPI_COMM_WORLD);
        });
        call("Scatter",
             [&] { MPI_Scatter(all_, count_, type_, mine_, count_, type_, root, MPI_COMM_WORLD); });
        call("Scatter in place",
             [&] { MPI_Scatter(all_, count_, type_, in_place, count_, type_, root, MPI_COMM_WORLD); });
        call("Scatterv", [&] {
            MPI_Scatterv(all_, counts_.data(), displacements_.data(), type_, mine_, count_, type_, root,
                         MPI_COMM_WORLD);
        });
    }

    template <class Call>
    void call(const char* name, const Call& call) {
        session_.at("%s of %d %s", name, count_, what_.c_str());
        call();
        session_.expect_pattern(mine_, sizeof mine_, key_);
        session_.expect_pattern(all_, sizeof all_, key_);
    }

    Session& session_;
    MPI_Datatype type_;
    int count_;
    int reduced_;
    std::string what_;
    std::vector<int> counts_;
    std::vector<int> displacements_;
    MPI_Op op_ = MPI_OP_NULL;
    const std::uint64_t key_ = mix(session_.seed());
    std::uint8_t mine_[guarded_bytes];
    std::uint8_t all_[guarded_bytes];
};

MPI_Datatype empty_type(MPI_Aint extent) {
    MPI_Datatype none = MPI_DATATYPE_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &none);
    MPI_Type_create_resized(none, 0, extent, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&none);
    return type;
}

/// One rank sends an int; all others send nothing and pass invalid addresses.
void one_of_many(Session& session) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_INT, 0, far, &type);
    MPI_Type_commit(&type);
    const auto ranks = static_cast<std::size_t>(session.size());
    const int speaker = session.size() - 1;
    std::vector<int> counts(ranks, 0);
    std::vector<int> displacements(ranks, INT_MAX);
    counts.back() = 1;
    displacements.back() = 0;
    const int own = session.rank() == speaker ? 1 : 0;
    const auto expect = [&](int got, bool here) {
        if (here && session.sabotages("result")) got += 1;
        if (here && got != 42) session.fail("expected 42, got %d", got);
    };
    for (const int root : {0, speaker}) {
        int sent = 42;
        int got = 0;
        session.at("Gatherv of one int among none, root %d", root);
        MPI_Gatherv(&sent, own, type, &got, counts.data(), displacements.data(), type, root, MPI_COMM_WORLD);
        expect(got, session.rank() == root);
        session.at("Scatterv of one int among none, root %d", root);
        got = 0;
        MPI_Scatterv(&sent, counts.data(), displacements.data(), type, &got, own, type, root, MPI_COMM_WORLD);
        expect(got, session.rank() == speaker);
    }
    int sent = 42;
    int got = 0;
    session.at("Allgatherv of one int among none");
    MPI_Allgatherv(&sent, own, type, &got, counts.data(), displacements.data(), type, MPI_COMM_WORLD);
    expect(got, true);
    MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const int reduced = static_cast<int>(session.number("--reduced", INT_MAX));
    session.reject_other_arguments();
    for (const MPI_Aint extent : {MPI_Aint{0}, MPI_Aint{4}, far}) {
        MPI_Datatype type = empty_type(extent);
        for (const int count : {INT_MAX, INT_MAX / 2 + 1, 0}) {
            Limits(session, type, count, reduced, "items without data, " + std::to_string(extent) + " apart")
                .all();
        }
        MPI_Type_free(&type);
    }
    one_of_many(session);
    return session.finish();
}
