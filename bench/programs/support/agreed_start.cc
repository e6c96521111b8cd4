#include "agreed_start.h"

#include <sys/prctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

namespace bench {

namespace {

constexpr int outcome_tag = 1;
constexpr int gather_tag = 2;
constexpr int clock_tag = 3;
constexpr int end_tag = 4;
constexpr int clock_questions = 100;
constexpr std::int64_t late_mark = -1;  // in place of an end time
constexpr std::int64_t not_awaited_mark = 0;
constexpr std::int64_t longest_lead_ns = 2'000'000'000;
constexpr int timely_starts = 50;  // starts in time before a shorter lead is tried

// Identifies the clock: the boot of the kernel and the time namespace, which may shift it.
std::int64_t clock_identity() {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    struct stat time_namespace {};
    if (stat("/proc/self/ns/time", &time_namespace) == 0) boot += std::to_string(time_namespace.st_ino);
    return static_cast<std::int64_t>(std::hash<std::string>{}(boot));
}

}  // namespace

std::int64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

void wait_until(std::int64_t time_ns, std::int64_t spin_ns) {
    const std::int64_t wake_ns = time_ns - spin_ns;
    const timespec wake{static_cast<time_t>(wake_ns / 1'000'000'000),
                        static_cast<long>(wake_ns % 1'000'000'000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr) == EINTR) {
    }
    while (now_ns() < time_ns) {
    }
}

Conductor::Conductor(MPI_Comm original) {
    MPI_Comm_dup(original, &control_);
    MPI_Comm_rank(control_, &rank_);
    MPI_Comm_size(control_, &size_);
    requests_.resize(static_cast<std::size_t>(size_ - 1));
    values_.resize(static_cast<std::size_t>(size_));
    prctl(PR_SET_TIMERSLACK, 1);  // the kernel otherwise ends a sleep up to 50 us late
    several_clocks_ = !one_clock();
    compare_clocks();
}

Conductor::~Conductor() { MPI_Comm_free(&control_); }

bool Conductor::one_clock() {
    const auto identities = gather(clock_identity());
    return agree(std::ranges::all_of(identities, [&](std::int64_t one) { return one == identities[0]; })) !=
           0;
}

void Conductor::compare_clocks() {
    if (!several_clocks_) return;
    if (rank_ != 0) return answer();
    uncertainty_ns_ = 0;
    for (int other = 1; other < size_; ++other) {
        const std::int64_t ahead = ask(other);
        MPI_Send(&ahead, 1, MPI_INT64_T, other, clock_tag, control_);
    }
}

std::int64_t Conductor::ask(int other) {
    std::int64_t ahead = 0, quickest = std::numeric_limits<std::int64_t>::max();
    for (int question = 0; question < clock_questions; ++question) {
        std::int64_t theirs = 0;
        const std::int64_t before = now_ns();
        MPI_Send(&before, 1, MPI_INT64_T, other, clock_tag, control_);
        MPI_Recv(&theirs, 1, MPI_INT64_T, other, clock_tag, control_, MPI_STATUS_IGNORE);
        const std::int64_t after = now_ns();
        if (after - before >= quickest) continue;
        quickest = after - before;
        ahead = theirs - (before + quickest / 2);
    }
    uncertainty_ns_ = std::max(uncertainty_ns_, quickest);  // half of it for each of two ranks
    return ahead;
}

void Conductor::answer() {
    for (int question = 0; question < clock_questions; ++question) {
        std::int64_t theirs = 0;
        MPI_Recv(&theirs, 1, MPI_INT64_T, 0, clock_tag, control_, MPI_STATUS_IGNORE);
        const std::int64_t mine = now_ns();
        MPI_Send(&mine, 1, MPI_INT64_T, 0, clock_tag, control_);
    }
    MPI_Recv(&ahead_ns_, 1, MPI_INT64_T, 0, clock_tag, control_, MPI_STATUS_IGNORE);
}

void Conductor::send_to_all(std::int64_t& value) {
    if (rank_ != 0) {
        MPI_Recv(&value, 1, MPI_INT64_T, 0, outcome_tag, control_, MPI_STATUS_IGNORE);
        return;
    }
    for (int other = 1; other < size_; ++other) {
        MPI_Isend(&value, 1, MPI_INT64_T, other, outcome_tag, control_,
                  &requests_[static_cast<std::size_t>(other - 1)]);
    }
    MPI_Waitall(size_ - 1, requests_.data(), MPI_STATUSES_IGNORE);
}

std::span<const std::int64_t> Conductor::gather(std::int64_t value) {
    if (rank_ != 0) {
        MPI_Send(&value, 1, MPI_INT64_T, 0, gather_tag, control_);
        return {};
    }
    values_[0] = value;
    for (int other = 1; other < size_; ++other) {
        const auto place = static_cast<std::size_t>(other);
        MPI_Irecv(&values_[place], 1, MPI_INT64_T, other, gather_tag, control_, &requests_[place - 1]);
    }
    MPI_Waitall(size_ - 1, requests_.data(), MPI_STATUSES_IGNORE);
    return values_;
}

bool Conductor::start(bool more, std::int64_t spin_ns) {
    start_ns_ = more ? now_ns() + lead_ns_ : 0;
    send_to_all(start_ns_);
    if (start_ns_ == 0) return false;
    late_ = common(now_ns()) >= start_ns_;
    wait_until(start_ns_ + ahead_ns_, spin_ns);
    return true;
}

void Conductor::adapt_lead(bool late) {
    if (!late && ++timely_ < timely_starts) return;
    timely_ = 0;
    lead_ns_ = late ? std::min(2 * lead_ns_, longest_lead_ns) : std::max(lead_ns_ / 2, least_lead_ns);
}

void Conductor::wait_for(int rank) {
    if (rank_ == rank && rank != 0) MPI_Send(nullptr, 0, MPI_BYTE, 0, end_tag, control_);
    if (rank_ == 0 && rank != 0) {
        MPI_Recv(nullptr, 0, MPI_BYTE, rank, end_tag, control_, MPI_STATUS_IGNORE);
    }
    std::int64_t ended = 0;
    send_to_all(ended);
}

Outcome Conductor::finish(std::int64_t end_ns, bool awaited, int alone) {
    if (alone != all_ranks) wait_for(alone);
    gather(late_ ? late_mark : awaited ? common(end_ns) : not_awaited_mark);
    Outcome outcome;
    if (rank_ == 0) {
        outcome.duration_ns = *std::max_element(values_.begin(), values_.end()) - start_ns_;
        outcome.late = std::count(values_.begin(), values_.end(), late_mark);
        adapt_lead(outcome.late > 0);
    }
    std::int64_t all_ended = 0;
    send_to_all(all_ended);
    return outcome;
}

std::int64_t Conductor::sum(std::int64_t value) {
    const auto values = gather(value);
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

std::int64_t Conductor::agree(std::int64_t value) {
    send_to_all(value);
    return value;
}

std::string Conductor::share(std::string text) {
    text.resize(static_cast<std::size_t>(agree(static_cast<std::int64_t>(text.size()))));
    const int bytes = static_cast<int>(text.size());
    if (rank_ != 0) MPI_Recv(text.data(), bytes, MPI_CHAR, 0, outcome_tag, control_, MPI_STATUS_IGNORE);
    for (int other = 1; rank_ == 0 && other < size_; ++other) {
        MPI_Send(text.data(), bytes, MPI_CHAR, other, outcome_tag, control_);
    }
    return text;
}

}  // namespace bench
