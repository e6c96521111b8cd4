#pragma once
#include <optional>

#include "algorithms/engines/fan_out.h"
#include "algorithms/engines/segment_receiver.h"
#include "algorithms/patterns/tree.h"

namespace strata::algorithms {

/// One rank's part in a segmented broadcast over one tree: one stream of segments per edge, in slots of
/// `table`, which other engines may share (Together).
class BcastPipeline {
public:
    BcastPipeline(StreamTable& table, const TreeLinks& links, PackedBuffer& buffer, int window)
        : buffer_(buffer), fan_out_(table, buffer.data(), links.parent.peer < 0 ? &buffer : nullptr) {
        if (links.parent.peer >= 0) {
            receiver_.emplace(table, links.parent.peer, Segments(buffer.bytes(), links.parent.segment_bytes),
                              links.parent.in_flight(window), buffer.data());
        }
        for (const TreeLinks::Edge& edge : links.children) {
            fan_out_.add(edge.peer, Segments(buffer.bytes(), edge.segment_bytes), edge.in_flight(window));
        }
    }

    /// Returns the number of streams that the constructor adds.
    static std::size_t streams(const TreeLinks& links) { return links.children.size() + 1; }

    int start() {
        const int code = receiver_ ? receiver_->post() : 0;
        return code == 0 ? fan_out_.feed(0) : code;
    }

    int step() {
        const int code = receiver_ ? receiver_->post() : 0;
        if (code != 0) {
            return code;
        }
        const std::size_t arrived = receiver_ ? receiver_->available() : 0;
        if (const int fed = fan_out_.feed(arrived); fed != 0 || arrived <= consumed_) {
            return fed;
        }
        consumed_ = arrived;
        return buffer_.consume(arrived);
    }

private:
    PackedBuffer& buffer_;
    FanOut fan_out_;
    std::optional<SegmentReceiver> receiver_;
    std::size_t consumed_ = 0;
};

}  // namespace strata::algorithms
