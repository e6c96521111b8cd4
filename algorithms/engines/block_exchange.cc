#include "algorithms/engines/block_exchange.h"

#include <algorithm>
#include <memory_resource>
#include <vector>

#include "algorithms/engines/block_streams.h"

namespace strata::algorithms {
namespace {

/// One message per stream, those of several incoming or of several outgoing streams at once.
class SingleMessages {
public:
    SingleMessages(Transport& transport, BlockStreams& blocks, Arena& arena)
        : transport_(transport),
          blocks_(blocks),
          messages_(blocks.in().size() + blocks.out().size(), &arena),
          done_(std::max(blocks.in().size(), blocks.out().size()), &arena) {
        for (const auto streams : {blocks.in(), blocks.out()}) {
            for (const CutStream& stream : streams) {
                blocks.prepare(stream, std::span(&message_of(stream), 1));
            }
        }
    }

    int receive(std::span<CutStream> streams) {
        const int code = exchange(streams, [this](int slot, CutStream& stream, bool alone) {
            BlockMessage& message = message_of(stream);
            std::byte* const data = blocks_.next_incoming(stream, message);
            return alone ? transport_.recv(data, message.bytes, stream.route->peer)
                         : transport_.irecv(slot, data, message.bytes, stream.route->peer);
        });
        for (const CutStream& stream : streams) {
            if (stream.count > 0 && code == 0) {
                blocks_.deliver(stream, message_of(stream));
            }
        }
        return code;
    }

    int send(std::span<CutStream> streams) {
        return exchange(streams, [this](int slot, CutStream& stream, bool alone) {
            BlockMessage& message = message_of(stream);
            const std::byte* const data = blocks_.next_outgoing(stream, message);
            return alone ? transport_.send(data, message.bytes, stream.route->peer)
                         : transport_.isend(slot, data, message.bytes, stream.route->peer);
        });
    }

private:
    /// Incoming and outgoing streams lie one behind the other.
    BlockMessage& message_of(const CutStream& stream) {
        return messages_[static_cast<std::size_t>(&stream - blocks_.in().data())];
    }

    template <typename Start>
    int exchange(std::span<CutStream> streams, Start&& start) {
        const auto messages = static_cast<int>(std::count_if(
            streams.begin(), streams.end(), [](const CutStream& stream) { return stream.count > 0; }));
        const bool alone = messages == 1;
        int code = messages > 1 ? transport_.begin(messages) : 0;
        int slot = 0;
        for (CutStream& stream : streams) {
            if (stream.count > 0 && code == 0) {
                code = start(slot++, stream, alone);
            }
        }
        for (int finished = alone ? 1 : 0; finished < messages && code == 0;) {
            int count = 0;
            code = transport_.wait_some(done_, count);
            finished += count;
        }
        return code;
    }

    Transport& transport_;
    BlockStreams& blocks_;
    std::pmr::vector<BlockMessage> messages_;  ///< by stream
    std::pmr::vector<int> done_;
};

/// Every stream is one message: the path of small calls. All goes up the tree first, then down: nobody sends
/// to a neighbour who is not about to receive.
int exchange_singles(Transport& transport, BlockStreams& blocks, Arena& arena, bool up_and_down) {
    SingleMessages messages(transport, blocks, arena);
    const std::size_t parents = up_and_down ? 1 : 0;
    int code = messages.receive(blocks.in().subspan(parents));
    if (code == 0 && up_and_down) {
        code = messages.send(blocks.out().first(1));
    }
    if (code == 0 && up_and_down) {
        code = messages.receive(blocks.in().first(1));
    }
    return code != 0 ? code : messages.send(blocks.out().subspan(parents));
}

/// All streams at once, each with its own slots.
class PipelinedStreams {
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

    int run() {
        if (pending_ == 0) {
            return 0;
        }
        blocks_.expect_arrivals();
        int code = transport_.begin(slot_count_);
        for (std::size_t stream = 0; stream < incoming_; ++stream) {
            for (int i = 0; i < streams_[stream].slots && code == 0; ++i) {
                code = start_receive(streams_[stream].first_slot + i);
            }
        }
        if (code == 0) {
            code = feed_all();
        }
        while (code == 0 && pending_ > 0) {
            code = step();
        }
        return code;
    }

private:
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
        return transport_.irecv(number, data, message.bytes, route.peer, route.lane);
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
        // As of StreamTable::open().
        const bool fits = stream.cut->count <= static_cast<std::size_t>(stream.slots);
        const auto completion = fits ? Transport::Completion::local : sends_;
        return transport_.isend(number, data, message.bytes, route.peer, route.lane, completion);
    }

    bool can_send(Stream& stream) {
        return stream.busy < stream.slots && stream.cut->started < stream.cut->count &&
               blocks_.is_here(*stream.cut);
    }

    /// Starts whatever windows and arrivals allow, one message per stream and round: no stream waits until
    /// another one's messages have been put together.
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

    /// Messages before the first one that is still missing: later ones may have overtaken it.
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
};

int run_streams(Transport& transport, BlockStreams& blocks, BlockFlow flow, bool at_root, bool no_tree,
                Arena& arena, int window) {
    // On a ring, in an exchange, or in several trees, nobody is first: all receives must be posted before a
    // send is waited for.
    const std::size_t most = no_tree ? 0 : 1;
    const auto single = [most](std::span<CutStream> streams) {
        return std::all_of(streams.begin(), streams.end(),
                           [most](const CutStream& stream) { return stream.count <= most; });
    };
    const bool singles = single(blocks.in()) && single(blocks.out());
    // What the root has for one child it need not keep until that one's own blocks are here: two sites far
    // from each other exchange theirs at the same time.
    const bool in_turn = singles && !(flow == BlockFlow::all && at_root);
    // Where streams meet on their way, none may fill the buffers of a link; one message does not.
    const bool meet = flow == BlockFlow::all && !singles;
    const auto sends = meet ? Transport::Completion::matched : Transport::Completion::local;
    const int code = in_turn ? exchange_singles(transport, blocks, arena, flow == BlockFlow::all)
                             : PipelinedStreams(transport, blocks, std::max(1, window), sends, arena).run();
    if (code == 0) {
        blocks.complete();
    }
    return code;
}

}  // namespace

int exchange_blocks(Transport& transport, const BlockRoutes& routes, std::span<Block> blocks, BlockFlow flow,
                    int root, int rank, Arena& arena, int window) {
    const bool at_root = rank == root;
    BlockStreams streams(routes, blocks, flow, at_root, rank, arena);
    const bool no_tree = routes.in_ring || routes.doubles || routes.lanes > 1;
    int code = 0;
    try {
        code = run_streams(transport, streams, flow, at_root, no_tree, arena, window);
    } catch (...) {
        transport.abandon();
        throw;
    }
    if (code != 0) {
        transport.abandon();
    }
    return code;
}

}  // namespace strata::algorithms
