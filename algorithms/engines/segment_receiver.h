#pragma once
#include <limits>

#include "algorithms/engines/stream_table.h"

namespace strata::algorithms {

/// The stream of segments from the parent, received in place.
class SegmentReceiver {
public:
    SegmentReceiver(StreamTable& table, int parent, const Segments& segments, int window, std::byte* data)
        : table_(table), data_(data), stream_(table.add(parent, segments, window)) {}

    /// Posts receives as far ahead as the window allows, but only for the first `limit` segments: the
    /// memory of the others is still in use.
    int post(std::size_t limit = std::numeric_limits<std::size_t>::max()) {
        int code = 0;
        while (code == 0 && table_.may_start(stream_) && table_.next(stream_) < limit) {
            const std::size_t begin = table_.segments(stream_).begin(table_.next(stream_));
            code = table_.receive_next(stream_, data_ + begin);
        }
        return code;
    }
    /// Returns the bytes of the vector, from its start, that have arrived.
    std::size_t available() const { return table_.segments(stream_).prefix(table_.finished(stream_)); }

private:
    StreamTable& table_;
    std::byte* data_;
    int stream_;
};

}  // namespace strata::algorithms
