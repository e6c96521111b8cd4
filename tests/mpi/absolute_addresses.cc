// Tests collectives on buffers at MPI_BOTTOM (address zero): items have absolute addresses, the same on all
// ranks. Runs in place wherever MPI allows it.
//
//   absolute_addresses [--reduce]    also Reduce, whose result stock Open MPI loses
#include <sys/mman.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "check.h"

using namespace strata::testing;

namespace {

int* numbers = nullptr;
int count = 0;

int* at(void* base) {
    return reinterpret_cast<int*>(static_cast<char*>(base) + reinterpret_cast<MPI_Aint>(numbers));
}

void add(void* in, void* inout, int* /*items*/, MPI_Datatype* /*type*/) {
    for (int i = 0; i < count; ++i) {
        at(inout)[i] += at(in)[i];
    }
}

/// Items per rank's block.
int value(int rank, int i) { return 1000 * rank + i; }

int* block(int index) { return numbers + static_cast<std::ptrdiff_t>(index) * count; }

void fill(int index, int rank) {
    for (int i = 0; i < count; ++i) {
        block(index)[i] = value(rank, i);
    }
}

/// Runs every collective with blocks of `count` numbers; reductions use block 0.
class Calls {
public:
    explicit Calls(Session& session) : session_(session) {
        MPI_Aint where = 0;
        MPI_Get_address(numbers, &where);
        MPI_Type_create_hindexed(1, &count, &where, MPI_INT, &items_);
        MPI_Type_commit(&items_);
        MPI_Op_create(add, 1, &op_);
        counts_.assign(static_cast<std::size_t>(ranks_), 1);
        places_.resize(counts_.size());
        std::iota(places_.begin(), places_.end(), 0);  // in extents; the extent is one block
    }
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;
    ~Calls() {
        MPI_Op_free(&op_);
        MPI_Type_free(&items_);
    }

    void allreduce() {
        start("allreduce", 0);
        fill(0, rank_);
        MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, 1, items_, op_, MPI_COMM_WORLD);
        block(0)[count - 1] += session_.sabotages("sum") ? 1 : 0;
        expect_sum();
    }
    void reduce(int root) {
        start("reduce", root);
        fill(0, rank_);
        MPI_Reduce(rank_ == root ? MPI_IN_PLACE : MPI_BOTTOM, nullptr, 1, items_, op_, root, MPI_COMM_WORLD);
        rank_ == root ? expect_sum() : expect(0, rank_);
    }
    void bcast(int root) {
        start("bcast", root);
        if (rank_ == root) fill(0, root);
        MPI_Bcast(MPI_BOTTOM, 1, items_, root, MPI_COMM_WORLD);
        expect(0, root);
    }
    void gather(int root) {
        start("gather", root);
        fill(rank_ == root ? root : 0, rank_);
        MPI_Gather(rank_ == root ? MPI_IN_PLACE : MPI_BOTTOM, 1, items_, MPI_BOTTOM, 1, items_, root,
                   MPI_COMM_WORLD);
        rank_ == root ? expect_all() : expect(0, rank_);
    }
    void gatherv(int root) {
        start("gatherv", root);
        fill(rank_ == root ? root : 0, rank_);
        MPI_Gatherv(rank_ == root ? MPI_IN_PLACE : MPI_BOTTOM, 1, items_, MPI_BOTTOM, counts_.data(),
                    places_.data(), items_, root, MPI_COMM_WORLD);
        rank_ == root ? expect_all() : expect(0, rank_);
    }
    void scatter(int root) {
        start("scatter", root);
        if (rank_ == root) fill_all();
        MPI_Scatter(MPI_BOTTOM, 1, items_, rank_ == root ? MPI_IN_PLACE : MPI_BOTTOM, 1, items_, root,
                    MPI_COMM_WORLD);
        rank_ == root ? expect_all() : expect(0, rank_);
    }
    void scatterv(int root) {
        start("scatterv", root);
        if (rank_ == root) fill_all();
        MPI_Scatterv(MPI_BOTTOM, counts_.data(), places_.data(), items_,
                     rank_ == root ? MPI_IN_PLACE : MPI_BOTTOM, 1, items_, root, MPI_COMM_WORLD);
        rank_ == root ? expect_all() : expect(0, rank_);
    }
    void allgather() {
        start("allgather", 0);
        fill(rank_, rank_);
        MPI_Allgather(MPI_IN_PLACE, 1, items_, MPI_BOTTOM, 1, items_, MPI_COMM_WORLD);
        expect_all();
    }
    void allgatherv() {
        start("allgatherv", 0);
        fill(rank_, rank_);
        MPI_Allgatherv(MPI_IN_PLACE, 1, items_, MPI_BOTTOM, counts_.data(), places_.data(), items_,
                       MPI_COMM_WORLD);
        expect_all();
    }

private:
    void start(const char* what, int root) {
        what_ = what;
        session_.at("%s of %d numbers, root %d", what, count, root);
        std::fill(numbers, block(ranks_), -1);
    }
    void fill_all() const {
        for (int rank = 0; rank < ranks_; ++rank) fill(rank, rank);
    }
    void expect(int index, int rank) {
        numbers[0] += session_.sabotages("block") ? 1 : 0;
        for (int i = 0; i < count; ++i) {
            if (block(index)[i] == value(rank, i)) continue;
            return session_.fail("%s: number %d of block %d is %d", what_, i, index, block(index)[i]);
        }
    }
    void expect_all() {
        for (int rank = 0; rank < ranks_; ++rank) expect(rank, rank);
    }
    void expect_sum() {
        const int ranks = 1000 * ranks_ * (ranks_ - 1) / 2;
        for (int i = 0; i < count; ++i) {
            if (block(0)[i] == ranks + ranks_ * i) continue;
            return session_.fail("%s: sum %d is %d", what_, i, block(0)[i]);
        }
    }

    Session& session_;
    const int ranks_ = session_.size();
    const int rank_ = session_.rank();
    const char* what_ = "";
    MPI_Datatype items_ = MPI_DATATYPE_NULL;
    MPI_Op op_ = MPI_OP_NULL;
    std::vector<int> counts_;
    std::vector<int> places_;
};

void test(Session& session, bool reduces) {
    Calls calls(session);
    calls.allreduce();
    calls.allgather();
    calls.allgatherv();
    for (int root = 0; root < session.size(); ++root) {
        if (reduces) calls.reduce(root);
        if (root > 1 && root + 1 < session.size()) continue;
        calls.bcast(root);
        calls.gather(root);
        calls.gatherv(root);
        calls.scatter(root);
        calls.scatterv(root);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const bool reduces = session.flag("--reduce");
    session.reject_other_arguments();
    constexpr int most = 100'000;
    const std::size_t bytes = sizeof(int) * most * static_cast<std::size_t>(session.size());
    void* const address = reinterpret_cast<void*>(0x600000000000);
    void* const got = mmap(address, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (session.least(got == address ? 1 : 0) == 0) {
        return session.skip("some process uses that address");
    }
    numbers = static_cast<int*>(got);
    for (count = 1; count <= most; count *= 10) {
        test(session, reduces);
    }
    return session.finish();
}
