#include "algorithms/engines/bcast_tree.h"

#include <algorithm>
#include <array>
#include <memory_resource>

#include "algorithms/engines/bcast_pipeline.h"
#include "algorithms/engines/whole_messages.h"

namespace strata::algorithms {
namespace {

bool is_whole(const TreeLinks::Edge& edge, std::size_t bytes) {
    return edge.segment_bytes == 0 || edge.segment_bytes >= bytes;
}

/// Every edge carries one message.
int bcast_whole(Transport& transport, const TreeLinks& links, PackedBuffer& buffer, Arena& arena) {
    std::array<std::byte, scratch_bytes> scratch;
    std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size(), &arena);
    std::pmr::vector<int> done(links.children.size(), &pool);
    const auto send = [&](auto&& overlapped) {
        return send_whole(transport, links.children, buffer.data(), buffer.bytes(), done, overlapped);
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

int bcast_segmented(Transport& transport, const TreeLinks& links, PackedBuffer& buffer, Arena& arena,
                    int window) {
    std::array<std::byte, scratch_bytes> scratch;
    std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size(), &arena);
    StreamTable table(transport, BcastPipeline::streams(links), &pool);
    BcastPipeline pipeline(table, links, buffer, window);
    return run_together(table, std::span(&pipeline, 1));
}

}  // namespace

int bcast_tree(Transport& transport, const TreeLinks& links, PackedBuffer& buffer, Arena& arena, int window) {
    const std::size_t bytes = buffer.bytes();
    if (bytes == 0) {
        return 0;
    }
    const bool whole = (links.parent.peer < 0 || is_whole(links.parent, bytes)) &&
                       std::all_of(links.children.begin(), links.children.end(),
                                   [bytes](const TreeLinks::Edge& edge) { return is_whole(edge, bytes); });
    const int code = whole ? bcast_whole(transport, links, buffer, arena)
                           : bcast_segmented(transport, links, buffer, arena, window);
    if (code != 0) {
        transport.abandon();
    }
    return code;
}

}  // namespace strata::algorithms
