#pragma once
#include "algorithms/engines/stream_table.h"

namespace strata::algorithms {

/// A stream of segments to every child, from one vector that fills from its start. A slow child never
/// delays another one.
class FanOut {
public:
    /// `source` produces missing bytes: the buffer at the root of a broadcast, nullptr elsewhere.
    FanOut(StreamTable& table, const std::byte* data, PackedBuffer* source = nullptr)
        : table_(table), data_(data), source_(source) {}

    /// Adds the children in sending order; no other stream may be added in between.
    void add(int child, const Segments& segments, int window) {
        const int stream = table_.add(child, segments, window);
        first_ = streams_ == 0 ? stream : first_;
        ++streams_;
    }
    /// Starts all sends that the windows and the first `available` bytes allow, one segment per child and
    /// round: a source produces a segment only after every child has the one before.
    int feed(std::size_t available);

private:
    StreamTable& table_;
    const std::byte* data_;
    PackedBuffer* source_;
    int first_ = 0;
    int streams_ = 0;
    std::size_t available_ = 0;
};

}  // namespace strata::algorithms
