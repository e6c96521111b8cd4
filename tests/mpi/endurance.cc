// The same for a long time: neither memory nor time per step may grow, and every result is right.
//
//   endurance --what communicators|orders|calls|threads|trees|kept [--count N] [--threads N] [--flat-time]
//
// A step is, of `communicators`: one is made (in turns a copy of world, a half, world in another order), used
// and freed; `orders`: the same with the ranks in another order every time; `calls`: one short collective
// operation; `threads`: the same by each of N threads on a communicator of its own; `trees`: copies of copies,
// freed from either end; `kept`: one is made, used and never freed: there memory grows by as much with each.
// Rank 0 prints a line per tenth: microseconds per step, of the slowest rank, and the resident memory of the
// rank that has most. --flat-time: time is judged, too; on a quiet machine. The watchdog is that of a tenth.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "check.h"
#include "communicators.h"

using namespace strata::testing;

namespace {

constexpr int tenths = 10;
constexpr double most_slower = 1.5;  // of the fastest tenths of both halves
// Bytes of the second half of the run: what allocators make of it, and what no step may leave.
constexpr std::int64_t most_growth = 512 << 10;
constexpr std::int64_t most_growth_per_step = 16;

std::int64_t resident_bytes() {
    long pages[2] = {0, 0};
    if (std::FILE* const file = std::fopen("/proc/self/statm", "r"); file != nullptr) {
        if (std::fscanf(file, "%ld %ld", &pages[0], &pages[1]) != 2) pages[1] = 0;
        std::fclose(file);
    }
    return pages[1] * sysconf(_SC_PAGESIZE);
}

/// Short operations of all kinds, checked.
class Calls {
public:
    Calls(Session& session, MPI_Comm comm) : session_(session), comm_(comm) {
        MPI_Comm_rank(comm, &rank_);
        MPI_Comm_size(comm, &size_);
        blocks_.resize(static_cast<std::size_t>(size_) * most);
    }

    /// `number`: equal on all ranks; the operation, its length and root follow from it.
    void one(std::uint64_t number) {
        const std::uint64_t drawn = mix(session_.seed(), number);
        const int root = static_cast<int>(drawn % static_cast<std::uint64_t>(size_));
        const int length = 1 + static_cast<int>((drawn >> 32U) % most);
        const auto last = static_cast<std::size_t>(length - 1);
        const double told = static_cast<double>(number % 1000);
        switch (number % 7) {
            case 0:
                own_[last] = rank_ == root ? told : -1;
                MPI_Bcast(own_.data(), length, MPI_DOUBLE, root, comm_);
                expect(own_[last] == told);
                break;
            case 1:
                own_[last] = rank_;
                MPI_Allreduce(own_.data(), all_.data(), length, MPI_DOUBLE, MPI_SUM, comm_);
                expect(all_[last] == sum_of_ranks());
                break;
            case 2:
                own_[last] = rank_;
                MPI_Reduce(own_.data(), all_.data(), length, MPI_DOUBLE, MPI_SUM, root, comm_);
                expect(rank_ != root || all_[last] == sum_of_ranks());
                break;
            case 3:
                own_[last] = rank_;
                MPI_Allgather(own_.data(), length, MPI_DOUBLE, blocks_.data(), length, MPI_DOUBLE, comm_);
                expect(last_of_block(size_ - 1, length) == size_ - 1);
                break;
            case 4: MPI_Barrier(comm_); break;
            case 5:
                own_[last] = rank_;
                MPI_Gather(own_.data(), length, MPI_DOUBLE, blocks_.data(), length, MPI_DOUBLE, root, comm_);
                expect(rank_ != root || last_of_block(size_ - 1, length) == size_ - 1);
                break;
            default:
                for (int i = 0; i < size_; ++i) blocks_[static_cast<std::size_t>(i * length) + last] = i;
                MPI_Scatter(blocks_.data(), length, MPI_DOUBLE, own_.data(), length, MPI_DOUBLE, root, comm_);
                expect(own_[last] == rank_);
        }
    }

private:
    static constexpr int most = 64;  // numbers

    double sum_of_ranks() const { return size_ * (size_ - 1) / 2.0; }
    double last_of_block(int block, int length) const {
        return blocks_[static_cast<std::size_t>(block * length + length - 1)];
    }
    void expect(bool right) { session_.expect(right, "a wrong result"); }

    Session& session_;
    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 1;
    std::vector<double> own_ = std::vector<double>(most);
    std::vector<double> all_ = std::vector<double>(most);
    std::vector<double> blocks_;
};

void use(Session& session, MPI_Comm comm, std::uint64_t number) {
    Calls calls(session, comm);
    for (std::uint64_t i = 0; i < 3; ++i) calls.one(3 * number + i);
}

MPI_Comm make(Session& session, std::uint64_t number) {
    MPI_Comm comm = MPI_COMM_NULL;
    switch (number % 3) {
        case 0: MPI_Comm_dup(MPI_COMM_WORLD, &comm); break;
        case 1: MPI_Comm_split(MPI_COMM_WORLD, session.rank() % 2, session.rank(), &comm); break;
        default: MPI_Comm_split(MPI_COMM_WORLD, 0, -session.rank(), &comm);
    }
    return comm;
}

void grow_tree(Session& session, std::uint64_t number) {
    constexpr int depth = 6;
    std::vector<MPI_Comm> copies{MPI_COMM_WORLD};
    for (int i = 0; i < depth; ++i) {
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(copies.back(), &copy);
        copies.push_back(copy);
    }
    copies.erase(copies.begin());
    use(session, copies[number % copies.size()], number);
    if (number % 2 == 0) std::reverse(copies.begin(), copies.end());
    for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
}

/// What is measured of one tenth.
struct Tenth {
    double us = 0;  ///< per step
    std::int64_t bytes = 0;
};

class Run {
public:
    Run(Session& session, std::int64_t steps)
        : session_(session), steps_(std::max<std::int64_t>(1, steps / tenths)) {}

