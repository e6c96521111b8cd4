// Tests collectives among other pending operations: outstanding non-blocking ones, wildcard receives on the
// same communicator, skewed ranks; with --threads N, one communicator per thread.
//
//   interleave [--threads N] [--rounds N] [--collectives bcast,reduce]
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "check.h"
#include "collective_cases.h"
#include "communicators.h"

using namespace strata::testing;

namespace {

CollectiveCase next_case(Random& common, int ranks, const Operators& operators, CaseLimits limits) {
    limits.bytes = common.one_in(6) ? 400000 : 9000;
    return random_case(common, ranks, operators, limits);
}

void skew(Random& own) {
    if (own.one_in(5)) {
        usleep(static_cast<useconds_t>(own.between(1, 2000)));
    }
}

/// A wildcard receive and an Ibcast, an Iallreduce, an Iallgather and an Ibarrier, started before other
/// collectives and completed after them.
class Outstanding {
public:
    Outstanding(MPI_Comm comm, int rank, int size, std::uint64_t key)
        : comm_(comm),
          rank_(rank),
          size_(size),
          key_(key),
          data_(20000),
          sums_(500),
          ranks_(static_cast<std::size_t>(size), -1) {
        const int root = static_cast<int>(key % static_cast<std::uint64_t>(size));
        if (rank == root) {
            fill_pattern(data_.data(), data_.size(), key);
        }
        std::iota(sums_.begin(), sums_.end(), rank);
        MPI_Irecv(&letter_, 1, MPI_INT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests_[0]);
        MPI_Ibcast(data_.data(), static_cast<int>(data_.size()), MPI_BYTE, root, comm, &requests_[1]);
        MPI_Iallreduce(MPI_IN_PLACE, sums_.data(), static_cast<int>(sums_.size()), MPI_INT, MPI_SUM, comm,
                       &requests_[2]);
        MPI_Iallgather(&rank_, 1, MPI_INT, ranks_.data(), 1, MPI_INT, comm, &requests_[3]);
        MPI_Ibarrier(comm, &requests_[4]);
    }

    void complete(Session& session) {
        const std::int64_t letter = static_cast<std::int64_t>(key_ / 2) + rank_;
        MPI_Request sent = MPI_REQUEST_NULL;
        MPI_Isend(&letter, 1, MPI_INT64_T, (rank_ + 1) % size_, 3, comm_, &sent);
        MPI_Status statuses[5];
        MPI_Waitall(5, requests_, statuses);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        const int left = (rank_ + size_ - 1) % size_;
        session.expect(statuses[0].MPI_SOURCE == left && statuses[0].MPI_TAG == 3 &&
                           letter_ == static_cast<std::int64_t>(key_ / 2) + left,
                       "the wildcard receive got another message than the neighbour's");
        session.expect_pattern(data_.data(), data_.size(), key_);
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            if (sums_[i] != size_ * (size_ - 1) / 2 + size_ * static_cast<int>(i)) {
                session.fail("Iallreduce: element %zu is %d", i, sums_[i]);
                break;
            }
        }
        for (int i = 0; i < size_; ++i) {
            session.expect(ranks_[static_cast<std::size_t>(i)] == i, "Iallgather: a wrong rank");
        }
    }

private:
    MPI_Comm comm_;
    int rank_;
    int size_;
    std::uint64_t key_;
    std::vector<std::uint8_t> data_;
    std::vector<int> sums_;
    std::vector<int> ranks_;
    std::int64_t letter_ = -1;
    MPI_Request requests_[5];
};

void mixed(Session& session, const CaseLimits& limits, int rounds) {
    const Operators operators(session);
    const std::vector<NamedCommunicator> all = standing_communicators(session.seed());
    Random common(mix(session.seed(), 1));
    Random own(mix(session.seed(), 2, session.rank()));
    for (int round = 0; round < rounds; ++round) {
        const auto busy =
            static_cast<std::size_t>(common.between(0, 1));  // world or reversed: all ranks are members
        session.at("round %d: starting non-blocking calls on %s", round, all[busy].name.c_str());
        Outstanding outstanding(all[busy].comm, all[busy].rank(), all[busy].size(),
                                mix(session.seed(), round, 3));
        for (int step = 0; step < 10; ++step) {
            const auto pick =
                static_cast<std::size_t>(common.between(0, static_cast<std::int64_t>(all.size()) - 1));
            CollectiveCase what = next_case(common, session.size(), operators, limits);
            what.quiet = pick == busy;
            skew(own);
            const NamedCommunicator& c = all[pick];
            if (!c.member()) {
                continue;
            }
            session.at("round %d, step %d: %s on %s", round, step, describe(what, operators).c_str(),
                       c.name.c_str());
            run_case(session, c.comm, what, operators);
        }
        session.at("round %d: completing the non-blocking calls", round);
        outstanding.complete(session);
    }
}

void one_thread(Session& session, MPI_Comm comm, int thread, const CaseLimits& limits,
                const Operators& operators, int rounds) {
    Random common(mix(session.seed(), 10, thread));
    for (int round = 0; round < rounds; ++round) {
        const CollectiveCase what = next_case(common, session.size(), operators, limits);
        session.at("thread %d, round %d: %s", thread, round, describe(what, operators).c_str());
        run_case(session, comm, what, operators);
        if (common.one_in(10)) {  // new communicators while the other threads are inside their calls
            session.at("thread %d, round %d: dup, %s", thread, round, describe(what, operators).c_str());
            MPI_Comm copy = MPI_COMM_NULL;
            MPI_Comm_dup(comm, &copy);
            run_case(session, copy, what, operators);
            MPI_Comm_free(&copy);
        }
    }
}

void threaded(Session& session, const CaseLimits& limits, int threads, int rounds) {
    const Operators operators(session);
    std::vector<MPI_Comm> comms(static_cast<std::size_t>(threads));
    for (MPI_Comm& comm : comms) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t) {
        workers.emplace_back([&session, &comms, &limits, &operators, t, rounds] {
            one_thread(session, comms[static_cast<std::size_t>(t)], t, limits, operators, rounds);
        });
    }
    for (std::thread& worker : workers) {
        worker.join();
    }
    for (MPI_Comm& comm : comms) {
        MPI_Comm_free(&comm);
    }
}

bool wants_threads(int argc, char** argv) {
    return std::find(argv, argv + argc, std::string_view("--threads")) != argv + argc;
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv, wants_threads(argc, argv) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    const int threads = static_cast<int>(session.number("--threads", 0));
    const int rounds = static_cast<int>(session.number("--rounds", 100));
    CaseLimits limits;
    limits.collectives = parse_collectives(session.option("--collectives", "all"));
    session.reject_other_arguments();
    if (threads > 0) {
        threaded(session, limits, threads, rounds);
    } else {
        mixed(session, limits, rounds);
    }
    return session.finish();
}
