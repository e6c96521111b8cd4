#include "algorithms/engines/bcast_tree.h"

#include <algorithm>
#include <span>

#include "algorithms/engines/awaitables.h"
#include "algorithms/engines/bcast_pipeline.h"

namespace strata::algorithms {
namespace {

bool is_whole(const TreeLinks::Edge& edge, std::size_t bytes) {
    return edge.segment_bytes == 0 || edge.segment_bytes >= bytes;
}

/// Every edge carries one message.
Task bcast_whole(Transport& transport, const TreeLinks& links, PackedBuffer& buffer, Arena& arena) {
    const std::span<int> done =
        links.children.size() > 1 ? arena.values<int>(links.children.size()) : std::span<int>();
    const bool is_root = links.parent.peer < 0;
    int code = 0;
    if (is_root) {
        code = buffer.produce(buffer.bytes());
    } else {
        code = co_await Received(transport, buffer.data(), buffer.bytes(), links.parent.peer);
    }
    if (code != 0) {
        co_return code;
    }
    // The children come first: they wait for this rank, and unpacking waits for no rank.
    const auto unpack = [&buffer, is_root] { return is_root ? 0 : buffer.consume(buffer.bytes()); };
    co_return co_await SentToAll(transport, links.children, buffer.data(), buffer.bytes(), done, unpack);
}

Task bcast_segmented(Transport& transport, const TreeLinks& links, PackedBuffer& buffer, Arena& arena,
                     int window) {
    StreamTable table(transport, BcastPipeline::streams(links), &arena);
    BcastPipeline pipeline(table, links, buffer, window);
    co_return co_await Together(table, std::span(&pipeline, 1));
}

}  // namespace

Task bcast_tree(Transport& transport, const TreeLinks& links, PackedBuffer& buffer, Arena& arena,
                int window) {
    const std::size_t bytes = buffer.bytes();
    if (bytes == 0) {
        return Task(0);
    }
    const bool whole = (links.parent.peer < 0 || is_whole(links.parent, bytes)) &&
                       std::all_of(links.children.begin(), links.children.end(),
                                   [bytes](const TreeLinks::Edge& edge) { return is_whole(edge, bytes); });
    return whole ? bcast_whole(transport, links, buffer, arena)
                 : bcast_segmented(transport, links, buffer, arena, window);
}

}  // namespace strata::algorithms
