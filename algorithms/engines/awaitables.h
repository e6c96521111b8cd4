#pragma once
// The operations for which engines wait.
#include <array>
#include <cstddef>
#include <span>

#include "algorithms/base/task.h"
#include "algorithms/base/transport.h"
#include "algorithms/patterns/tree.h"

namespace strata::algorithms {

/// One message that has no slot.
class SingleMessage : public Awaitable<SingleMessage> {
public:
    int poll() { return code_ == under_way ? code_ = transport_.test() : code_; }

protected:
    SingleMessage(Transport& transport, int code) : transport_(transport), code_(code) {}

private:
    Transport& transport_;
    int code_;
};

/// `co_await Sent(...)`: Transport::send().
class Sent : public SingleMessage {
public:
    Sent(Transport& transport, const std::byte* data, std::size_t bytes, int peer)
        : SingleMessage(transport, transport.send(data, bytes, peer)) {}
};

/// `co_await Received(...)`: Transport::recv().
class Received : public SingleMessage {
public:
    Received(Transport& transport, std::byte* data, std::size_t bytes, int peer)
        : SingleMessage(transport, transport.recv(data, bytes, peer)) {}
};

/// `co_await Exchanged(...)`: sends `out` to a peer and receives `in` from it, in slot 0. It posts the
/// receive before the send, so that neither end waits for the other. It leaves out a part that is not
/// `due`.
class Exchanged : public Awaitable<Exchanged> {
public:
    struct Out {
        const std::byte* data;
        std::size_t bytes;
        bool due = true;
    };
    struct In {
        std::byte* data;
        std::size_t bytes;
        bool due = true;
    };
    Exchanged(Transport& transport, int peer, Out out, In in) : transport_(transport), receives_(in.due) {
        code_ = receives_ ? transport.irecv(0, in.data, in.bytes, peer) : 0;
        if (code_ == 0 && out.due) code_ = transport.send(out.data, out.bytes, peer);
    }
    int poll() {
        if (code_ == under_way) code_ = transport_.test();
        if (code_ != 0 || !receives_) return code_;
        std::array<int, 1> done{};
        int count = 0;
        return transport_.wait_some(done, count);
    }

private:
    Transport& transport_;
    bool receives_;
    int code_;
};

/// `co_await SentToAll(...)`: sends `bytes` bytes to every child; `overlapped()` runs once while the
/// messages are under way. `done`: room for one number per child.
template <class Work>
class SentToAll : public Awaitable<SentToAll<Work>> {
public:
    SentToAll(Transport& transport, std::span<const TreeLinks::Edge> children, const std::byte* data,
              std::size_t bytes, std::span<int> done, Work overlapped)
        : transport_(transport),
          children_(children),
          data_(data),
          bytes_(bytes),
          done_(done),
          overlapped_(overlapped) {}

    int poll() {
        const bool alone = children_.size() == 1;
        if (!begun_) {
            begun_ = true;
            if (children_.empty()) return overlapped_();
            if (alone) return finish(transport_.send(data_, bytes_, children_.front().peer));
            if (const int code = send_all(); code != 0) return code;
        } else if (alone) {
            return finish(transport_.test());
        }
        int code = 0;
        while (finished_ < children_.size() && code == 0) {
            int count = 0;
            code = transport_.wait_some(done_, count);
            finished_ += static_cast<std::size_t>(count);
        }
        return code;
    }

private:
    int finish(int code) { return code != 0 ? code : overlapped_(); }
    int send_all() {
        int code = transport_.begin(static_cast<int>(children_.size()));
        for (std::size_t child = 0; child < children_.size() && code == 0; ++child) {
            code = transport_.isend(static_cast<int>(child), data_, bytes_, children_[child].peer);
        }
        return code != 0 ? code : overlapped_();
    }

    Transport& transport_;
    std::span<const TreeLinks::Edge> children_;
    const std::byte* data_;
    std::size_t bytes_;
    std::span<int> done_;
    Work overlapped_;
    std::size_t finished_ = 0;
    bool begun_ = false;
};

}  // namespace strata::algorithms
