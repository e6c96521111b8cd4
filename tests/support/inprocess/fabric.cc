#include "fabric.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "fabric_core.h"

namespace strata::testing {
namespace {

constexpr std::byte poison{0xA5};

std::uint64_t checksum_of(const std::byte* data, std::size_t bytes) {
    std::uint64_t sum = 0xcbf29ce484222325ULL;
    for (std::size_t i = 0; i < bytes; ++i) {
        sum = (sum ^ static_cast<std::uint64_t>(data[i])) * 0x100000001b3ULL;
    }
    return sum;
}

}  // namespace

std::string RunReport::text() const {
    std::string all;
    for (const std::string& problem : problems) {
        all += problem + "\n";
    }
    return all;
}

bool RunReport::mentions(const std::string& words) const {
    return std::any_of(problems.begin(), problems.end(),
                       [&](const std::string& problem) { return problem.find(words) != std::string::npos; });
}

Fabric::Fabric(int ranks, const FabricOptions& options)
    : options_(options), random_(options.seed), ranks_(static_cast<std::size_t>(ranks)) {
    report_.codes.assign(ranks_.size(), 0);
    report_.abandons.assign(ranks_.size(), 0);
    report_.operations.assign(ranks_.size(), 0);
    // Some seeds favour the network, some the processes; each seed makes some processes slow.
    event_chance_ = random_.between(10, 90);
    for (Rank& rank : ranks_) {
        rank.slow = random_.percent(25);
    }
}

std::string Fabric::describe(const Operation& operation) const {
    return std::string(operation.send ? "send to " : "receive from ") + std::to_string(operation.peer) +
           " (" + std::to_string(operation.bytes) + " bytes, message " + std::to_string(operation.sequence) +
           (operation.call > 0 ? ", call " + std::to_string(operation.call) : "") +
           (operation.rail > 0 ? ", rail " + std::to_string(operation.rail) : "") +
           (operation.slot < 0 ? ", blocking)" : ", slot " + std::to_string(operation.slot) + ")");
}

Fabric::Channel& Fabric::channel_of(const Operation& operation) {
    const int from = operation.send ? operation.rank : operation.peer;
    const int to = operation.send ? operation.peer : operation.rank;
    return channels_[{from, to, options_.shared_tags ? 0 : operation.call, operation.rail}];
}

/// Adds an operation and matches it; -1 for a peer or a rail that does not exist.
int Fabric::post(Caller caller, int slot, bool send, std::byte* data, std::size_t bytes, Way way) {
    const auto [peer, rail, buffers] = way;
    const int rank = caller.rank;
    if (peer < 0 || peer >= static_cast<int>(ranks_.size()) || peer == rank || rail < 0 ||
        rail >= algorithms::Transport::most_rails) {
        report_.problems.push_back("rank " + std::to_string(rank) + ": peer " + std::to_string(peer) +
                                   ", rail " + std::to_string(rail));
        return -1;
    }
    const int id = static_cast<int>(operations_.size());
    Operation& operation = operations_.emplace_back();
    operation.send = send;
    operation.rank = rank;
    operation.call = caller.call;
    operation.peer = peer;
    operation.rail = rail;
    operation.slot = slot;
    operation.data = data;
    operation.bytes = bytes;
    Channel& channel = channel_of(operation);
    if (send) {
        operation.sequence = channel.next_send++;
        operation.checksum = checksum_of(data, bytes);
        operation.eager = bytes < options_.eager_bytes && buffers;
        report_.messages.push_back({rank, peer, bytes, operation.sequence, rail, caller.call});
        int& most = report_.in_flight[{rank, peer}];
        most = std::max(most, ++channel.unfinished);
        if (operation.eager) {
            operation.payload.assign(data, data + bytes);
            add_event({id, -1});
        }
        channel.sends.push_back(id);
    } else {
        operation.sequence = channel.next_receive++;
        if (bytes > 0) {
            std::memset(data, static_cast<int>(poison), bytes);
        }
        channel.receives.push_back(id);
    }
    match(channel);
    if (ranks_[peer].aborted && operation.state == State::posted) {
        (send ? channel.sends : channel.receives).pop_back();
        if (!operation.eager) {
            complete(id, code_peer_aborted);
        }
    }
    return id;
}

void Fabric::match(Channel& channel) {
    while (!channel.sends.empty() && !channel.receives.empty()) {
        const int send = channel.sends.front();
        const int receive = channel.receives.front();
        channel.receives.pop_front();
        if (operations_[send].sequence > operations_[receive].sequence) {
            complete(receive,
                     code_peer_aborted);  // the message it waits for was withdrawn; this one comes later
            continue;
        }
        channel.sends.pop_front();
        operations_[send].partner = receive;
        operations_[receive].partner = send;
        if (operations_[send].bytes != operations_[receive].bytes) {
            report_.problems.push_back("sizes differ: rank " + std::to_string(operations_[receive].rank) +
                                       " " + describe(operations_[receive]) + ", rank " +
                                       std::to_string(operations_[send].rank) + " " +
                                       describe(operations_[send]));
            complete(send, code_size_mismatch);
            complete(receive, code_size_mismatch);
            continue;
        }
        if (operations_[send].state == State::posted) {
            operations_[send].state = State::matched;
        }
        operations_[receive].state = State::matched;
        add_event({send, receive});
    }
}

void Fabric::execute(const Event& event) {
    Operation& send = operations_[event.send];
    if (event.receive < 0) {
        complete(event.send, 0);
        return;
    }
    Operation& receive = operations_[event.receive];
    if (receive.state == State::completed) {
        return;  // one end gave up meanwhile
    }
    const std::byte* source = send.eager ? send.payload.data() : send.data;
    if (receive.bytes > 0) {
        std::memcpy(receive.data, source, receive.bytes);
    }
    complete(event.receive, 0);
    if (!send.eager) {
        complete(event.send, 0);
    }
    std::vector<std::byte>().swap(send.payload);
}

void Fabric::complete(int id, int code) {
    Operation& operation = operations_[id];
    if (operation.state == State::completed) {
        return;
    }
    if (operation.send) {
        --channel_of(operation).unfinished;
        if (code == 0 && checksum_of(operation.data, operation.bytes) != operation.checksum) {
            report_.problems.push_back("rank " + std::to_string(operation.rank) +
                                       " changed the buffer of its " + describe(operation) + " in flight");
        }
    }
    operation.state = State::completed;
    operation.code = code;
    if (!sequential()) {
        ranks_[operation.rank].wake.notify_one();
    }
}

/// Withdraws an operation whose buffer becomes invalid. A buffered message stays in flight.
void Fabric::cancel(int id) {
    Operation& operation = operations_[id];
    if (operation.state == State::completed) {
        return;
    }
    if (operation.state == State::matched && !(operation.send && operation.eager)) {
        complete(operation.partner, code_peer_aborted);
    }
    if (operation.state == State::posted && !operation.eager) {
        Channel& channel = channel_of(operation);
        std::erase(operation.send ? channel.sends : channel.receives, id);
    }
    complete(id, code_stopped);
}

/// `rank` gives up: its own operations end, and so do the operations of others that wait for it.
void Fabric::fail_peers(int rank) {
    for (Call& call : ranks_[rank].calls) {
        for (int& operation : call.slots) {
            if (operation >= 0) {
                cancel(operation);
            }
            operation = -1;
        }
        if (call.single >= 0) {
            cancel(std::exchange(call.single, -1));
        }
    }
    ranks_[rank].aborted = true;
    for (auto& [way, channel] : channels_) {
        if (std::get<0>(way) == rank) {
            for (const int receive : channel.receives) {
                complete(receive, code_peer_aborted);
            }
            channel.receives.clear();
        } else if (std::get<1>(way) == rank) {
            for (const int send : channel.sends) {
                if (!operations_[send].eager) {
                    complete(send, code_peer_aborted);
                }
            }
            channel.sends.clear();
        }
    }
}

/// The rank's body has returned.
void Fabric::leave(int rank, int code) {
    report_.codes[rank] = code;
    Rank& self = ranks_[rank];
    if (code != 0) {
        fail_peers(rank);
    }
    for (const Call& call : self.calls) {
        for (const int operation : call.slots) {
            if (operation >= 0) {
                report_.problems.push_back("rank " + std::to_string(rank) +
                                           " ended with a busy slot: " + describe(operations_[operation]));
                cancel(operation);
            }
        }
    }
    self.finished = true;
    ++finished_;
}

void Fabric::check_end() {
    const bool aborted =
        std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.aborted; });
    if (aborted || stopped_) {
        return;  // remaining operations have a cause that was reported
    }
    for (const auto& [way, channel] : channels_) {
        for (const int send : channel.sends) {
            report_.problems.push_back("never received: rank " + std::to_string(std::get<0>(way)) + " " +
                                       describe(operations_[send]));
        }
    }
}

}  // namespace strata::testing
