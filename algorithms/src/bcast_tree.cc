#include "strata/algorithms/bcast_tree.h"

#include <algorithm>
#include <array>
#include <memory_resource>
#include <vector>

namespace strata::algorithms {
namespace {

/// Enough for a few dozen children or windows without a heap allocation.
constexpr std::size_t scratch_bytes = 4096;

bool is_whole(const TreeLinks::Edge& edge, std::size_t bytes) {
    return edge.segment_bytes == 0 || edge.segment_bytes >= bytes;
}

/// Sends the complete buffer to every child; `overlapped` runs once while the messages are under way.
template <typename Work>
int send_whole(Transport& transport, const std::vector<TreeLinks::Edge>& children, const PackedBuffer& buffer,
               Work&& overlapped) {
    if (children.empty()) {
        return overlapped();
    }
    if (children.size() == 1) {
        const int code = transport.send(buffer.data(), buffer.bytes(), children.front().peer);
        return code != 0 ? code : overlapped();
    }
    std::array<std::byte, scratch_bytes> scratch;
    std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size());
    std::pmr::vector<int> done(children.size(), &pool);
    int code = transport.begin(static_cast<int>(children.size()));
    for (std::size_t child = 0; child < children.size() && code == 0; ++child) {
        code = transport.isend(static_cast<int>(child), buffer.data(), buffer.bytes(), children[child].peer);
    }
    if (code == 0) {
        code = overlapped();
    }
    for (std::size_t finished = 0; finished < children.size() && code == 0;) {
        int count = 0;
        code = transport.wait_some(done, count);
        finished += static_cast<std::size_t>(count);
    }
    return code;
}

/// Every edge carries one message: the path of nearly all small calls.
int bcast_whole(Transport& transport, const TreeLinks& links, PackedBuffer& buffer) {
    if (links.parent.peer < 0) {
        const int code = buffer.produce(buffer.bytes());
        return code != 0 ? code : send_whole(transport, links.children, buffer, [] { return 0; });
    }
    const int code = transport.recv(buffer.data(), buffer.bytes(), links.parent.peer);
    if (code != 0) {
        return code;
    }
    // Unpacking waits for nobody but the children wait for us: they come first.
    return send_whole(transport, links.children, buffer, [&] { return buffer.consume(buffer.bytes()); });
}

/// One rank's part in a segmented broadcast: a stream of segments per edge, each with its own slots.
class Pipeline {
public:
    Pipeline(Transport& transport, const TreeLinks& links, PackedBuffer& buffer, int window,
             std::pmr::memory_resource* pool)
        : transport_(transport),
          buffer_(buffer),
          is_root_(links.parent.peer < 0),
          streams_(pool),
          slots_(pool),
          done_(pool) {
        streams_.reserve(links.children.size() + 1);
        add_stream(links.parent, is_root_ ? 0 : window);
        for (const TreeLinks::Edge& edge : links.children) {
            add_stream(edge, window);
        }
        slots_.resize(slot_count_);
        done_.resize(slot_count_);
        for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
            for (int slot = 0; slot < streams_[stream].slots; ++slot) {
                slots_[streams_[stream].first_slot + slot].stream = static_cast<int>(stream);
            }
        }
    }

    int run() {
        int code = transport_.begin(slot_count_);
        for (int slot = 0; slot < receiving().slots && code == 0; ++slot) {
            code = start_receive(slot);
        }
        if (code == 0) {
            code = feed_children();
        }
        while (code == 0 && pending_ > 0) {
            code = step();
        }
        return code;
    }

private:
    struct Stream {
        int peer = -1;
        std::size_t segment = 0;  ///< bytes of every message but the last
        std::size_t count = 0;    ///< messages in all
        std::size_t started = 0;
        int first_slot = 0;
        int slots = 0;
        int busy = 0;
    };
    struct Slot {
        int stream = 0;
        bool busy = false;
        std::size_t index = 0;  ///< of the segment that it carries
    };

    Stream& receiving() { return streams_.front(); }

