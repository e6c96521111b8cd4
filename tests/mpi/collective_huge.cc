// Tests products of counts and extents beyond 2 GiB.
//
//   collective_huge --case allgather|allreduce|reduce|gather|scatter [--mib N] [--of-bytes]
//                                                  N MiB of data in the largest buffer of a rank; items
//                                                  are integers or bytes
//   collective_huge --case sparse                  few ints far apart: little memory, all
//   collectives
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#include "huge_memory.h"

using namespace strata::testing;

namespace {

std::uint64_t key_of(const Session& session, int rank) { return mix(session.seed(), rank, 7); }

// Blocks of ints or bytes, one per rank, `bytes` each.
void blocks(Session& session, const std::string& name, std::size_t total, bool of_bytes) {
    const auto ranks = static_cast<std::size_t>(session.size());
    const MPI_Datatype type = of_bytes ? MPI_BYTE : MPI_INT;
    const std::size_t item = of_bytes ? 1 : sizeof(int);
    const int count = static_cast<int>(total / ranks / item);
    const std::size_t bytes = static_cast<std::size_t>(count) * item;
    const int root = session.size() - 1;
    const int rank = session.rank();
    const bool has_all = name == "allgather" || rank == root;
    const HugeMemory all = huge_memory(has_all ? bytes * ranks : bytes);
    std::uint8_t* own = all.get() + (has_all ? static_cast<std::size_t>(rank) * bytes : 0);
    const auto fill = [&](std::uint8_t* block, int owner) {
        fill_pattern(block, bytes, key_of(session, owner));
    };
    const auto block_of = [&](int owner) { return all.get() + static_cast<std::size_t>(owner) * bytes; };
    session.at("%s of %d %s per rank", name.c_str(), count, of_bytes ? "bytes" : "ints");
    if (name == "scatter") {
        for (int owner = 0; owner < session.size() && has_all; ++owner) {
            fill(block_of(owner), owner);
        }
        MPI_Scatter(all.get(), count, type, has_all ? MPI_IN_PLACE : own, count, type, root, MPI_COMM_WORLD);
        session.expect_pattern(own, bytes, key_of(session, rank));
        return;
    }
    fill(own, rank);
    if (name == "gather") {
        MPI_Gather(has_all ? MPI_IN_PLACE : own, count, type, all.get(), count, type, root, MPI_COMM_WORLD);
    } else {
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.get(), count, type, MPI_COMM_WORLD);
    }
    for (int owner = 0; owner < session.size() && has_all; ++owner) {
        session.expect_pattern(block_of(owner), bytes, key_of(session, owner));
    }
}

// Compares with the exclusive or of all ranks' patterns, piece by piece.
void expect_combined(Session& session, std::uint8_t* result, std::size_t bytes) {
    std::vector<std::uint64_t> expected(mib / 8);
    std::vector<std::uint64_t> one(expected.size());
    if (session.sabotages("data")) {
        result[bytes / 2] ^= 0x10;
    }
    for (std::size_t at = 0; at < bytes; at += mib) {
        const std::size_t length = std::min(mib, bytes - at);
        std::fill(expected.begin(), expected.end(), 0);
        for (int rank = 0; rank < session.size(); ++rank) {
            fill_pattern(one.data(), length, key_of(session, rank), at);
            std::transform(expected.begin(), expected.end(), one.begin(), expected.begin(),
                           [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
        }
        if (std::memcmp(result + at, expected.data(), length) != 0) {
            session.fail(
                "the result is not the exclusive or of all, somewhere in the MiB from byte %zu of %zu on", at,
                bytes);
            return;
        }
    }
}

void reductions(Session& session, bool all, std::size_t bytes, bool of_bytes) {
    const int count = static_cast<int>(of_bytes ? bytes : bytes / 8);
    const MPI_Datatype type = of_bytes ? MPI_BYTE : MPI_UINT64_T;
    const int root = session.size() - 1;
    const bool receives = all || session.rank() == root;
    const HugeMemory memory = huge_memory(bytes);
    fill_pattern(memory.get(), bytes, key_of(session, session.rank()));
    session.at("%s of %d %s", all ? "Allreduce" : "Reduce", count, of_bytes ? "bytes" : "8-byte integers");
    if (all) {
        MPI_Allreduce(MPI_IN_PLACE, memory.get(), count, type, MPI_BXOR, MPI_COMM_WORLD);
    } else {
        MPI_Reduce(receives ? MPI_IN_PLACE : memory.get(), memory.get(), count, type, MPI_BXOR, root,
                   MPI_COMM_WORLD);
    }
    if (receives) {
        expect_combined(session, memory.get(), bytes);
    } else {
        session.expect_pattern(memory.get(), bytes, key_of(session, session.rank()));
    }
}

constexpr std::size_t far = mib;
constexpr int far_items = 2300;

void add_far_ints(void* in, void* inout, int* items, MPI_Datatype*) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(*items); ++i) {
        std::int32_t sum = 0;
        std::int32_t term = 0;
        std::memcpy(&sum, static_cast<std::uint8_t*>(inout) + i * far, sizeof sum);
        std::memcpy(&term, static_cast<std::uint8_t*>(in) + i * far, sizeof term);
        sum += term;
        std::memcpy(static_cast<std::uint8_t*>(inout) + i * far, &sum, sizeof sum);
    }
}

