// Memory that runs out on one rank, wherever C++ asks for it in a collective: the call returns an error
// before it has sent anything, and when the program repeats it, all ranks go on together, through every
// change of plan. With --scarce it has run out for the rest of the call, so that no handler of the failure
// gets any either.
//
//   memory_failures [--collective allgather|barrier|allreduce|bcast] [--calls N] [--items N] [--victim RANK]
//   [--points N] [--late] [--scarce]
//
// --late: a plan must change on the way, that is, a call after the second one must ask for memory. --items:
// ints of a block. --calls: per communicator. --points: allocations to fail per call, at most.
#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "check.h"
#include "communicators.h"

using namespace strata::testing;

namespace {

// Of the calls on this rank.
bool armed = false;
long asked = 0;        // since armed
long failing_at = -1;  // which one, from 0
bool scarce = false;   // nor are later ones served
bool failed = false;

bool is_failing(long number) {
    return failing_at >= 0 && (scarce ? number >= failing_at : number == failing_at);
}

void* allocated(std::size_t bytes, std::size_t alignment) {
    if (armed && is_failing(asked++)) {
        failed = true;
        return nullptr;
    }
    return std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
}

void* allocated_or_thrown(std::size_t bytes, std::size_t alignment) {
    if (void* const memory = allocated(bytes, alignment); memory != nullptr) {
        return memory;
    }
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocated_or_thrown(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return allocated_or_thrown(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return allocated(bytes, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace {

/// One collective, its blocks with gaps so that they have to be packed.
class Call {
public:
    Call(Session& session, std::string collective, int items)
        : session_(session), collective_(std::move(collective)), items_(items) {
        MPI_Type_vector(items, 1, 2, MPI_INT, &gapped_);
        MPI_Type_commit(&gapped_);
    }
    ~Call() { MPI_Type_free(&gapped_); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    int run(MPI_Comm comm, int number) {
        const int ranks = session_.size();
        const int block = 2 * items_;
        in_.assign(static_cast<std::size_t>(block), number + session_.rank());
        out_.assign(static_cast<std::size_t>(block) * static_cast<std::size_t>(ranks), -1);
        if (collective_ == "allgather") {
            MPI_Aint lower = 0;
            MPI_Datatype block_type = MPI_DATATYPE_NULL;
            MPI_Type_create_resized(gapped_, lower, static_cast<MPI_Aint>(block * sizeof(int)), &block_type);
            MPI_Type_commit(&block_type);
            const int code = guarded(
                [&] { return MPI_Allgather(in_.data(), 1, gapped_, out_.data(), 1, block_type, comm); });
            MPI_Type_free(&block_type);
            return code;
        }
        if (collective_ == "barrier") {
            return guarded([&] { return MPI_Barrier(comm); });
        }
        if (collective_ == "allreduce") {
            return guarded(
                [&] { return MPI_Allreduce(in_.data(), out_.data(), items_, MPI_INT, MPI_SUM, comm); });
        }
        return guarded([&] { return MPI_Bcast(in_.data(), 1, gapped_, 0, comm); });
    }

    void expect_result(int number) {
        const int ranks = session_.size();
        if (session_.sabotages("data")) {
            out_[0] = -1;
        }
        for (int rank = 0; rank < ranks && collective_ == "allgather"; ++rank) {
            session_.expect(out_[static_cast<std::size_t>(rank * 2 * items_)] == number + rank,
                            "a wrong block");
        }
        if (collective_ == "allreduce") {
            session_.expect(
                out_[static_cast<std::size_t>(items_ - 1)] == ranks * number + ranks * (ranks - 1) / 2,
                "a wrong sum");
        }
        if (collective_ == "bcast") {
            session_.expect(in_[static_cast<std::size_t>(2 * items_ - 2)] == number, "a wrong item");
        }
    }

private:
    template <class Body>
    int guarded(Body&& body) {
        armed = true;
        const int code = body();
        armed = false;
        return code;
    }
    Session& session_;
    std::string collective_;
    int items_;
    MPI_Datatype gapped_ = MPI_DATATYPE_NULL;
    std::vector<int> in_;
    std::vector<int> out_;
};

struct Point {
    int call;
    long allocation;
};

/// Some of the allocations of every call: the first, the last, and others evenly between.
std::vector<Point> points_of(const std::vector<long>& allocations, long most) {
    std::vector<Point> points;
    for (std::size_t call = 0; call < allocations.size(); ++call) {
        const long all = allocations[call];
        const long some = std::min(all, most);
        for (long i = 0; i < some; ++i) {
            points.push_back({static_cast<int>(call), some == 1 ? 0 : i * (all - 1) / (some - 1)});
        }
    }
    return points;
}

MPI_Comm copy_of_world() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/// How many allocations each call of a new communicator makes on this rank.
std::vector<long> count_allocations(Session& session, Call& call, int calls) {
    const NamedCommunicator copy("copy", copy_of_world());
    std::vector<long> allocations;
    for (int number = 0; number < calls; ++number) {
        asked = 0;
        session.expect(call.run(copy.comm, number) == MPI_SUCCESS, "a call failed without need");
        allocations.push_back(asked);
    }
    return allocations;
}

/// All calls of a new communicator; on the victim an allocation of one of them fails. Returns whether it was
/// made.
bool run_with_failure(Session& session, Call& call, int calls, const Point* point) {
    const NamedCommunicator copy("copy", copy_of_world());
    bool hit = false;
    for (int number = 0; number < calls; ++number) {
        session.at("call %d; call %d fails at allocation %ld", number, point != nullptr ? point->call : -1,
                   point != nullptr ? point->allocation : -1);
        asked = 0;
        failed = false;
        failing_at = point != nullptr && point->call == number ? point->allocation : -1;
        int code = call.run(copy.comm, number);
        failing_at = -1;
        hit = hit || failed;
        if (code != MPI_SUCCESS) {
            session.expect(failed, "a call failed without need");
            code = call.run(copy.comm, number);
            session.expect(code == MPI_SUCCESS, "the repeated call failed");
        }
        call.expect_result(number);
    }
    return hit;
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const std::string collective = session.option("--collective", "allgather");
    const auto calls = static_cast<int>(session.number("--calls", 30));
    const auto victim = static_cast<int>(session.number("--victim", session.size() - 1));
    const auto most = session.number("--points", 12);
    const auto items = static_cast<int>(session.number("--items", 16));
    const bool late = session.flag("--late");
    scarce = session.flag("--scarce");
    session.reject_other_arguments();
    {
        Call call(session, collective, items);
        count_allocations(session, call, calls);  // what is kept per process is made now
        const std::vector<long> allocations = count_allocations(session, call, calls);
        if (late && session.rank() == victim) {
            session.expect(std::any_of(allocations.begin() + std::min(calls, 2), allocations.end(),
                                       [](long asked_there) { return asked_there > 0; }),
                           "no plan changes on the way");
        }
        std::vector<Point> points;
        if (session.rank() == victim) {
            points = points_of(allocations, most);
        }
        const std::uint64_t rounds = session.total(points.size());
        session.expect(rounds > 0, "the plugin asks for no memory");
        std::uint64_t hits = 0;
        for (std::size_t round = 0; round < rounds; ++round) {
            hits += run_with_failure(session, call, calls, round < points.size() ? &points[round] : nullptr);
        }
        if (session.rank() == victim) {
            std::printf("%llu of %llu failures\n", static_cast<unsigned long long>(hits),
                        static_cast<unsigned long long>(rounds));
        }
        session.expect(session.total(hits) * 2 > rounds, "hardly any allocation failed");
    }
    return session.finish();
}
