#pragma once
#include <cstddef>
#include <memory_resource>
#include <span>
#include <vector>

#include "algorithms/engines/block_exchange.h"
#include "algorithms/patterns/block_routes.h"

namespace strata::algorithms {

/// A byte of a stream.
struct StreamCursor {
    std::size_t run = 0;
    int rank = 0;  ///< of the block; the end of the run at most
    std::size_t offset = 0;
};

/// Where a piece of a stream begins that holds something.
struct StreamPiece {
    std::size_t bytes = 0;     ///< of the stream before it
    std::size_t messages = 0;  ///< the same
};

/// One stream of one call.
struct CutStream {
    const BlockStream* route = nullptr;
    std::span<const StreamPiece> pieces;
    std::size_t bytes = 0;
    std::size_t segment = 0;  ///< bytes of every message but the last of each piece
    std::size_t count = 0;    ///< messages in all
    std::size_t started = 0;
    StreamCursor next;           ///< where message number `started` begins
    std::size_t next_bytes = 0;  ///< of the stream before `next`
    StreamCursor here;           ///< incoming: the first byte that is not noted as arrived; outgoing: the
                                 ///< first block that was not complete when last looked at
    std::size_t here_bytes = 0;  ///< of the stream before `here`

    /// Bytes of the stream up to the end of a message.
    std::size_t end_of(std::size_t message) const;
};

/// One message of a stream, and memory for it where its blocks do not lie in one piece.
struct BlockMessage {
    StreamCursor from;
    std::size_t number = 0;
    std::size_t bytes = 0;
    bool staged = false;
    std::byte* staging = nullptr;  ///< a segment, of BlockStreams::prepare()
};

/// The streams of one rank in one call: how they are cut into messages, where these lie, what has arrived.
/// Set-up takes O(ranks + runs of all streams). A message takes as many steps as it has pieces that lie
/// apart; what arrives is noted, and looked for, once per block and stream.
class BlockStreams {
public:
    /// Gives memory to the blocks that have none.
    BlockStreams(const BlockRoutes& routes, std::span<Block> blocks, BlockFlow flow, bool at_root, int rank,
                 Arena& arena);
    BlockStreams(const BlockStreams&) = delete;
    BlockStreams& operator=(const BlockStreams&) = delete;
    ~BlockStreams() { own_.data = own_place_; }

    std::span<CutStream> in() { return std::span(streams_).first(incoming_); }
    std::span<CutStream> out() { return std::span(streams_).subspan(incoming_); }

    /// Gives `messages` the memory that messages of the stream may need; before the first one goes anywhere,
    /// since nothing is left to be done for the others where there is none.
    void prepare(const CutStream& stream, std::span<BlockMessage> messages);
    /// Takes the stream's next message and returns where its data is to be put, or lies. `message` has been
    /// prepared for this stream.
    std::byte* next_incoming(CutStream& stream, BlockMessage& message);
    const std::byte* next_outgoing(CutStream& stream, BlockMessage& message);
    /// Brings a received message to its blocks.
    void deliver(const CutStream& stream, const BlockMessage& message);

    /// To be called before the next two.
    void expect_arrivals();
    /// The first `end` bytes of an incoming stream have been delivered.
    void note_arrival(CutStream& stream, std::size_t end);
    /// True when the next message of an outgoing stream can go.
    bool is_here(CutStream& stream);

    /// All has arrived: brings the own block to where it belongs.
    void complete();

private:
    template <typename Visit>
    StreamCursor walk(const CutStream& stream, StreamCursor from, std::size_t bytes, Visit&& visit) const;
    Block& block(int rank) const { return blocks_[rank]; }
    bool all_here() const { return flow_ == BlockFlow::from_root && at_root_; }
    void measure();
    void divide(CutStream& stream);
    void give_memory(const CutStream& stream);
    void find_neighbours();
    bool needs_staging(const CutStream& stream) const;

    std::span<Block> blocks_;
    BlockFlow flow_;
    bool at_root_;
    int rank_;
    Block& own_;
    std::byte* own_place_;  ///< the caller's; the own block may lie elsewhere meanwhile
    Arena& arena_;
    std::size_t incoming_;
    std::pmr::vector<CutStream> streams_;
    std::pmr::vector<StreamPiece> pieces_;  ///< of all streams
    /// rank -> bytes of all blocks before its own. Blocks that are in no stream may have any size, so that
    /// only differences within a run mean something.
    std::span<std::size_t> start_;
    std::span<int> apart_;  ///< rank of a block -> the next one that does not lie right behind
    std::pmr::vector<std::size_t> arrived_;  ///< rank -> bytes of its block that are here, from its start
};

}  // namespace strata::algorithms