    /// `some(first, count)` makes steps.
    void measure(const std::function<void(std::uint64_t, std::uint64_t)>& some) {
        std::vector<std::vector<char>> leaked;
        for (int part = 0; part < tenths; ++part) {
            session_.at("tenth %d", part);
            if (session_.sabotage_is("leak")) leaked.emplace_back(std::size_t{1} << 20, 'x');
            const auto begin = std::chrono::steady_clock::now();
            if (session_.sabotage_is("slow")) usleep(static_cast<useconds_t>(part) * 100'000);
            some(static_cast<std::uint64_t>(part * steps_), static_cast<std::uint64_t>(steps_));
            const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
            const double us = spent.count() / static_cast<double>(steps_);
            parts_.push_back(
                {-static_cast<double>(session_.least(-static_cast<std::int64_t>(us * 1000))) / 1000,
                 -session_.least(-resident_bytes())});
            if (session_.rank() == 0) {
                std::printf("%2d/10: %9.2f us per step, %8.2f MiB\n", part + 1, parts_.back().us,
                            static_cast<double>(parts_.back().bytes) / (1 << 20));
                std::fflush(stdout);
            }
        }
    }

    /// `kept`: every step takes memory, but none more than another.
    void judge(bool kept, bool flat_time) const {
        const auto fastest = [&](int from, int to) {
            double us = parts_[static_cast<std::size_t>(from)].us;
            for (int i = from; i < to; ++i) us = std::min(us, parts_[static_cast<std::size_t>(i)].us);
            return us;
        };
        session_.expect(!flat_time || fastest(tenths / 2, tenths) <= most_slower * fastest(0, tenths / 2),
                        "steps take longer and longer");
        const std::int64_t first = parts_[tenths / 2].bytes - parts_[0].bytes;
        const std::int64_t second = parts_.back().bytes - parts_[tenths / 2].bytes;
        const std::int64_t allowed = most_growth + most_growth_per_step * steps_ * tenths / 2;
        session_.expect(second <= allowed + (kept ? first : 0), "memory grows");
    }

private:
    Session& session_;
    std::int64_t steps_;
    std::vector<Tenth> parts_;
};

/// Every thread's own communicator.
class Threads {
public:
    Threads(Session& session, int count) {
        for (int i = 0; i < count; ++i) {
            copies_.push_back(copy_of_world("of a thread"));
            calls_.emplace_back(session, copies_.back().comm);
        }
    }
    void run(std::uint64_t first, std::uint64_t count) {
        std::vector<std::thread> all;
        for (Calls& mine : calls_) {
            all.emplace_back([&mine, first, count] {
                for (std::uint64_t i = first; i < first + count; ++i) mine.one(i);
            });
        }
        for (std::thread& one : all) one.join();
    }

private:
    std::vector<NamedCommunicator> copies_;
    std::vector<Calls> calls_;
};

void endure(Session& session, const std::string& what, std::int64_t count, int threads, bool flat_time) {
    Run run(session, count);
    const auto each = [&](const std::function<void(std::uint64_t)>& step) {
        run.measure([&](std::uint64_t first, std::uint64_t steps) {
            for (std::uint64_t i = first; i < first + steps; ++i) step(i);
        });
    };
    if (what == "communicators") {
        each([&](std::uint64_t i) {
            MPI_Comm comm = make(session, i);
            use(session, comm, i);
            MPI_Comm_free(&comm);
        });
    } else if (what == "orders") {
        each([&](std::uint64_t i) {
            const auto place = static_cast<int>(mix(session.seed(), i, session.rank()) >> 40U);
            MPI_Comm comm = MPI_COMM_NULL;
            MPI_Comm_split(MPI_COMM_WORLD, 0, place, &comm);
            use(session, comm, i);
            MPI_Comm_free(&comm);
        });
    } else if (what == "kept") {
        each([&](std::uint64_t i) { use(session, make(session, i), i); });
    } else if (what == "trees") {
        each([&](std::uint64_t i) { grow_tree(session, i); });
    } else if (what == "threads") {
        Threads all(session, threads);
        run.measure([&](std::uint64_t first, std::uint64_t steps) { all.run(first, steps); });
    } else {
        const NamedCommunicator copy = copy_of_world("for many calls");
        Calls calls(session, copy.comm);
        each([&](std::uint64_t i) { calls.one(i); });
    }
    run.judge(what == "kept", flat_time);
}

}  // namespace

int main(int argc, char** argv) {
    const bool several = std::find(argv, argv + argc, std::string_view("threads")) != argv + argc;
    Session session(argc, argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    const std::string what = session.option("--what", "calls");
    const std::int64_t count = session.number("--count", 10'000);
    const auto threads = static_cast<int>(session.number("--threads", 8));
    const bool flat_time = session.flag("--flat-time");
    session.reject_other_arguments();
    endure(session, what, count, threads, flat_time);
    return session.finish();
}
