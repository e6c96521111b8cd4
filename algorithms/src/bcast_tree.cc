#include "strata/algorithms/bcast_tree.h"

#include <algorithm>
#include <optional>

#include "fan_out.h"
#include "segment_receiver.h"
#include "whole_messages.h"

namespace strata::algorithms {
namespace {

bool is_whole(const TreeLinks::Edge& edge, std::size_t bytes) {
    return edge.segment_bytes == 0 || edge.segment_bytes >= bytes;
}

/// Every edge carries one message.
int bcast_whole(Transport& transport, const TreeLinks& links, PackedBuffer& buffer) {
    const auto send = [&](auto&& overlapped) {
        return send_whole(transport, links.children, buffer.data(), buffer.bytes(), overlapped);
    };
    if (links.parent.peer < 0) {
        const int code = buffer.produce(buffer.bytes());
        return code != 0 ? code : send([] { return 0; });
    }
    const int code = transport.recv(buffer.data(), buffer.bytes(), links.parent.peer);
    if (code != 0) {
        return code;
    }
    // Unpacking waits for nobody but the children wait for us: they come first.
    return send([&] { return buffer.consume(buffer.bytes()); });
}

/// One rank's part in a segmented broadcast: a stream of segments per edge, each with its own slots.
class Pipeline {
public:
    Pipeline(Transport& transport, const TreeLinks& links, PackedBuffer& buffer, int window,
             std::pmr::memory_resource* pool)
        : buffer_(buffer),
          table_(transport, links.children.size() + 1, pool),
          fan_out_(table_, buffer.data(), links.parent.peer < 0 ? &buffer : nullptr) {
        if (links.parent.peer >= 0) {
            receiver_.emplace(table_, links.parent.peer, Segments(buffer.bytes(), links.parent.segment_bytes),
                              window, buffer.data());
        }
        for (const TreeLinks::Edge& edge : links.children) {
            fan_out_.add(edge.peer, Segments(buffer.bytes(), edge.segment_bytes), window);
        }
    }

    int run() {
        int code = table_.open();
        if (code == 0 && receiver_) {
            code = receiver_->post();
        }
        if (code == 0) {
            code = fan_out_.feed(0);
        }
        while (code == 0 && table_.pending()) {
            code = step();
        }
        return code;
    }

private:
    int step() {
        int code = table_.wait();
        if (code == 0 && receiver_) {
            code = receiver_->post();
        }
        if (code != 0) {
            return code;
        }
        const std::size_t arrived = receiver_ ? receiver_->available() : 0;
        code = fan_out_.feed(arrived);
        if (code == 0 && arrived > consumed_) {
            consumed_ = arrived;
            code = buffer_.consume(arrived);
        }
        return code;
    }

    PackedBuffer& buffer_;
    StreamTable table_;
    FanOut fan_out_;
    std::optional<SegmentReceiver> receiver_;
    std::size_t consumed_ = 0;
};

int bcast_segmented(Transport& transport, const TreeLinks& links, PackedBuffer& buffer, int window) {
    std::array<std::byte, scratch_bytes> scratch;
    std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size());
    return Pipeline(transport, links, buffer, window, &pool).run();
}

}  // namespace

int bcast_tree(Transport& transport, const TreeLinks& links, PackedBuffer& buffer, int window) {
    const std::size_t bytes = buffer.bytes();
    if (bytes == 0) {
        return 0;
    }
    const bool whole = (links.parent.peer < 0 || is_whole(links.parent, bytes)) &&
                       std::all_of(links.children.begin(), links.children.end(),
                                   [bytes](const TreeLinks::Edge& edge) { return is_whole(edge, bytes); });
    const int code =
        whole ? bcast_whole(transport, links, buffer) : bcast_segmented(transport, links, buffer, window);
    if (code != 0) {
        transport.abandon();
    }
    return code;
}

}  // namespace strata::algorithms
