// Bcasts among everything else that may be under way: other collectives, outstanding non-blocking ones,
// wildcard receives on the same communicator, skewed ranks; with --threads N, one communicator per thread.
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "check.h"
#include "communicators.h"

using namespace strata::testing;

namespace {

std::size_t random_bytes(Random& common) {
    return static_cast<std::size_t>(common.one_in(6) ? common.between(60000, 400000)
                                                     : common.between(0, 9000));
}

void skew(Random& own) {
    if (own.one_in(5)) {
        usleep(static_cast<useconds_t>(own.between(1, 2000)));
    }
}

/// An Ibcast, an Iallreduce and a wildcard receive, started before the Bcasts and completed after them.
class Outstanding {
public:
    Outstanding(MPI_Comm comm, int rank, int size, std::uint64_t key)
        : comm_(comm), rank_(rank), size_(size), key_(key), data_(20000), sums_(500) {
        const int root = static_cast<int>(key % static_cast<std::uint64_t>(size));
        if (rank == root) {
            fill_pattern(data_.data(), data_.size(), key);
        }
        std::iota(sums_.begin(), sums_.end(), rank);
        MPI_Irecv(&letter_, 1, MPI_INT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests_[0]);
        MPI_Ibcast(data_.data(), static_cast<int>(data_.size()), MPI_BYTE, root, comm, &requests_[1]);
        MPI_Iallreduce(MPI_IN_PLACE, sums_.data(), static_cast<int>(sums_.size()), MPI_INT, MPI_SUM, comm,
                       &requests_[2]);
    }

    void complete(Session& session) {
        const std::int64_t letter = static_cast<std::int64_t>(key_ / 2) + rank_;
        MPI_Request sent = MPI_REQUEST_NULL;
        MPI_Isend(&letter, 1, MPI_INT64_T, (rank_ + 1) % size_, 3, comm_, &sent);
        MPI_Status statuses[3];
        MPI_Waitall(3, requests_, statuses);
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
    }

private:
    MPI_Comm comm_;
    int rank_;
    int size_;
    std::uint64_t key_;
    std::vector<std::uint8_t> data_;
    std::vector<int> sums_;
    std::int64_t letter_ = -1;
    MPI_Request requests_[3];
};

void other_collective(Session& session, const NamedCommunicator& c, std::int64_t choice) {
    const int size = c.size();
    const int value = c.rank() + 1;
    int sum = 0;
    switch (choice) {
        case 0:
            MPI_Barrier(c.comm);
            return;
        case 1:
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, c.comm);
            session.expect(sum == size * (size + 1) / 2, "Allreduce: wrong sum");
            return;
        default:
            MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, size - 1, c.comm);
            session.expect(c.rank() != size - 1 || sum == size * (size + 1) / 2, "Reduce: wrong sum");
    }
}

void mixed(Session& session, int rounds) {
    const std::vector<NamedCommunicator> all = standing_communicators(session.seed());
    Random common(mix(session.seed(), 1));
    Random own(mix(session.seed(), 2, session.rank()));
    for (int round = 0; round < rounds; ++round) {
        const auto busy =
            static_cast<std::size_t>(common.between(0, 1));  // world or reversed: all are members
        session.at("round %d: starting non-blocking calls on %s", round, all[busy].name.c_str());
        Outstanding outstanding(all[busy].comm, all[busy].rank(), all[busy].size(),
                                mix(session.seed(), round, 3));
        for (int step = 0; step < 6; ++step) {
            const auto pick =
                static_cast<std::size_t>(common.between(0, static_cast<std::int64_t>(all.size()) - 1));
            const std::size_t bytes = random_bytes(common);
            const std::int64_t choice = common.between(0, 2);
            const std::uint64_t key = common.next();
            skew(own);
            const NamedCommunicator& c = all[pick];
            if (!c.member()) {
                continue;
            }
            session.at("round %d, step %d: Bcast of %zu bytes on %s", round, step, bytes, c.name.c_str());
            checked_bcast(session, c.comm, static_cast<int>(key % static_cast<std::uint64_t>(c.size())),
                          bytes, key);
            session.at("round %d, step %d: other collective %d on %s", round, step, static_cast<int>(choice),
                       c.name.c_str());
            other_collective(session, c, choice);
        }
        session.at("round %d: completing the non-blocking calls", round);
        outstanding.complete(session);
    }
}

void threaded(Session& session, int threads, int rounds) {
    std::vector<MPI_Comm> comms(static_cast<std::size_t>(threads));
    for (MPI_Comm& comm : comms) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t) {
        workers.emplace_back([&session, &comms, t, rounds] {
            const MPI_Comm comm = comms[static_cast<std::size_t>(t)];
            Random common(mix(session.seed(), 10, t));
            for (int round = 0; round < rounds; ++round) {
                const int root = static_cast<int>(common.between(0, session.size() - 1));
                const std::size_t bytes = random_bytes(common);
                session.at("thread %d, round %d: root %d, %zu bytes", t, round, root, bytes);
                checked_bcast(session, comm, root, bytes, common.next());
                if (common.one_in(10)) {  // new communicators while the other threads are inside their Bcasts
                    session.at("thread %d, round %d: dup", t, round);
                    MPI_Comm copy = MPI_COMM_NULL;
                    MPI_Comm_dup(comm, &copy);
                    checked_bcast(session, copy, root, bytes, common.next());
                    MPI_Comm_free(&copy);
                }
            }
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
    session.reject_other_arguments();
    if (threads > 0) {
        threaded(session, threads, rounds);
    } else {
        mixed(session, rounds);
    }
    return session.finish();
}
