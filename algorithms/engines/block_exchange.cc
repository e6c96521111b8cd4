#include "algorithms/engines/block_exchange.h"

#include <algorithm>
#include <memory_resource>
#include <vector>

#include "algorithms/engines/block_streams.h"

namespace strata::algorithms {
namespace {

/// One message per stream. The messages of several incoming, or several outgoing, streams run at once.
class SingleMessages {
public:
    SingleMessages(Transport& transport, BlockStreams& blocks, Arena& arena)
        : transport_(transport),
          blocks_(blocks),
          messages_(arena.values<BlockMessage>(blocks.in().size() + blocks.out().size())),
          done_(arena.values<int>(std::max(blocks.in().size(), blocks.out().size()))) {
        for (const auto streams : {blocks.in(), blocks.out()}) {
            for (const CutStream& stream : streams) {
                blocks.prepare(stream, std::span(&message_of(stream), 1));
            }
        }
    }

    /// `co_await`: the messages of all streams of one direction.
    class Exchange : public Awaitable<Exchange> {
    public:
        Exchange(SingleMessages& all, std::span<CutStream> streams, bool incoming)
            : all_(all),
              streams_(streams),
              incoming_(incoming),
              messages_(static_cast<int>(std::count_if(streams.begin(), streams.end(), is_used))) {}

        int poll() {
            int code = 0;
            if (!begun_) {
                begun_ = true;
                code = start();
            } else if (messages_ == 1) {
                code = all_.transport_.test();
            }
            while (messages_ > 1 && finished_ < messages_ && code == 0) {
                int count = 0;
                code = all_.transport_.wait_some(all_.done_, count);
                finished_ += count;
            }
            if (code == 0 && incoming_) deliver();
            return code;
        }

    private:
        static bool is_used(const CutStream& stream) { return stream.count > 0; }
        int start() {
            int code = messages_ > 1 ? all_.transport_.begin(messages_) : 0;
            int slot = 0;
            for (CutStream& stream : streams_) {
                if (is_used(stream) && code == 0) {
                    code = incoming_ ? receive(slot++, stream) : send(slot++, stream);
                }
            }
            return code;
        }
        int receive(int slot, CutStream& stream) {
            BlockMessage& message = all_.message_of(stream);
            std::byte* const data = all_.blocks_.next_incoming(stream, message);
            return messages_ == 1 ? all_.transport_.recv(data, message.bytes, stream.route->peer)
                                  : all_.transport_.irecv(slot, data, message.bytes, stream.route->peer);
        }
        int send(int slot, CutStream& stream) {
            BlockMessage& message = all_.message_of(stream);
            const std::byte* const data = all_.blocks_.next_outgoing(stream, message);
            return messages_ == 1 ? all_.transport_.send(data, message.bytes, stream.route->peer)
                                  : all_.transport_.isend(slot, data, message.bytes, stream.route->peer);
        }
        void deliver() {
            for (const CutStream& stream : streams_) {
                if (is_used(stream)) all_.blocks_.deliver(stream, all_.message_of(stream));
            }
        }

        SingleMessages& all_;
        std::span<CutStream> streams_;
        bool incoming_;
        int messages_;
        int finished_ = 0;
        bool begun_ = false;
    };

private:
    /// Incoming and outgoing streams are contiguous.
    BlockMessage& message_of(const CutStream& stream) {
        return messages_[static_cast<std::size_t>(&stream - blocks_.in().data())];
    }

    Transport& transport_;
    BlockStreams& blocks_;
    std::span<BlockMessage> messages_;  ///< by stream
    std::span<int> done_;
};

/// `co_await`: all streams at once, each with its own slots.
class PipelinedStreams : public Awaitable<PipelinedStreams> {
public:
    PipelinedStreams(Transport& transport, BlockStreams& blocks, int window, Transport::Completion sends,
                     Arena& arena)
        : transport_(transport),
          blocks_(blocks),
          sends_(sends),
          streams_(&arena),
          slots_(&arena),
          messages_(&arena),
          done_(&arena) {
        streams_.reserve(blocks.in().size() + blocks.out().size());
        add_streams(blocks.in(), window);
        incoming_ = streams_.size();
        add_streams(blocks.out(), window);
        slots_.resize(slot_count_);
        done_.resize(slot_count_);
        messages_.resize(slot_count_);
        for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
            const Stream& self = streams_[stream];
            for (int i = 0; i < self.slots; ++i) {
                slots_[self.first_slot + i].stream = stream;
            }
            blocks.prepare(*self.cut, std::span(messages_).subspan(self.first_slot, self.slots));
        }
    }