    void add_stream(const TreeLinks::Edge& edge, int window) {
        Stream stream;
        stream.peer = edge.peer;
        stream.segment = is_whole(edge, buffer_.bytes()) ? buffer_.bytes() : edge.segment_bytes;
        if (window > 0) {
            stream.count = (buffer_.bytes() - 1) / stream.segment + 1;
            stream.slots = static_cast<int>(std::min<std::size_t>(window, stream.count));
        }
        stream.first_slot = slot_count_;
        slot_count_ += stream.slots;
        pending_ += stream.count;
        streams_.push_back(stream);
    }

    std::size_t end_of(const Stream& stream, std::size_t index) const {
        return index + 1 >= stream.count ? buffer_.bytes() : (index + 1) * stream.segment;
    }

    void occupy(Stream& stream, int slot) {
        slots_[slot].busy = true;
        slots_[slot].index = stream.started++;
        ++stream.busy;
    }

    int start_receive(int slot) {
        Stream& stream = receiving();
        const std::size_t begin = stream.started * stream.segment;
        const std::size_t end = end_of(stream, stream.started);
        occupy(stream, slot);
        return transport_.irecv(slot, buffer_.data() + begin, end - begin, stream.peer);
    }

    int start_send(Stream& stream) {
        int slot = stream.first_slot;
        while (slots_[slot].busy) {
            ++slot;
        }
        const std::size_t begin = stream.started * stream.segment;
        const std::size_t end = end_of(stream, stream.started);
        occupy(stream, slot);
        return transport_.isend(slot, buffer_.data() + begin, end - begin, stream.peer);
    }

    /// Starts whatever the windows and the available bytes allow, one segment per child and round, so that
    /// the root packs a segment only when every child has been given the one before.
    int feed_children() {
        for (bool progress = true; progress;) {
            progress = false;
            for (std::size_t child = 1; child < streams_.size(); ++child) {
                Stream& stream = streams_[child];
                if (stream.started == stream.count || stream.busy == stream.slots) {
                    continue;
                }
                const std::size_t end = end_of(stream, stream.started);
                if (end > available_) {
                    if (!is_root_) {
                        continue;
                    }
                    if (const int code = buffer_.produce(end); code != 0) {
                        return code;
                    }
                    available_ = end;
                }
                if (const int code = start_send(stream); code != 0) {
                    return code;
                }
                progress = true;
            }
        }
        return 0;
    }

    /// Bytes before the first segment that is still missing: later ones may have overtaken it.
    std::size_t complete_prefix() {
        const Stream& stream = receiving();
        std::size_t first_missing = stream.started;
        for (int slot = 0; slot < stream.slots; ++slot) {
            if (slots_[slot].busy) {
                first_missing = std::min(first_missing, slots_[slot].index);
            }
        }
        return first_missing == 0 ? 0 : end_of(stream, first_missing - 1);
    }

    int step() {
        int count = 0;
        if (const int code = transport_.wait_some(done_, count); code != 0) {
            return code;
        }
        bool received = false;
        for (int i = 0; i < count; ++i) {
            const int slot = done_[i];
            Stream& stream = streams_[slots_[slot].stream];
            slots_[slot].busy = false;
            --stream.busy;
            --pending_;
            if (slots_[slot].stream != 0) {
                continue;
            }
            received = true;
            if (stream.started < stream.count) {
                if (const int code = start_receive(slot); code != 0) {
                    return code;
                }
            }
        }
        const std::size_t before = available_;
        if (received) {
            available_ = complete_prefix();
        }
        const std::size_t arrived = available_;
        const int code = feed_children();
        return code == 0 && received && arrived > before ? buffer_.consume(arrived) : code;
    }

    Transport& transport_;
    PackedBuffer& buffer_;
    bool is_root_;
    std::size_t available_ = 0;  ///< bytes from the start that may be sent
    std::size_t pending_ = 0;    ///< messages that have not completed
    int slot_count_ = 0;
    std::pmr::vector<Stream> streams_;  ///< [0] receives (without slots at the root), the others send
    std::pmr::vector<Slot> slots_;
    std::pmr::vector<int> done_;
};

int bcast_segmented(Transport& transport, const TreeLinks& links, PackedBuffer& buffer, int window) {
    std::array<std::byte, scratch_bytes> scratch;
    std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size());
    return Pipeline(transport, links, buffer, std::max(1, window), &pool).run();
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
