#include "algorithms/engines/block_streams.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace strata::algorithms {
namespace {

int end_of(const BlockRun& run) { return run.first + run.count; }

/// Moves to the next run if one has ended; there must be one.
void skip_ended_runs(const CutStream& stream, StreamCursor& cursor) {
    const std::vector<BlockRun>& runs = stream.route->runs;
    while (cursor.rank == end_of(runs[cursor.run])) {
        ++cursor.run;
        cursor = {cursor.run, runs[cursor.run].first, 0};
    }
}

}  // namespace

std::size_t CutStream::end_of(std::size_t message) const {
    if (message + 1 >= count) {
        return bytes;
    }
    // The piece of the message: the last one that begins at or before it.
    const auto after = std::partition_point(pieces.begin() + 1, pieces.end(), [&](const StreamPiece& piece) {
        return piece.messages <= message;
    });
    const StreamPiece& piece = after[-1];
    const std::size_t end = after == pieces.end() ? bytes : after->bytes;
    return std::min(end, piece.bytes + (message - piece.messages + 1) * segment);
}

BlockStreams::BlockStreams(const BlockRoutes& routes, std::span<Block> blocks, ChunkDirection flow,
                           bool at_root, int rank, Arena& arena)
    : blocks_(blocks),
      flow_(flow),
      at_root_(at_root),
      rank_(rank),
      own_(block(rank)),
      own_place_(own_.data),
      arena_(arena),
      incoming_(routes.in.size()),
      streams_(&arena),
      pieces_(&arena),
      start_(arena.values<std::size_t>(blocks.size() + 1)),
      apart_(arena.values<int>(blocks.size())),
      arrived_(&arena) {
    streams_.reserve(routes.in.size() + routes.out.size());
    for (const auto* side : {&routes.in, &routes.out}) {
        for (const BlockStream& route : *side) {
            CutStream& stream = streams_.emplace_back();
            stream.route = &route;
            stream.next.rank = stream.here.rank = route.runs.empty() ? 0 : route.runs.front().first;
        }
    }
    measure();
    if (flow == ChunkDirection::to_root && !at_root) {
        give_memory(out().front());
    } else if (flow == ChunkDirection::from_root && !at_root) {
        give_memory(in().front());
    }
    find_neighbours();
}

void BlockStreams::measure() {
    for (std::size_t rank = 0; rank < blocks_.size(); ++rank) {
        start_[rank + 1] = start_[rank] + blocks_[rank].bytes;
    }
    std::size_t pieces = 0;
    for (const CutStream& stream : streams_) {
        pieces += stream.route->cuts.size() + 1;
    }
    pieces_.reserve(pieces);
    for (CutStream& stream : streams_) {
        divide(stream);
    }
}

/// Finds the non-empty pieces of the stream and the number of messages of each.
void BlockStreams::divide(CutStream& stream) {
    const BlockStream& route = *stream.route;
    const std::size_t first = pieces_.size();
    std::size_t longest = 0;
    auto cut = route.cuts.begin();
    for (std::size_t run = 0; run < route.runs.size();) {
        const std::size_t end = cut == route.cuts.end() ? route.runs.size() : *cut++;
        const std::size_t before = stream.bytes;
        for (; run < end; ++run) {
            stream.bytes += start_[end_of(route.runs[run])] - start_[route.runs[run].first];
        }
        if (stream.bytes > before) {
            pieces_.push_back({before, 0});
            longest = std::max(longest, stream.bytes - before);
        }
    }
    const auto pieces = std::span(pieces_).subspan(first);
    stream.segment = route.segment_bytes == 0 ? longest : std::min(route.segment_bytes, longest);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        pieces[i].messages = stream.count;
        const std::size_t end = i + 1 < pieces.size() ? pieces[i + 1].bytes : stream.bytes;
        stream.count += (end - pieces[i].bytes - 1) / stream.segment + 1;
    }
    stream.pieces = pieces;
}

/// Gives contiguous memory to the blocks of `stream` that have none. This rank's block joins them during the
/// call if it is no longer than a message: a message that it shares would otherwise need a copy of all its
/// blocks, and with large segments that is everything.
void BlockStreams::give_memory(const CutStream& stream) {
    const bool move_own = own_.bytes > 0 && own_.bytes <= stream.segment;
    const auto lacks_memory = [this](int rank) {
        return rank != rank_ && block(rank).data == nullptr && block(rank).bytes > 0;
    };
    const auto any_in = [&](const BlockRun& run) {
        for (int rank = run.first; rank < end_of(run); ++rank) {
            if (lacks_memory(rank)) {
                return true;
            }
        }
        return false;
    };
    const std::vector<BlockRun>& runs = stream.route->runs;
    if (std::none_of(runs.begin(), runs.end(), any_in)) {
        return;
    }
    std::byte* memory = arena_.take(stream.bytes);
    for (const BlockRun& run : runs) {
        for (int rank = run.first; rank < end_of(run); ++rank) {
            if (!lacks_memory(rank) && !(rank == rank_ && move_own)) {
                continue;
            }
            if (rank == rank_ && flow_ == ChunkDirection::to_root) {
                std::memcpy(memory, own_.data, own_.bytes);
            }
            block(rank).data = memory;
            memory += block(rank).bytes;
        }
    }
}