    int poll() {
        int code = 0;
        if (!begun_ && pending_ > 0) {
            begun_ = true;
            code = start();
        }
        while (code == 0 && pending_ > 0) {
            code = step();
        }
        return code;
    }

private:
    int start() {
        blocks_.expect_arrivals();
        int code = transport_.begin(slot_count_);
        for (std::size_t stream = 0; stream < incoming_; ++stream) {
            for (int i = 0; i < streams_[stream].slots && code == 0; ++i) {
                code = start_receive(streams_[stream].first_slot + i);
            }
        }
        return code == 0 ? feed_all() : code;
    }

    /// A stream and its slots.
    struct Stream {
        CutStream* cut = nullptr;
        int first_slot = 0;
        int slots = 0;
        int busy = 0;
    };
    struct Slot {
        std::size_t stream = 0;
        bool busy = false;
    };

    void add_streams(std::span<CutStream> streams, int window) {
        for (CutStream& cut : streams) {
            const auto most = static_cast<std::size_t>(std::max(window, cut.route->window));
            const auto slots = static_cast<int>(std::min(most, cut.count));
            streams_.push_back({&cut, slot_count_, slots, 0});
            slot_count_ += slots;
            pending_ += cut.count;
        }
    }

    int start_receive(int number) {
        Slot& slot = slots_[number];
        Stream& stream = streams_[slot.stream];
        BlockMessage& message = messages_[number];
        std::byte* const data = blocks_.next_incoming(*stream.cut, message);
        slot.busy = true;
        ++stream.busy;
        const BlockStream& route = *stream.cut->route;
        return transport_.irecv(number, data, message.bytes, route.peer, route.rail);
    }

    int start_send(Stream& stream) {
        int number = stream.first_slot;
        while (slots_[number].busy) {
            ++number;
        }
        BlockMessage& message = messages_[number];
        const std::byte* const data = blocks_.next_outgoing(*stream.cut, message);
        slots_[number].busy = true;
        ++stream.busy;
        const BlockStream& route = *stream.cut->route;
        // As in StreamTable::open().
        const bool fits = stream.cut->count <= static_cast<std::size_t>(stream.slots);
        const auto completion = fits ? Transport::Completion::local : sends_;
        return transport_.isend(number, data, message.bytes, route.peer, route.rail, completion);
    }

    bool can_send(Stream& stream) {
        return stream.busy < stream.slots && stream.cut->started < stream.cut->count &&
               blocks_.is_here(*stream.cut);
    }

    /// Starts all sends that windows and arrivals allow, one message per stream and round: no stream waits
    /// while another one's messages are packed.
    int feed_all() {
        for (bool progress = true; progress;) {
            progress = false;
            for (std::size_t stream = incoming_; stream < streams_.size(); ++stream) {
                if (!can_send(streams_[stream])) {
                    continue;
                }
                if (const int code = start_send(streams_[stream]); code != 0) {
                    return code;
                }
                progress = true;
            }
        }
        return 0;
    }

    int feed(Stream& stream) {
        int code = 0;
        while (code == 0 && can_send(stream)) {
            code = start_send(stream);
        }
        return code;
    }

    /// Returns the number of messages before the first missing one; later ones may have overtaken it.
    std::size_t complete_prefix(const Stream& stream) {
        std::size_t first_missing = stream.cut->started;
        for (int i = 0; i < stream.slots; ++i) {
            const int number = stream.first_slot + i;
            if (slots_[number].busy) {
                first_missing = std::min(first_missing, messages_[number].number);
            }
        }
        return first_missing;
    }