/// `items` ints, `far` bytes apart.
class FarInts {
public:
    explicit FarInts(int items) : memory_(sparse_memory(static_cast<std::size_t>(items) * far)) {}
    std::uint8_t* address() { return memory_.get(); }
    std::uint8_t* item(int i) { return memory_.get() + static_cast<std::size_t>(i) * far; }
    static std::int32_t value(int rank, int i) { return rank * 1000000 + i; }
    void set(int first, int rank) {
        for (int i = 0; i < far_items; ++i) {
            const std::int32_t number = value(rank, i);
            std::memcpy(item(first + i), &number, sizeof number);
        }
    }
    /// Checks that the items from `first` on are wanted(i) for i from 0, and the words after them still 0.
    template <class Wanted>
    void expect(Session& session, int first, Wanted wanted) {
        if (session.sabotages("data")) {
            item(first + far_items / 2)[0] ^= 0x10;
        }
        for (int i = 0; i < far_items; ++i) {
            std::int32_t words[2];
            std::memcpy(words, item(first + i), sizeof words);
            if (words[0] != wanted(i) || words[1] != 0) {
                session.fail("item %d: expected %d and 0, got %d and %d", first + i, wanted(i), words[0],
                             words[1]);
                return;
            }
        }
    }

private:
    HugeMemory memory_;
};

class Sparse {
public:
    explicit Sparse(Session& session) : session_(session) {
        MPI_Type_create_resized(MPI_INT, 0, static_cast<MPI_Aint>(far), &type_);
        MPI_Type_commit(&type_);
        MPI_Op_create(add_far_ints, 1, &add_);
        for (int rank = 0; rank < session.size(); ++rank) {
            counts_.push_back(far_items);
            displacements_.push_back(rank * far_items);
        }
    }
    ~Sparse() {
        MPI_Op_free(&add_);
        MPI_Type_free(&type_);
    }
    Sparse(const Sparse&) = delete;
    Sparse& operator=(const Sparse&) = delete;

    void all() {
        for (const int root : {0, session_.size() - 1}) {
            bcast(root);
            for (const bool counts : {false, true}) {
                gather(root, counts);
                scatter(root, counts);
            }
            reduce(root);
        }
        allgather(false);
        allgather(true);
        reduce(-1);
    }

private:
    auto values_of(int rank) const {
        return [rank](int i) { return FarInts::value(rank, i); };
    }
    auto sums() const {
        return [n = session_.size()](int i) {
            std::int32_t sum = 0;
            for (int rank = 0; rank < n; ++rank) {
                sum += FarInts::value(rank, i);
            }
            return sum;
        };
    }

    void bcast(int root) {
        session_.at("Bcast of ints 1 MiB apart, root %d", root);
        FarInts data(far_items);
        if (session_.rank() == root) {
            data.set(0, root);
        }
        MPI_Bcast(data.address(), far_items, type_, root, MPI_COMM_WORLD);
        data.expect(session_, 0, values_of(root));
    }

