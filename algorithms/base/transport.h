#pragma once
#include <cstddef>
#include <span>

#include "algorithms/base/collective.h"
#include "algorithms/base/task.h"
#include "topology/level.h"

namespace strata::algorithms {

/// The level that messages to a peer cross.
struct PeerLevel {
    int peer = -1;
    topology::LevelKind kind = topology::LevelKind::cluster;
    bool network = true;  ///< its links leave the node
    bool operator==(const PeerLevel&) const = default;
};

/// Non-blocking messages between the ranks of one communicator, as the engines need them. Messages of one
/// pair and rail arrive in the order sent; there are no tags. Codes: 0 is success, any other value is the
/// transport's own and is passed on unchanged. A transport serves one call at a time. If it waits, a task
/// runs to its end in start(); if it does not, functions that would have to wait return `under_way`.
class Transport {
public:
    /// Rails are 0..most_rails-1; they separate the streams of several trees.
    static constexpr int most_rails = 4;
    /// When a send in a slot is complete. If the transport buffers, only `matched` bounds what is under
    /// way: data in the buffers of a link delays acknowledgements of the other direction.
    enum class Completion {
        local,   ///< its data may be changed
        matched  ///< and its receive has been posted
    };
    virtual ~Transport() = default;

    /// Announces a call of `collective`, which lasts until the next begin_call(), and the peers of its
    /// messages, ascending. `levels` must stay valid until then. Called before begin() and send(), or
    /// never.
    virtual void begin_call(Collective /*collective*/, std::span<const PeerLevel> /*levels*/) {}

    /// Makes slots 0..slots-1 available, all idle.
    virtual int begin(int slots) = 0;
    /// Starts a message in an idle slot. Until it completes, `data` must not change (isend) and is
    /// undefined (irecv).
    virtual int isend(int slot, const std::byte* data, std::size_t bytes, int peer, int rail,
                      Completion completion) = 0;
    virtual int irecv(int slot, std::byte* data, std::size_t bytes, int peer, int rail) = 0;
    int isend(int slot, const std::byte* data, std::size_t bytes, int peer) {
        return isend(slot, data, bytes, peer, 0, Completion::local);
    }
    int isend(int slot, const std::byte* data, std::size_t bytes, int peer, int rail) {
        return isend(slot, data, bytes, peer, rail, Completion::local);
    }
    int irecv(int slot, std::byte* data, std::size_t bytes, int peer) {
        return irecv(slot, data, bytes, peer, 0);
    }
    /// Waits until at least one busy slot has completed. Writes completed slots (now idle) to `done` and
    /// their number to `count`, at least one and perhaps not all. `done` has room for every slot of
    /// begin(). Without a busy slot: count = 0. Returns the code of a failed message.
    virtual int wait_some(std::span<int> done, int& count) = 0;
    /// One message at a time on rail 0, independent of slots, for the many calls that are one message
    /// long. After `under_way`, test() returns the code.
    virtual int send(const std::byte* data, std::size_t bytes, int peer) = 0;
    virtual int recv(std::byte* data, std::size_t bytes, int peer) = 0;
    virtual int test() { return 0; }
    /// Gives up every busy slot after an error.
    virtual void abandon() noexcept = 0;
};

/// Runs a task to its end. Calls Transport::abandon() after an error.
inline int complete(Transport& transport, Task task) {
    const int code = task.run();
    if (code != 0) transport.abandon();
    return code;
}

/// The packed bytes of one operation's data. The default is plain memory; a datatype with gaps is packed
/// and unpacked piece by piece while the pieces travel.
class PackedBuffer {
public:
    PackedBuffer(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
    virtual ~PackedBuffer() = default;
    std::byte* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    /// Root: makes bytes [0, end) valid at data(). Called with growing `end`.
    virtual int produce(std::size_t /*end*/) { return 0; }
    /// Receiver: bytes [0, end) have arrived. Called with growing `end`, at last with bytes().
    virtual int consume(std::size_t /*end*/) { return 0; }

protected:
    std::byte* data_;
    std::size_t bytes_;
};

}  // namespace strata::algorithms
