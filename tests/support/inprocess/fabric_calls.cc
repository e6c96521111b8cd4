// Fabric calls made by the ranks.
#include <algorithm>
#include <string>
#include <utility>

#include "fabric_core.h"

namespace strata::testing {

/// Counts the call; returns false with `code` set when it must not run.
bool Fabric::enter(int rank, int& code) {
    const int number = ++report_.operations[rank];
    if (stopped_) {
        code = code_stopped;
        return false;
    }
    if (options_.failure.rank == rank && options_.failure.operation == number) {
        code = options_.failure.code;
        return false;
    }
    return true;
}

int Fabric::begin(Caller caller, int slots) {
    Lock lock(mutex_);
    int code = 0;
    if (!enter(caller.rank, code)) {
        return code;
    }
    std::vector<int>& own = call_of(caller).slots;
    if (slots < 0 || std::any_of(own.begin(), own.end(), [](int operation) { return operation >= 0; })) {
        report_.problems.push_back("rank " + std::to_string(caller.rank) + ": begin() while slots are busy");
        return code_misuse;
    }
    own.assign(static_cast<std::size_t>(slots), -1);
    return 0;
}

int Fabric::start(Caller caller, int slot, bool send, std::byte* data, std::size_t bytes, Way way) {
    Lock lock(mutex_);
    int code = 0;
    if (!enter(caller.rank, code)) {
        return code;
    }
    std::vector<int>& own = call_of(caller).slots;
    if (slot < 0 || slot >= static_cast<int>(own.size()) || own[slot] >= 0) {
        report_.problems.push_back("rank " + std::to_string(caller.rank) + ": slot " + std::to_string(slot) +
                                   " is busy or does not exist");
        return code_misuse;
    }
    const int operation = post(caller, slot, send, data, bytes, way);
    if (operation < 0) {
        return code_misuse;
    }
    own[slot] = operation;
    pause(lock, caller.rank);
    return 0;
}

int Fabric::single(Caller caller, bool send, std::byte* data, std::size_t bytes, int peer) {
    Lock lock(mutex_);
    int code = 0;
    if (!enter(caller.rank, code)) {
        return code;
    }
    int& single = call_of(caller).single;
    if (single >= 0) {
        report_.problems.push_back("rank " + std::to_string(caller.rank) + ": two single messages at once");
        return code_misuse;
    }
    const int operation = post(caller, -1, send, data, bytes, {peer, 0});
    if (operation < 0) {
        return code_misuse;
    }
    if (!caller.waits) {
        single = operation;
        pause(lock, caller.rank);
        return algorithms::under_way;
    }
    ranks_[caller.rank].blocking = operation;
    wait_ready(lock, caller.rank);
    ranks_[caller.rank].blocking = -1;
    if (stopped_) {
        cancel(operation);
        return code_stopped;
    }
    return operations_[operation].code;
}

int Fabric::test_single(Caller caller) {
    Lock lock(mutex_);
    int code = 0;
    if (!enter(caller.rank, code)) {
        return code;
    }
    int& single = call_of(caller).single;
    if (single < 0) {
        report_.problems.push_back("rank " + std::to_string(caller.rank) + ": test() without a message");
        return code_misuse;
    }
    if (!completed(single)) {
        return algorithms::under_way;
    }
    return operations_[std::exchange(single, -1)].code;
}

int Fabric::wait_some(Caller caller, std::span<int> done, int& count) {
    Lock lock(mutex_);
    count = 0;
    int code = 0;
    if (!enter(caller.rank, code)) {
        return code;
    }
    std::vector<int>& own = call_of(caller).slots;
    if (std::all_of(own.begin(), own.end(), [](int operation) { return operation < 0; })) {
        return 0;
    }
    if (done.size() < own.size()) {
        report_.problems.push_back("rank " + std::to_string(caller.rank) + ": wait_some() with room for " +
                                   std::to_string(done.size()) + " of " + std::to_string(own.size()) +
                                   " slots");
        return code_misuse;
    }
    if (caller.waits) {
        wait_ready(lock, caller.rank);
    }
    if (stopped_) {
        return code_stopped;
    }
    std::vector<int> finished;
    for (int slot = 0; slot < static_cast<int>(own.size()); ++slot) {
        if (completed(own[slot])) {
            finished.push_back(slot);
        }
    }
    if (finished.empty()) {
        return algorithms::under_way;
    }
    // Returns completions in any order and sometimes only some: an engine must not rely on more.
    for (std::size_t i = finished.size(); sequential() && i > 1; --i) {
        std::swap(finished[i - 1], finished[random_.below(i)]);
    }
    if (sequential() && random_.percent(30)) {
        finished.resize(1 + random_.below(finished.size()));
    }
    for (const int slot : finished) {
        const int result = operations_[own[slot]].code;
        code = code == 0 ? result : code;
        own[slot] = -1;
        done[count++] = slot;
    }
    return code;
}

int Fabric::wait_any(int rank) {
    Lock lock(mutex_);
    wait_ready(lock, rank);
    return stopped_ ? static_cast<int>(code_stopped) : 0;
}

void Fabric::abandon(Caller caller) noexcept {
    Lock lock(mutex_);
    ++report_.abandons[caller.rank];
    fail_peers(caller.rank);
}

}  // namespace strata::testing
