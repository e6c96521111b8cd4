#include "component/communicator/passed_calls.h"

#include <algorithm>

namespace strata::component {

bool PassedCalls::all_are_passed(ForwardReason reason) const {
    return std::ranges::all_of(because_, [&](const auto& own) { return own == reason; });
}

void PassedCalls::decide(bool noted) noexcept {
    decided_ = true;
    for (std::size_t op = 0; op < for_good_.size() && !noted; ++op) {
        const ForwardReason otherwise =
            left_whatever_size_[op] != nullptr ? ForwardReason::model : ForwardReason::count;
        for_good_[op] = because_[op].value_or(otherwise);
    }
}

void PassedCalls::add_to(topology::FactHash& hash) const {
    for (const auto& reason : because_) {
        hash.add(static_cast<int>(reason.value_or(ForwardReason::count)));
    }
    for (const char* reason : left_whatever_size_) {
        hash.add(reason != nullptr ? 1 : 0);
    }
}

}  // namespace strata::component