void BlockStreams::find_neighbours() {
    const auto address = [](const Block& here) { return reinterpret_cast<std::uintptr_t>(here.data); };
    auto behind = static_cast<int>(blocks_.size());  // the next block that is not empty
    for (int rank = behind - 1; rank >= 0; --rank) {
        const Block& here = block(rank);
        if (here.bytes == 0) {
            continue;
        }
        const bool joined =
            behind < static_cast<int>(blocks_.size()) && address(here) + here.bytes == address(block(behind));
        apart_[rank] = joined ? apart_[behind] : behind;
        behind = rank;
    }
}

/// Calls visit(data, bytes) for the contiguous pieces of the next `bytes` bytes of the stream. Returns
/// where they end.
template <typename Visit>
StreamCursor BlockStreams::walk(const CutStream& stream, StreamCursor from, std::size_t bytes,
                                Visit&& visit) const {
    while (bytes > 0) {
        skip_ended_runs(stream, from);
        if (block(from.rank).bytes == 0) {
            ++from.rank;
            continue;
        }
        const int end = std::min(apart_[from.rank], end_of(stream.route->runs[from.run]));
        const std::size_t base = start_[from.rank];
        const std::size_t piece = std::min(bytes, start_[end] - base - from.offset);
        visit(block(from.rank).data + from.offset, piece);
        bytes -= piece;
        const std::size_t place = from.offset + piece;
        if (place == start_[end] - base) {
            from.rank = end;
            from.offset = 0;
        } else if (place < block(from.rank).bytes) {
            from.offset = place;
        } else {
            // The block in which the piece ends: the last one that begins at or before it.
            const auto after = std::partition_point(start_.begin() + from.rank + 1, start_.begin() + end,
                                                    [&](std::size_t start) { return start - base <= place; });
            from.rank = static_cast<int>(after - start_.begin()) - 1;
            from.offset = place - (start_[from.rank] - base);
        }
    }
    return from;
}

/// Returns true if some message of the stream has blocks that are not contiguous.
bool BlockStreams::needs_staging(const CutStream& stream) const {
    StreamCursor at = stream.next;
    for (std::size_t i = 0; i < stream.pieces.size(); ++i) {
        const std::size_t end = i + 1 < stream.pieces.size() ? stream.pieces[i + 1].bytes : stream.bytes;
        const std::byte* behind = nullptr;
        std::size_t seen = 0;
        bool split = false;
        at = walk(stream, at, end - stream.pieces[i].bytes, [&](const std::byte* data, std::size_t bytes) {
            split = split || (seen % stream.segment != 0 && data != behind);
            seen += bytes;
            behind = data + bytes;
        });
        if (split) {
            return true;
        }
    }
    return false;
}

void BlockStreams::prepare(const CutStream& stream, std::span<BlockMessage> messages) {
    if (!needs_staging(stream)) {
        return;
    }
    for (BlockMessage& message : messages) {
        message.staging = arena_.take(stream.segment);
    }
}

std::byte* BlockStreams::next_incoming(CutStream& stream, BlockMessage& message) {
    message.number = stream.started++;
    message.from = stream.next;
    const std::size_t end_bytes = stream.end_of(message.number);
    message.bytes = end_bytes - stream.next_bytes;
    stream.next_bytes = end_bytes;
    message.staged = false;
    std::byte* first = nullptr;
    std::byte* end = nullptr;
    stream.next = walk(stream, message.from, message.bytes, [&](std::byte* data, std::size_t bytes) {
        if (first == nullptr) {
            first = data;
        } else if (data != end) {
            message.staged = true;
        }
        end = data + bytes;
    });
    return message.staged ? message.staging : first;
}

const std::byte* BlockStreams::next_outgoing(CutStream& stream, BlockMessage& message) {
    std::byte* const data = next_incoming(stream, message);
    if (message.staged) {
        std::byte* to = data;
        walk(stream, message.from, message.bytes, [&](const std::byte* piece, std::size_t bytes) {
            std::memcpy(to, piece, bytes);
            to += bytes;
        });
    }
    return data;
}

void BlockStreams::deliver(const CutStream& stream, const BlockMessage& message) {
    if (!message.staged) {
        return;
    }
    const std::byte* from = message.staging;
    walk(stream, message.from, message.bytes, [&](std::byte* piece, std::size_t bytes) {
        std::memcpy(piece, from, bytes);
        from += bytes;
    });
}

void BlockStreams::expect_arrivals() {
    if (!all_here()) {
        arrived_.assign(blocks_.size(), 0);
        arrived_[rank_] = own_.bytes;
    }
}

void BlockStreams::note_arrival(CutStream& stream, std::size_t end) {
    while (stream.here_bytes < end) {
        StreamCursor& here = stream.here;
        skip_ended_runs(stream, here);
        const std::size_t piece = std::min(end - stream.here_bytes, block(here.rank).bytes - here.offset);
        arrived_[here.rank] += piece;
        stream.here_bytes += piece;
        here.offset += piece;
        if (here.offset == block(here.rank).bytes) {
            ++here.rank;
            here.offset = 0;
        }
    }
}

bool BlockStreams::is_here(CutStream& stream) {
    if (all_here()) {
        return true;
    }
    const std::size_t end = stream.end_of(stream.started);
    while (stream.here_bytes < end) {
        skip_ended_runs(stream, stream.here);
        const int rank = stream.here.rank;
        if (arrived_[rank] < block(rank).bytes) {
            return stream.here_bytes + arrived_[rank] >= end;
        }
        stream.here_bytes += arrived_[rank];
        ++stream.here.rank;
    }
    return true;
}

void BlockStreams::complete() {
    if (flow_ == ChunkDirection::from_root && own_.data != own_place_) {
        std::memcpy(own_place_, own_.data, own_.bytes);
    }
}

}  // namespace strata::algorithms
