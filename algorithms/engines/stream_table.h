#pragma once
#include <cstddef>
#include <memory_resource>
#include <span>
#include <vector>

#include "algorithms/base/task.h"
#include "algorithms/base/transport.h"
#include "algorithms/engines/segments.h"

namespace strata::algorithms {

/// The streams of one rank: each carries the segments of a vector to or from one peer, in order, one
/// window of them at a time. The parts of an engine (SegmentReceiver, FanOut, FanIn), and several engines,
/// share one table and so one wait (Together).
class StreamTable {
public:
    /// Reserves room for `streams` streams, from `pool`.
    StreamTable(Transport& transport, std::size_t streams, std::pmr::memory_resource* pool)
        : transport_(transport), streams_(pool), slots_(pool), done_(pool) {
        streams_.reserve(streams);
    }
    StreamTable(const StreamTable&) = delete;
    StreamTable& operator=(const StreamTable&) = delete;

    /// Adds a stream, before open(), and returns its number, from 0. A window below 1 counts as 1.
    int add(int peer, const Segments& segments, int window);
    /// Sets the transport's rail for streams added from now on; at first 0.
    void use_rail(int rail) { rail_ = rail; }
    /// Begins with the transport; no message is under way yet. `sends`: completion of streams longer than
    /// their window. The others complete locally: nothing waits for their slots, and an acknowledgement
    /// would cross the link once more. (The same holds for the last messages of a long stream, but local
    /// completion made 512 KiB and 1 MiB over 2 ms 15 % slower.)
    int open(Transport::Completion sends = Transport::Completion::local);

    const Segments& segments(int stream) const { return streams_[stream].segments; }
    /// Returns the segment to start next.
    std::size_t next(int stream) const { return streams_[stream].started; }
    /// Returns true while segments are left and the window has room.
    bool may_start(int stream) const {
        const Stream& self = streams_[stream];
        return self.started < self.segments.count() && self.busy < self.slots;
    }
    /// Start the next segment, at `data`; only if may_start(). `bytes`: the segment's size if segments are
    /// not cut alike; those of add() then only count them.
    int send_next(int stream, const std::byte* data) {
        return send_next(stream, data, segments(stream).size_of(next(stream)));
    }
    int send_next(int stream, const std::byte* data, std::size_t bytes);
    int receive_next(int stream, std::byte* data) {
        return receive_next(stream, data, segments(stream).size_of(next(stream)));
    }
    int receive_next(int stream, std::byte* data, std::size_t bytes);

    /// Returns the number of segments before the first incomplete one; later ones may have overtaken it.
    std::size_t finished(int stream) const;
    /// Returns true while some segment of some stream is not complete.
    bool pending() const { return pending_ > 0; }
    /// Waits for at least one message, or returns `under_way`. completed() then has the streams, one entry
    /// per message.
    int wait();
    std::span<const int> completed() const { return {done_.data(), completed_}; }

private:
    struct Stream {
        int peer;
        int rail;
        Segments segments;
        int first_slot;
        int slots;
        int busy = 0;
        std::size_t started = 0;
    };
    struct Slot {
        int stream = 0;
        bool busy = false;
        std::size_t segment = 0;
    };
    int occupy(Stream& stream);

    Transport& transport_;
    std::pmr::vector<Stream> streams_;
    std::pmr::vector<Slot> slots_;
    std::pmr::vector<int> done_;  ///< slots, then their streams
    std::size_t completed_ = 0;
    std::size_t pending_ = 0;
    Transport::Completion sends_ = Transport::Completion::local;
    int slot_count_ = 0;
    int rail_ = 0;
};

/// `co_await` runs the engines that own all streams of `table` to their end: start() for each, then step()
/// for each after every wait. `sends`: see StreamTable::open().
template <class Engine>
class Together : public Awaitable<Together<Engine>> {
public:
    Together(StreamTable& table, std::span<Engine> engines,
             Transport::Completion sends = Transport::Completion::local)
        : table_(table), engines_(engines), sends_(sends) {}

    int poll() {
        int code = 0;
        if (!begun_) {
            begun_ = true;
            code = table_.open(sends_);
            for (Engine& engine : engines_) {
                code = code == 0 ? engine.start() : code;
            }
        }
        while (code == 0 && table_.pending()) {
            code = table_.wait();
            for (Engine& engine : engines_) {
                code = code == 0 ? engine.step() : code;
            }
        }
        return code;
    }

private:
    StreamTable& table_;
    std::span<Engine> engines_;
    Transport::Completion sends_;
    bool begun_ = false;
};

}  // namespace strata::algorithms
