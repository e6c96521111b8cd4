#pragma once
// Vectors of one message: the path of nearly all small calls, with as few transport calls as possible.
#include <array>
#include <cstddef>
#include <memory_resource>
#include <span>
#include <vector>

#include "algorithms/base/arena.h"
#include "algorithms/base/transport.h"
#include "algorithms/engines/reduce_tree.h"
#include "algorithms/patterns/reduction_links.h"
#include "algorithms/patterns/tree.h"

namespace strata::algorithms {

/// Enough for a few dozen children or windows without another allocation.
constexpr std::size_t scratch_bytes = 4096;

/// Sends `bytes` bytes to every child; `overlapped` runs once while the messages are under way. `done`: room
/// for a number per child; to be taken before the first message of the call, when the others do not wait yet.
template <typename Work>
int send_whole(Transport& transport, std::span<const TreeLinks::Edge> children, const std::byte* data,
               std::size_t bytes, std::span<int> done, Work&& overlapped) {
    if (children.empty()) {
        return overlapped();
    }
    if (children.size() == 1) {
        const int code = transport.send(data, bytes, children.front().peer);
        return code != 0 ? code : overlapped();
    }
    int code = transport.begin(static_cast<int>(children.size()));
    for (std::size_t child = 0; child < children.size() && code == 0; ++child) {
        code = transport.isend(static_cast<int>(child), data, bytes, children[child].peer);
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

/// Receives the children's vectors, all at once, and folds them and the own one in the order of the links.
/// `outcome` then tells where the result lies: in own.data() (not to be written unless own and result share
/// it) where there are no children, else in `result` or, where that is nullptr or shared with own, perhaps in
/// memory of the arena. Of 0 bytes the messages are received, nothing is produced or folded.
int fold_whole(Transport& transport, const ReductionLinks& links, PackedBuffer& own, std::byte* result,
               Reduction& reduction, Arena& arena, std::byte*& outcome);

/// True where fold_whole() will leave its outcome in memory of the arena.
bool folds_into_arena(const ReductionLinks& links, const std::byte* own, const std::byte* result);

/// The way down of a vector that fold_whole() was the way up of. Made before that: all memory is taken then.
class PassDown {
public:
    PassDown(const ReductionLinks& links, std::pmr::memory_resource* pool);

    /// Receives the final vector at `result` from the parent, if there is one, and passes it on to the
    /// children, those of the widest level first; it is consumed while it travels on.
    int run(Transport& transport, PackedBuffer& result);

private:
    int parent_;
    std::pmr::vector<TreeLinks::Edge> children_;
    std::pmr::vector<int> done_;
};

}  // namespace strata::algorithms
