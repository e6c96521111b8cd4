#include "algorithms/engines/whole_messages.h"

#include <cstring>

#include "algorithms/engines/reduction_parts.h"

namespace strata::algorithms {
namespace {

/// Receives and folds for a rank with children.
class WholeFold {
public:
    WholeFold(Transport& transport, const ReductionLinks& links, PackedBuffer& own, Reduction& reduction,
              std::pmr::memory_resource* pool)
        : transport_(transport),
          links_(links),
          own_(own),
          reduction_(reduction),
          order_(links),
          places_(order_.count(), nullptr, pool),
          here_(order_.count(), false, pool),
          done_(links.children.size(), pool) {}

    /// Finds memory for every operand.
    void place(std::byte* result, Arena& arena) {
        for (std::size_t operand = 0; operand < order_.count() && own_.bytes() > 0; ++operand) {
            places_[operand] = order_.place(operand, own_.data(), result, result == own_.data());
            if (places_[operand] == nullptr) {
                places_[operand] = arena.take(own_.bytes());
            }
        }
    }

    int run() {
        const std::size_t children = links_.children.size();
        if (children == 1) {
            const int code = produce();
            return code != 0 ? code : receive_one();
        }
        int code = transport_.begin(static_cast<int>(children));
        for (std::size_t child = 0; child < children && code == 0; ++child) {
            code = transport_.irecv(static_cast<int>(child), places_[order_.of_child(child)], own_.bytes(),
                                    links_.children[child].peer);
        }
        if (code == 0) {
            code = produce();
        }
        for (std::size_t finished = 0; finished < children && code == 0;) {
            int count = 0;
            code = transport_.wait_some(done_, count);
            for (int i = 0; i < count; ++i) {
                here_[order_.of_child(static_cast<std::size_t>(done_[i]))] = true;
            }
            finished += static_cast<std::size_t>(count);
            if (code == 0) {
                code = fold();
            }
        }
        return code;
    }

    std::byte* outcome() const { return places_.back(); }

private:
    int receive_one() {
        const std::size_t operand = order_.of_child(0);
        const int code = transport_.recv(places_[operand], own_.bytes(), links_.children.front().peer);
        here_[operand] = true;
        return code != 0 ? code : fold();
    }

    int produce() {
        here_[order_.own()] = true;
        return own_.bytes() == 0 ? 0 : own_.produce(own_.bytes());
    }

    /// Folds as far as the operands have come without a gap.
    int fold() {
        for (; folded_ < order_.count() && here_[folded_]; ++folded_) {
            if (folded_ == 0 || own_.bytes() == 0) {
                continue;
            }
            std::byte* const right = places_[folded_];
            if (folded_ == order_.own() && right != own_.data()) {
                std::memcpy(right, own_.data(), own_.bytes());
            }
            if (const int code = reduction_.fold(places_[folded_ - 1], right, own_.bytes()); code != 0) {
                return code;
            }
        }
        return 0;
    }

    Transport& transport_;
    const ReductionLinks& links_;
    PackedBuffer& own_;
    Reduction& reduction_;
    OperandOrder order_;
    std::pmr::vector<std::byte*> places_;  ///< by operand
    std::pmr::vector<bool> here_;          ///< by operand: it has arrived
    std::pmr::vector<int> done_;
    std::size_t folded_ = 0;  ///< operands folded together
};

}  // namespace

int fold_whole(Transport& transport, const ReductionLinks& links, PackedBuffer& own, std::byte* result,
               Reduction& reduction, Arena& arena, std::byte*& outcome) {
    if (links.children.empty()) {
        outcome = own.data();
        return own.bytes() == 0 ? 0 : own.produce(own.bytes());
    }
    std::array<std::byte, scratch_bytes> scratch;
    std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size(), &arena);
    WholeFold fold(transport, links, own, reduction, &pool);
    fold.place(result, arena);
    outcome = fold.outcome();
    return fold.run();
}

bool folds_into_arena(const ReductionLinks& links, const std::byte* own, const std::byte* result) {
    if (links.children.empty()) {
        return false;
    }
    const OperandOrder order(links);
    return order.place(order.last(), own, result, result == own) == nullptr;
}

PassDown::PassDown(const ReductionLinks& links, std::pmr::memory_resource* pool)
    : parent_(links.parent.peer),
      children_(widest_first(links.children, pool)),
      done_(children_.size(), pool) {}

int PassDown::run(Transport& transport, PackedBuffer& result) {
    if (parent_ >= 0) {
        const int code = transport.recv(result.data(), result.bytes(), parent_);
        if (code != 0) {
            return code;
        }
    }
    // Unpacking waits for nobody but the children wait for us: they come first.
    return send_whole(transport, children_, result.data(), result.bytes(), done_,
                      [&] { return result.bytes() == 0 ? 0 : result.consume(result.bytes()); });
}

}  // namespace strata::algorithms