    int take_in(int number) {
        Stream& stream = streams_[slots_[number].stream];
        blocks_.deliver(*stream.cut, messages_[number]);
        const int code = stream.cut->started < stream.cut->count ? start_receive(number) : 0;
        if (const std::size_t messages = complete_prefix(stream); messages > 0) {
            blocks_.note_arrival(*stream.cut, stream.cut->end_of(messages - 1));
        }
        return code;
    }

    int step() {
        int count = 0;
        if (const int code = transport_.wait_some(done_, count); code != 0) {
            return code;
        }
        bool received = false;
        for (int i = 0; i < count; ++i) {
            const int number = done_[i];
            Slot& slot = slots_[number];
            slot.busy = false;
            --streams_[slot.stream].busy;
            --pending_;
            if (slot.stream < incoming_) {
                received = true;
                if (const int code = take_in(number); code != 0) {
                    return code;
                }
            }
        }
        if (received) {
            return feed_all();
        }
        int code = 0;
        for (int i = 0; i < count && code == 0; ++i) {
            code = feed(streams_[slots_[done_[i]].stream]);
        }
        return code;
    }

    Transport& transport_;
    BlockStreams& blocks_;
    Transport::Completion sends_;
    std::size_t pending_ = 0;  ///< messages that have not completed
    std::size_t incoming_ = 0;
    int slot_count_ = 0;
    std::pmr::vector<Stream> streams_;  ///< incoming ones first
    std::pmr::vector<Slot> slots_;
    std::pmr::vector<BlockMessage> messages_;  ///< by slot
    std::pmr::vector<int> done_;
    bool begun_ = false;
};

/// How the streams of a call are exchanged.
struct Course {
    Course(BlockStreams& blocks, const BlockRoutes& routes, ChunkDirection flow, bool at_root) {
        // On a ring, in recursive doubling, or in several trees no rank is first: all receives must be
        // posted before any send is waited for.
        const bool no_tree = routes.in_ring || routes.doubles || routes.rails > 1;
        const std::size_t most = no_tree ? 0 : 1;
        const auto single = [most](std::span<CutStream> streams) {
            return std::all_of(streams.begin(), streams.end(),
                               [most](const CutStream& stream) { return stream.count <= most; });
        };
        const bool singles = single(blocks.in()) && single(blocks.out());
        // The root sends its blocks to one child before that child's own blocks arrive: two sites far from
        // each other then exchange at the same time.
        in_turn = singles && !(flow == ChunkDirection::all && at_root);
        // Streams that meet on their way must not fill the buffers of a link; a single message does not.
        const bool meet = flow == ChunkDirection::all && !singles;
        sends = meet ? Transport::Completion::matched : Transport::Completion::local;
    }
    /// Every stream is one message: the path of small calls. All data goes up the tree first, then down:
    /// no rank sends to a neighbour that is not about to receive.
    bool in_turn;
    Transport::Completion sends;
};

Task exchange(Transport& transport, const BlockRoutes& routes, std::span<Block> blocks, ChunkDirection flow,
              int root, int rank, Arena& arena, int window) {
    BlockStreams streams(routes, blocks, flow, rank == root, rank, arena);
    const Course course(streams, routes, flow, rank == root);
    int code = 0;
    if (course.in_turn) {
        using Exchange = SingleMessages::Exchange;
        SingleMessages messages(transport, streams, arena);
        const std::size_t parents = flow == ChunkDirection::all ? 1 : 0;
        code = co_await Exchange(messages, streams.in().subspan(parents), true);
        if (code == 0 && parents > 0) code = co_await Exchange(messages, streams.out().first(1), false);
        if (code == 0 && parents > 0) code = co_await Exchange(messages, streams.in().first(1), true);
        if (code == 0) code = co_await Exchange(messages, streams.out().subspan(parents), false);
    } else {
        PipelinedStreams all(transport, streams, std::max(1, window), course.sends, arena);
        code = co_await all;
    }
    if (code == 0) streams.complete();
    co_return code;
}

}  // namespace

Task exchange_blocks(Transport& transport, const BlockRoutes& routes, std::span<Block> blocks,
                     ChunkDirection flow, int root, int rank, Arena& arena, int window) {
    return exchange(transport, routes, blocks, flow, root, rank, arena, window);
}

}  // namespace strata::algorithms