    void expect_all(FarInts& all) {
        for (int rank = 0; rank < session_.size(); ++rank) {
            all.expect(session_, rank * far_items, values_of(rank));
        }
    }

    void gather(int root, bool counts) {
        session_.at("Gather%s of ints 1 MiB apart, root %d", counts ? "v" : "", root);
        FarInts mine(far_items);
        mine.set(0, session_.rank());
        FarInts all(far_items * session_.size());
        if (counts) {
            MPI_Gatherv(mine.address(), far_items, type_, all.address(), counts_.data(),
                        displacements_.data(), type_, root, MPI_COMM_WORLD);
        } else {
            MPI_Gather(mine.address(), far_items, type_, all.address(), far_items, type_, root,
                       MPI_COMM_WORLD);
        }
        if (session_.rank() == root) {
            expect_all(all);
        }
    }

    void scatter(int root, bool counts) {
        session_.at("Scatter%s of ints 1 MiB apart, root %d", counts ? "v" : "", root);
        FarInts mine(far_items);
        FarInts all(far_items * session_.size());
        for (int rank = 0; rank < session_.size() && session_.rank() == root; ++rank) {
            all.set(rank * far_items, rank);
        }
        if (counts) {
            MPI_Scatterv(all.address(), counts_.data(), displacements_.data(), type_, mine.address(),
                         far_items, type_, root, MPI_COMM_WORLD);
        } else {
            MPI_Scatter(all.address(), far_items, type_, mine.address(), far_items, type_, root,
                        MPI_COMM_WORLD);
        }
        mine.expect(session_, 0, values_of(session_.rank()));
    }

    void allgather(bool counts) {
        session_.at("Allgather%s of ints 1 MiB apart", counts ? "v" : "");
        FarInts mine(far_items);
        mine.set(0, session_.rank());
        FarInts all(far_items * session_.size());
        if (counts) {
            MPI_Allgatherv(mine.address(), far_items, type_, all.address(), counts_.data(),
                           displacements_.data(), type_, MPI_COMM_WORLD);
        } else {
            MPI_Allgather(mine.address(), far_items, type_, all.address(), far_items, type_, MPI_COMM_WORLD);
        }
        expect_all(all);
    }

    // Root -1: a collective without a root.
    void reduce(int root) {
        session_.at("%s of ints 1 MiB apart, root %d", root < 0 ? "Allreduce" : "Reduce", root);
        FarInts mine(far_items);
        mine.set(0, session_.rank());
        FarInts result(far_items);
        if (root < 0) {
            MPI_Allreduce(mine.address(), result.address(), far_items, type_, add_, MPI_COMM_WORLD);
        } else {
            MPI_Reduce(mine.address(), result.address(), far_items, type_, add_, root, MPI_COMM_WORLD);
        }
        if (root < 0 || root == session_.rank()) {
            result.expect(session_, 0, sums());
        }
        mine.expect(session_, 0, values_of(session_.rank()));
    }

    Session& session_;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    MPI_Op add_ = MPI_OP_NULL;
    std::vector<int> counts_;
    std::vector<int> displacements_;
};

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const std::string name = session.option("--case", "sparse");
    const std::size_t bytes = static_cast<std::size_t>(session.number("--mib", 2200)) * mib;
    const bool of_bytes = session.flag("--of-bytes");
    session.reject_other_arguments();
    if (name == "sparse") {
        Sparse(session).all();
        return session.finish();
    }
    const std::vector<std::string> known = {"allgather", "allreduce", "reduce", "gather", "scatter"};
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        session.fail("--case: allgather, allreduce, reduce, gather, scatter or sparse, not '%s'",
                     name.c_str());
        return session.finish();
    }
    // One buffer per rank, another where the library works on a copy, and a reserve.
    const std::size_t needed = 2 * bytes * static_cast<std::size_t>(session.size()) + gib;
    if (session.agree(available_bytes() >= needed ? 1 : 0) == 0) {
        return session.skip(("needs " + std::to_string(needed / mib) + " MiB of free memory").c_str());
    }
    if (name == "allreduce" || name == "reduce") {
        reductions(session, name == "allreduce", bytes, of_bytes);
    } else {
        blocks(session, name, bytes, of_bytes);
    }
    return session.finish();
}
