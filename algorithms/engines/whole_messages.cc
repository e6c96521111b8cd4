#include "algorithms/engines/whole_messages.h"

#include <cstring>

namespace strata::algorithms {

void WholeCombine::place_operands(std::byte* result, Arena& arena) {
    places_ = arena.values<std::byte*>(order_.count());
    here_ = arena.values<bool>(order_.count());
    here_[order_.own()] = true;
    done_ = links_.children.size() > 1 ? arena.values<int>(links_.children.size()) : std::span<int>();
    for (std::size_t operand = 0; operand < order_.count() && own_.bytes() > 0; ++operand) {
        places_[operand] = order_.place(operand, own_.data(), result, result == own_.data());
        if (places_[operand] == nullptr) {
            places_[operand] = arena.take(own_.bytes());
            in_arena_ = operand == order_.last();
        }
    }
}

int WholeCombine::receive_all() {
    const std::size_t children = links_.children.size();
    int code = 0;
    if (!begun_) {
        begun_ = true;
        code = start();
    } else if (children == 1) {
        code = arrived(transport_.test());
    }
    while (code == 0 && finished_ < children) {
        int count = 0;
        code = transport_.wait_some(done_, count);
        for (int i = 0; i < count; ++i) {
            here_[order_.of_child(static_cast<std::size_t>(done_[i]))] = true;
        }
        finished_ += static_cast<std::size_t>(count);
        if (code == 0) {
            code = combine();
        }
    }
    return code;
}

int WholeCombine::start() {
    const std::size_t children = links_.children.size();
    if (children < 2) {
        const int code = produce();
        return code != 0 ? code
                         : arrived(transport_.recv(places_[order_.of_child(0)], own_.bytes(),
                                                   links_.children.front().peer));
    }
    int code = transport_.begin(static_cast<int>(children));
    for (std::size_t child = 0; child < children && code == 0; ++child) {
        code = transport_.irecv(static_cast<int>(child), places_[order_.of_child(child)], own_.bytes(),
                                links_.children[child].peer);
    }
    return code == 0 ? produce() : code;
}

/// Processes the only child's message, received with this code.
int WholeCombine::arrived(int code) {
    if (code != 0) {
        return code;
    }
    here_[order_.of_child(0)] = true;
    finished_ = 1;
    return combine();
}

/// Combines the operands that have arrived without a gap.
int WholeCombine::combine() {
    for (; combined_ < order_.count() && here_[combined_]; ++combined_) {
        if (combined_ == 0 || own_.bytes() == 0) {
            continue;
        }
        std::byte* const right = places_[combined_];
        if (combined_ == order_.own() && right != own_.data()) {
            std::memcpy(right, own_.data(), own_.bytes());
        }
        if (const int code = reduction_.combine(places_[combined_ - 1], right, own_.bytes()); code != 0) {
            return code;
        }
    }
    return 0;
}

int PassDown::poll() {
    if (!begun_) {
        begun_ = true;
        received_ = parent_ < 0 ? 0 : transport_.recv(result_.data(), result_.bytes(), parent_);
    } else if (received_ == under_way) {
        received_ = transport_.test();
    }
    return received_ != 0 ? received_ : down_.poll();
}

}  // namespace strata::algorithms
