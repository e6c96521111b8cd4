#include "endurance_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <initializer_list>
#include <string_view>

namespace strata::testing {
namespace {

constexpr int tenths = 10;
constexpr int first_count = static_cast<int>(Holding::communicators);  // before it are bytes
constexpr double most_slower = 1.5;  // ratio of the fastest tenths of both halves
// Allowed growth in bytes in the second half of the run, for any number of steps and communicators. Stock
// Open MPI 4.1.4 keeps nothing of a freed communicator: after 100,000 of them another 100,000 cost 0.02
// MiB. Its free lists grow with the highest number of simultaneous uses, which more threads can raise.
constexpr std::int64_t most_allocated = 256 << 10;
// The same for resident memory, part of which freed pieces hold back.
constexpr std::int64_t most_resident = 2 << 20;

bool ends_with_one_of(std::string_view name, std::initializer_list<std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(),
                       [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

Run::Run(Session& session, std::int64_t steps, const Wanted& wanted)
    : session_(session), steps_(std::max<std::int64_t>(1, steps / tenths)), wanted_(wanted) {
    if (wanted_.served >= 0) {
        of_all_ = std::make_unique<PluginCounters>(session);
        of_world_ = std::make_unique<PluginCounters>(session, MPI_COMM_WORLD);
        before_ = service();
    }
}

Run::Service Run::service_of(const PluginCounters& counters) const {
    Service sums;
    sums.by_plugin = counters.served(session_);
    for (const auto& [name, value] : counters.read(session_)) {
        if (name.ends_with("_forward")) sums.left += value;
        // Calls that the plugin passed through for reasons unrelated to the call.
        if (ends_with_one_of(name,
                             {"_forward_early", "_forward_missing", "_forward_version", "_forward_settings",
                              "_forward_several_jobs", "_forward_failure", "_forward_plans"})) {
            sums.lost += value;
        }
    }
    return sums;
}

void Run::measure(const std::function<std::uint64_t(std::uint64_t, std::uint64_t)>& some) {
    for (int part = 0; part < tenths; ++part) {
        session_.at("tenth %d", part);
        sabotage(part);
        const auto begin = std::chrono::steady_clock::now();
        if (session_.sabotage_is("slow")) usleep(static_cast<useconds_t>(part) * 100'000);
        const std::uint64_t calls =
            some(static_cast<std::uint64_t>(part * steps_), static_cast<std::uint64_t>(steps_));
        const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
        const auto each = static_cast<std::int64_t>(spent.count() / static_cast<double>(steps_));
        // All ranks are done here, and all messages have arrived.
        parts_.push_back({-static_cast<double>(session_.least(-each)) / 1000, held_now()});
        tell(part);
        if (of_all_) judge_service(calls);
    }
}

/// One of each kind, never released.
void Run::sabotage(int part) {
    if (session_.sabotage_is("memory")) leaked_.emplace_back(std::size_t{1} << 20, 'x');
    if (session_.sabotage_is("communicator")) {
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    }
    if (session_.sabotage_is("file")) [[maybe_unused]]
        const int file = open("/dev/null", O_RDONLY);
    if (session_.sabotage_is("request")) {
        static int nowhere = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Recv_init(&nowhere, 1, MPI_INT, session_.rank(), 0, MPI_COMM_WORLD, &request);
    }
    if (session_.sabotage_is("segment")) lose_segment(part);
}

void Run::tell(int part) const {
    const Tenth& last = parts_.back();
    Holdings most{};
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = -session_.least(-last.held[i]);
    if (session_.rank() != 0) return;
    std::printf("%2d/10: %9.2f us per step, %8.2f MiB, %8.3f allocated", part + 1, last.us,
                static_cast<double>(most[0]) / (1 << 20), static_cast<double>(most[1]) / (1 << 20));
    for (int i = first_count; i < holding_count; ++i) {
        std::printf(", %lld %s", static_cast<long long>(most[static_cast<std::size_t>(i)]),
                    name_of(static_cast<Holding>(i)));
    }
    std::printf("\n");
    std::fflush(stdout);
}

/// Uses the growth of the plugin's counters without those of world: only Open MPI itself calls collectives
/// there, to create communicators.
void Run::judge_service(std::uint64_t calls) {
    const Service now = service();
    const std::uint64_t served = now.by_plugin - before_.by_plugin;
    const std::uint64_t left = now.left - before_.left;
    const std::uint64_t lost = now.lost - before_.lost;
    before_ = now;
    const bool enough = served * 100 >= calls * static_cast<std::uint64_t>(wanted_.served);
    if (!enough || served + left != calls || lost > 0) {
        session_.fail(
            "the plugin served %llu of %llu calls, and passed through %llu, %llu because it was not ready",
            static_cast<unsigned long long>(served), static_cast<unsigned long long>(calls),
            static_cast<unsigned long long>(left), static_cast<unsigned long long>(lost));
    }
}

Run::Service Run::service() const {
    const Service all = service_of(*of_all_);
    const Service of_world = service_of(*of_world_);
    return {all.by_plugin - of_world.by_plugin, all.left - of_world.left, all.lost - of_world.lost};
}

void Run::judge() const {
    const auto fastest = [&](int from, int to) {
        double us = parts_[static_cast<std::size_t>(from)].us;
        for (int i = from; i < to; ++i) us = std::min(us, parts_[static_cast<std::size_t>(i)].us);
        return us;
    };
    session_.expect(!wanted_.flat_time || fastest(tenths / 2, tenths) <= most_slower * fastest(0, tenths / 2),
                    "steps take longer and longer");
    judge_memory(Holding::memory, most_resident);
    judge_memory(Holding::allocated, most_allocated * wanted_.threads);
    for (int i = first_count; i < holding_count; ++i) judge_count(static_cast<Holding>(i));
}

void Run::judge_memory(Holding what, std::int64_t most_growth) const {
    const auto bytes = [&](int part) {
        return parts_[static_cast<std::size_t>(part)].held[static_cast<std::size_t>(what)];
    };
    const std::int64_t first = bytes(tenths / 2) - bytes(0);
    const std::int64_t second = bytes(tenths - 1) - bytes(tenths / 2);
    if (second > most_growth + (wanted_.keeps ? first : 0)) {
        session_.fail("memory grows: %lld bytes more %s, %lld before", static_cast<long long>(second),
                      name_of(what), static_cast<long long>(first));
    }
}

/// A count may include resources on their way back, but not every time.
void Run::judge_count(Holding what) const {
    const auto held = [&](int part) {
        return parts_[static_cast<std::size_t>(part)].held[static_cast<std::size_t>(what)];
    };
    const bool of_communicators = what == Holding::communicators || what == Holding::context;
    if (wanted_.keeps && of_communicators) {  // the same number in every tenth
        session_.expect(held(tenths - 1) - held(tenths / 2) <= held(tenths / 2) - held(0),
                        "more communicators than were created");
        return;
    }
    std::int64_t most = held(0);
    std::int64_t least = held(tenths - 1);
    for (int i = 0; i < tenths / 2; ++i) {
        most = std::max(most, held(i));
        least = std::min(least, held(tenths - 1 - i));
    }
    if (least > most) {
        session_.fail("more and more %s: %lld in the first half, then %lld", name_of(what),
                      static_cast<long long>(most), static_cast<long long>(least));
    }
}

}  // namespace strata::testing
