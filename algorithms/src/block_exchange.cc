#include "strata/algorithms/block_exchange.h"

#include <algorithm>
#include <memory_resource>
#include <vector>

#include "block_streams.h"

namespace strata::algorithms {
namespace {

/// One message per stream, those of several incoming or of several outgoing streams at once.
class SingleMessages {
public:
    SingleMessages(Transport& transport, BlockStreams& blocks, Arena& arena)
        : transport_(transport),
          blocks_(blocks),
          messages_(std::max(blocks.in().size(), blocks.out().size()), &arena),
          done_(messages_.size(), &arena) {}

    int receive(std::span<CutStream> streams) {
        const int code = exchange(streams, [this](int slot, CutStream& stream, bool alone) {
            BlockMessage& message = messages_[slot];
            std::byte* const data = blocks_.next_incoming(stream, message);
            return alone ? transport_.recv(data, message.bytes, stream.route->peer)
                         : transport_.irecv(slot, data, message.bytes, stream.route->peer);
        });
        std::size_t slot = 0;
        for (const CutStream& stream : streams) {
            if (stream.count > 0 && code == 0) {
                blocks_.deliver(stream, messages_[slot++]);
            }
        }
        return code;
    }

    int send(std::span<CutStream> streams) {
        return exchange(streams, [this](int slot, CutStream& stream, bool alone) {
            BlockMessage& message = messages_[slot];
            const std::byte* const data = blocks_.next_outgoing(stream, message);
            return alone ? transport_.send(data, message.bytes, stream.route->peer)
                         : transport_.isend(slot, data, message.bytes, stream.route->peer);
        });
    }

private:
    template <typename Start>
    int exchange(std::span<CutStream> streams, Start&& start) {
        const auto messages = static_cast<int>(std::count_if(
            streams.begin(), streams.end(), [](const CutStream& stream) { return stream.count > 0; }));
        const bool alone = messages == 1;
        int code = messages > 1 ? transport_.begin(messages) : 0;
        int slot = 0;
        for (CutStream& stream : streams) {
            if (stream.count > 0 && code == 0) {
                messages_[slot] = {};
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
    std::pmr::vector<BlockMessage> messages_;  ///< by slot
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
          lanes_(&arena),
          slots_(&arena),
          done_(&arena) {
        lanes_.reserve(blocks.in().size() + blocks.out().size());
        add_lanes(blocks.in(), window);
        incoming_ = lanes_.size();
        add_lanes(blocks.out(), window);
        slots_.resize(slot_count_);
        done_.resize(slot_count_);
        for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
            for (int i = 0; i < lanes_[lane].slots; ++i) {
                slots_[lanes_[lane].first_slot + i].lane = lane;
            }
        }
    }

    int run() {
        blocks_.expect_arrivals();
        int code = transport_.begin(slot_count_, sends_);
        for (std::size_t lane = 0; lane < incoming_; ++lane) {
            for (int i = 0; i < lanes_[lane].slots && code == 0; ++i) {
                code = start_receive(lanes_[lane].first_slot + i);
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
    /// The slots of one stream.
    struct Lane {
        CutStream* stream = nullptr;
        int first_slot = 0;
        int slots = 0;
        int busy = 0;
    };
    struct Slot {
        std::size_t lane = 0;
        bool busy = false;
        BlockMessage message;
    };

    void add_lanes(std::span<CutStream> streams, int window) {
        for (CutStream& stream : streams) {
            const auto slots = static_cast<int>(std::min(static_cast<std::size_t>(window), stream.count));
            lanes_.push_back({&stream, slot_count_, slots, 0});
            slot_count_ += slots;
            pending_ += stream.count;
        }
    }

    int start_receive(int number) {
        Slot& slot = slots_[number];
        Lane& lane = lanes_[slot.lane];
        std::byte* const data = blocks_.next_incoming(*lane.stream, slot.message);
        slot.busy = true;
        ++lane.busy;
        const BlockStream& route = *lane.stream->route;
        return transport_.irecv(number, data, slot.message.bytes, route.peer, route.lane);
    }

    int start_send(Lane& lane) {
        int number = lane.first_slot;
        while (slots_[number].busy) {
            ++number;
        }
        Slot& slot = slots_[number];
        const std::byte* const data = blocks_.next_outgoing(*lane.stream, slot.message);
        slot.busy = true;
        ++lane.busy;
        const BlockStream& route = *lane.stream->route;
        return transport_.isend(number, data, slot.message.bytes, route.peer, route.lane);
    }

    bool can_send(Lane& lane) {
        return lane.busy < lane.slots && lane.stream->started < lane.stream->count &&
               blocks_.is_here(*lane.stream);
    }

    /// Starts whatever windows and arrivals allow, one message per stream and round: no stream waits until
    /// another one's messages have been put together.
    int feed_all() {
        for (bool progress = true; progress;) {
            progress = false;
            for (std::size_t lane = incoming_; lane < lanes_.size(); ++lane) {
                if (!can_send(lanes_[lane])) {
                    continue;
                }
                if (const int code = start_send(lanes_[lane]); code != 0) {
                    return code;
                }
                progress = true;
            }
        }
        return 0;
    }

    int feed(Lane& lane) {
        int code = 0;
        while (code == 0 && can_send(lane)) {
            code = start_send(lane);
        }
        return code;
    }

    /// Messages before the first one that is still missing: later ones may have overtaken it.
    std::size_t complete_prefix(const Lane& lane) {
        std::size_t first_missing = lane.stream->started;
        for (int i = 0; i < lane.slots; ++i) {
            const Slot& slot = slots_[lane.first_slot + i];
            if (slot.busy) {
                first_missing = std::min(first_missing, slot.message.number);
            }
        }
        return first_missing;
    }

    int take_in(int number) {
        Slot& slot = slots_[number];
        Lane& lane = lanes_[slot.lane];
        blocks_.deliver(*lane.stream, slot.message);
        const int code = lane.stream->started < lane.stream->count ? start_receive(number) : 0;
        if (const std::size_t messages = complete_prefix(lane); messages > 0) {
            blocks_.note_arrival(*lane.stream, lane.stream->end_of(messages - 1));
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
            --lanes_[slot.lane].busy;
            --pending_;
            if (slot.lane < incoming_) {
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
            code = feed(lanes_[slots_[done_[i]].lane]);
        }
        return code;
    }

    Transport& transport_;
    BlockStreams& blocks_;
    Transport::Completion sends_;
    std::size_t pending_ = 0;  ///< messages that have not completed
    std::size_t incoming_ = 0;
    int slot_count_ = 0;
    std::pmr::vector<Lane> lanes_;  ///< incoming ones first
    std::pmr::vector<Slot> slots_;
    std::pmr::vector<int> done_;
};

int run_streams(Transport& transport, BlockStreams& blocks, BlockFlow flow, bool at_root, bool no_tree,
                Arena& arena, int window) {
    // On a ring, or in several trees, nobody is first: all receives must be posted before a send is waited
    // for.
    const std::size_t most = no_tree ? 0 : 1;
    const auto single = [most](std::span<CutStream> streams) {
        return std::all_of(streams.begin(), streams.end(),
                           [most](const CutStream& stream) { return stream.count <= most; });
    };
    // Where streams meet on their way, none may fill the buffers of a link.
    const auto sends = flow == BlockFlow::all ? Transport::Completion::matched : Transport::Completion::local;
    const int code = single(blocks.in()) && single(blocks.out())
                         ? exchange_singles(transport, blocks, arena, flow == BlockFlow::all && !at_root)
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
    int code = 0;
    try {
        code =
            run_streams(transport, streams, flow, at_root, routes.in_ring || routes.lanes > 1, arena, window);
    } catch (...) {
        transport.abandon();  // no memory for a copy: messages are under way
        throw;
    }
    if (code != 0) {
        transport.abandon();
    }
    return code;
}

}  // namespace strata::algorithms
