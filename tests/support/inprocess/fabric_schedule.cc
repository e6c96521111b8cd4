#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "fabric_core.h"

namespace strata::testing {
namespace {

/// What one rank's engine sees of the fabric.
class FabricTransport : public algorithms::Transport {
public:
    FabricTransport(Fabric& fabric, int rank) : fabric_(fabric), rank_(rank) {}
    int begin(int slots) override { return fabric_.begin(rank_, slots); }
    int isend(int slot, const std::byte* data, std::size_t bytes, int peer, int lane,
              Completion completion) override {
        return fabric_.start(rank_, slot, true, const_cast<std::byte*>(data), bytes,
                             {peer, lane, completion == Completion::local});
    }
    int irecv(int slot, std::byte* data, std::size_t bytes, int peer, int lane) override {
        return fabric_.start(rank_, slot, false, data, bytes, {peer, lane});
    }
    int wait_some(std::span<int> done, int& count) override { return fabric_.wait_some(rank_, done, count); }
    int send(const std::byte* data, std::size_t bytes, int peer) override {
        return fabric_.blocking(rank_, true, const_cast<std::byte*>(data), bytes, peer);
    }
    int recv(std::byte* data, std::size_t bytes, int peer) override {
        return fabric_.blocking(rank_, false, data, bytes, peer);
    }
    void abandon() noexcept override { fabric_.abandon(rank_); }

private:
    Fabric& fabric_;
    int rank_;
};

}  // namespace

/// Sequential: keeps the event for a later turn. Concurrent: it happens now, in the thread that made it
/// possible.
void Fabric::add_event(const Event& event) {
    if (!sequential()) {
        execute(event);
        return;
    }
    (random_.percent(12) ? late_ : prompt_).push_back(event);
}

bool Fabric::ready(int rank) const {
    if (stopped_) {
        return true;
    }
    const Rank& self = ranks_[rank];
    if (self.blocking >= 0) {
        return operations_[self.blocking].state == State::completed;
    }
    return std::any_of(self.slots.begin(), self.slots.end(), [&](int operation) {
        return operation >= 0 && operations_[operation].state == State::completed;
    });
}

/// Ends the run: every waiting call and every later one fails.
void Fabric::stop(const std::string& why) {
    if (stopped_) {
        return;
    }
    std::string report = why;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        const Rank& self = ranks_[rank];
        if (!self.waiting || self.finished) {
            continue;
        }
        report += "\n  rank " + std::to_string(rank) + " waits for:";
        if (self.blocking >= 0) {
            report += " " + describe(operations_[self.blocking]);
            continue;
        }
        for (const int operation : self.slots) {
            if (operation >= 0) {
                report += " " + describe(operations_[operation]) + ";";
            }
        }
    }
    stopped_ = true;
    report_.problems.push_back(report);
    for (Rank& rank : ranks_) {
        rank.wake.notify_all();
    }
}

/// Lets one network event happen; false when it is a rank's turn.
bool Fabric::run_event(bool somebody_runnable) {
    std::vector<Event>* events = nullptr;
    if (!prompt_.empty() && (!somebody_runnable || random_.percent(event_chance_))) {
        events = &prompt_;
    } else if (!somebody_runnable && !late_.empty()) {
        events = &late_;
    } else {
        return false;
    }
    const std::size_t index = random_.below(events->size());
    const Event event = (*events)[index];
    (*events)[index] = events->back();
    events->pop_back();
    execute(event);
    return true;
}

/// Sequential: hands the turn to the next rank, after as many network events as the seed says.
void Fabric::schedule_next() {
    std::vector<int> turns;
    for (;;) {
        turns.clear();
        for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
            if (!ranks_[rank].finished && (!ranks_[rank].waiting || ready(rank))) {
                turns.insert(turns.end(), ranks_[rank].slow ? 1 : 8, rank);
            }
        }
        if (run_event(!turns.empty())) {
            continue;
        }
        if (!turns.empty()) {
            current_ = turns[random_.below(turns.size())];
            ranks_[current_].wake.notify_all();
            return;
        }
        if (finished_ == static_cast<int>(ranks_.size())) {
            current_ = -1;
            return;
        }
        report_.deadlock = true;
        stop("deadlock: nobody can run and nothing is in flight");
    }
}

/// Concurrent: the same exact test, possible because events never wait there.
void Fabric::check_blocked() {
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
        if (!ranks_[rank].finished && (!ranks_[rank].waiting || ready(rank))) {
            return;
        }
    }
    if (finished_ < static_cast<int>(ranks_.size()) && !stopped_) {
        report_.deadlock = true;
        stop("deadlock: nobody can run and nothing is in flight");
    }
}

/// A chance for others to overtake after a call that does not block.
void Fabric::pause(Lock& lock, int rank) {
    if (!sequential() || !random_.percent(25)) {
        return;
    }
    schedule_next();
    ranks_[rank].wake.wait(lock, [&] { return current_ == rank; });
}

void Fabric::wait_ready(Lock& lock, int rank) {
    Rank& self = ranks_[rank];
    self.waiting = true;
    if (sequential()) {
        schedule_next();
        self.wake.wait(lock, [&] { return current_ == rank; });
    } else {
        check_blocked();
        self.wake.wait(lock, [&] { return ready(rank); });
    }
    self.waiting = false;
}

void Fabric::rank_thread(int rank, const RankBody& body) {
    if (sequential()) {
        Lock lock(mutex_);
        ranks_[rank].wake.wait(lock, [&] { return current_ == rank; });
    }
    FabricTransport transport(*this, rank);
    int code = code_misuse;
    std::string thrown;
    try {
        code = body(rank, transport);
    } catch (const std::exception& error) {
        thrown = "rank " + std::to_string(rank) + " threw: " + error.what();
    }
    Lock lock(mutex_);
    if (!thrown.empty()) {
        report_.problems.push_back(thrown);
    }
    leave(rank, code);
    if (sequential()) {
        schedule_next();
    } else {
        check_blocked();
    }
    if (finished_ == static_cast<int>(ranks_.size())) {
        all_finished_.notify_all();
    }
}

void Fabric::supervise(Lock& lock) {
    const auto finished = [&] { return finished_ == static_cast<int>(ranks_.size()); };
    if (all_finished_.wait_for(lock, options_.watchdog, finished)) {
        return;
    }
    stop("watchdog: no end after " + std::to_string(options_.watchdog.count()) + " ms");
    if (!all_finished_.wait_for(lock, std::chrono::seconds(10), finished)) {
        std::fprintf(stderr, "%sa rank does not call the transport any more\n", report_.text().c_str());
        std::abort();
    }
}

RunReport Fabric::run(const RankBody& body) {
    std::vector<std::thread> threads;
    threads.reserve(ranks_.size());
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
        threads.emplace_back([this, rank, &body] { rank_thread(rank, body); });
    }
    {
        Lock lock(mutex_);
        if (sequential()) {
            schedule_next();
        }
        supervise(lock);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    // Buffered messages may still be under way to a receiver that has come and gone: that is no fault.
    check_end();
    return std::move(report_);
}

RunReport run_ranks(int ranks, const FabricOptions& options, const RankBody& body) {
    return Fabric(ranks, options).run(body);
}

}  // namespace strata::testing
