#pragma once
// Vectors of one message: the path of nearly all small calls, with as few transport calls as possible.
#include <cstddef>
#include <span>

#include "algorithms/base/arena.h"
#include "algorithms/base/transport.h"
#include "algorithms/engines/awaitables.h"
#include "algorithms/engines/reduce_tree.h"
#include "algorithms/engines/reduction_parts.h"
#include "algorithms/patterns/reduction_links.h"
#include "algorithms/patterns/tree.h"

namespace strata::algorithms {

/// `co_await` receives the children's vectors, all at once, and combines them and this rank's in the order
/// of the links. With 0 bytes it only receives the messages.
class WholeCombine : public Awaitable<WholeCombine> {
public:
    /// Takes all its memory. `result`: nullptr if there is none.
    WholeCombine(Transport& transport, const ReductionLinks& links, PackedBuffer& own, std::byte* result,
                 Reduction& reduction, Arena& arena)
        : transport_(transport), links_(links), own_(own), reduction_(reduction), order_(links) {
        if (!links.children.empty()) place_operands(result, arena);
    }

    int poll() { return links_.children.empty() ? produce() : receive_all(); }
    /// Returns where the result lies: without children in own.data() (not to be written unless own and
    /// result share it); otherwise in `result` or, if that is nullptr or shared with `own`, perhaps in
    /// memory of the arena.
    std::byte* outcome() const { return places_.empty() ? own_.data() : places_.back(); }
    /// Returns true if the result lies in memory of the arena.
    bool in_arena() const { return in_arena_; }

private:
    void place_operands(std::byte* result, Arena& arena);
    int receive_all();
    int start();
    int arrived(int code);
    int produce() { return own_.bytes() == 0 ? 0 : own_.produce(own_.bytes()); }
    int combine();

    Transport& transport_;
    const ReductionLinks& links_;
    PackedBuffer& own_;
    Reduction& reduction_;
    OperandOrder order_;
    std::span<std::byte*> places_;  ///< by operand; empty without children
    std::span<bool> here_;          ///< by operand: it has arrived
    std::span<int> done_;
    std::size_t combined_ = 0;  ///< operands combined so far
    std::size_t finished_ = 0;  ///< children whose vectors have arrived
    bool begun_ = false;
    bool in_arena_ = false;
};

/// The way down after a WholeCombine: `co_await` receives the final vector in `result` from the parent, if
/// there is one, and sends it to the children, widest level first; it is consumed while it travels on.
class PassDown : public Awaitable<PassDown> {
public:
    /// Takes all its memory.
    PassDown(Transport& transport, const ReductionLinks& links, PackedBuffer& result, Arena& arena)
        : transport_(transport),
          parent_(links.parent.peer),
          result_(result),
          children_(widest_first(links.children, arena)),
          done_(children_.size() > 1 ? arena.values<int>(children_.size()) : std::span<int>()),
          down_(transport, children_, result.data(), result.bytes(), done_, Consume{result}) {}

    int poll();

private:
    /// The children come first: they wait for this rank, and unpacking waits for no rank.
    struct Consume {
        PackedBuffer& result;
        int operator()() const { return result.bytes() == 0 ? 0 : result.consume(result.bytes()); }
    };
    Transport& transport_;
    int parent_;
    PackedBuffer& result_;
    std::span<const TreeLinks::Edge> children_;
    std::span<int> done_;
    SentToAll<Consume> down_;
    int received_ = under_way;
    bool begun_ = false;
};

}  // namespace strata::algorithms
