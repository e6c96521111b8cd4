#pragma once
#include <cstddef>
#include <memory_resource>
#include <span>
#include <vector>

#include "algorithms/engines/block_exchange.h"
#include "algorithms/patterns/block_routes.h"

namespace strata::algorithms {

/// The position of a byte in a stream.
struct StreamCursor {
    std::size_t run = 0;
    int rank = 0;  ///< of the block; at most the end of the run
    std::size_t offset = 0;
};

/// The start of a non-empty piece of a stream.
struct StreamPiece {
    std::size_t bytes = 0;     ///< bytes of the stream before it
    std::size_t messages = 0;  ///< messages of the stream before it
};

/// One stream of one call.
struct CutStream {
    const BlockStream* route = nullptr;
    std::span<const StreamPiece> pieces;
    std::size_t bytes = 0;
    std::size_t segment = 0;  ///< bytes of every message except the last of each piece
    std::size_t count = 0;    ///< number of messages
    std::size_t started = 0;
    StreamCursor next;           ///< start of message number `started`
    std::size_t next_bytes = 0;  ///< bytes of the stream before `next`
    StreamCursor here;  ///< incoming: the first byte not noted as arrived; outgoing: the first block that was
                        ///< incomplete at the last check
    std::size_t here_bytes = 0;  ///< bytes of the stream before `here`

    /// Returns the bytes of the stream up to the end of a message.
    std::size_t end_of(std::size_t message) const;
};

/// One message of a stream, and memory for it if its blocks are not contiguous.
struct BlockMessage {
    StreamCursor from;
    std::size_t number = 0;
    std::size_t bytes = 0;
    bool staged = false;
    std::byte* staging = nullptr;  ///< one segment, from BlockStreams::prepare()
};

/// The streams of one rank in one call: their messages, where these lie, what has arrived. Set-up takes
/// O(ranks + runs of all streams). A message takes one step per contiguous piece; each block's arrival is
/// noted, and checked, once per stream.
class BlockStreams {
public:
    /// Allocates memory for the blocks that have none.
    BlockStreams(const BlockRoutes& routes, std::span<Block> blocks, ChunkDirection flow, bool at_root,
                 int rank, Arena& arena);
    BlockStreams(const BlockStreams&) = delete;
    BlockStreams& operator=(const BlockStreams&) = delete;
    ~BlockStreams() { own_.data = own_place_; }

    std::span<CutStream> in() { return std::span(streams_).first(incoming_); }
    std::span<CutStream> out() { return std::span(streams_).subspan(incoming_); }

    /// Allocates the memory that messages of the stream may need. Call it before the first message: a rank
    /// that lacks memory then fails before other ranks wait for it.
    void prepare(const CutStream& stream, std::span<BlockMessage> messages);
    /// Takes the stream's next message and returns where its data goes, or lies. prepare() must have had
    /// `message` and this stream.
    std::byte* next_incoming(CutStream& stream, BlockMessage& message);
    const std::byte* next_outgoing(CutStream& stream, BlockMessage& message);
    /// Copies a received message to its blocks, unless it was received in place.
    void deliver(const CutStream& stream, const BlockMessage& message);

    /// Call it before note_arrival() and is_here().
    void expect_arrivals();
    /// Notes that the first `end` bytes of an incoming stream have been delivered.
    void note_arrival(CutStream& stream, std::size_t end);
    /// Returns true if the next message of an outgoing stream is complete.
    bool is_here(CutStream& stream);

    /// Moves this rank's block to the caller's memory. Call it when everything has arrived.
    void complete();

private:
    template <typename Visit>
    StreamCursor walk(const CutStream& stream, StreamCursor from, std::size_t bytes, Visit&& visit) const;
    Block& block(int rank) const { return blocks_[rank]; }
    bool all_here() const { return flow_ == ChunkDirection::from_root && at_root_; }
    void measure();
    void divide(CutStream& stream);
    void give_memory(const CutStream& stream);
    void find_neighbours();
    bool needs_staging(const CutStream& stream) const;

    std::span<Block> blocks_;
    ChunkDirection flow_;
    bool at_root_;
    int rank_;
    Block& own_;
    std::byte* own_place_;  ///< the caller's memory; during the call own_ may lie elsewhere
    Arena& arena_;
    std::size_t incoming_;
    std::pmr::vector<CutStream> streams_;
    std::pmr::vector<StreamPiece> pieces_;  ///< of all streams
    /// rank -> bytes of all blocks before its own. Only differences within a run are meaningful, because
    /// blocks that are in no stream may have any size.
    std::span<std::size_t> start_;
    std::span<int> apart_;  ///< rank of a block -> the next one that is not contiguous with it
    std::pmr::vector<std::size_t> arrived_;  ///< rank -> bytes of its block that have arrived, from its start
};

}  // namespace strata::algorithms
