#pragma once
#include <array>
#include <optional>
#include <utility>

#include "component/base/collectives.h"
#include "component/communicator/passed_sizes.h"
#include "topology/fact_hash.h"

namespace strata::component {

/// The collectives and sizes that a communicator passes through without a plan, and the reasons.
class PassedCalls {
public:
    PassedCalls() { for_good_.fill(ForwardReason::count); }

    /// Returns why every call of `op` passes through; empty: calls are served, or it is not decided.
    const std::optional<ForwardReason>& because(Collective op) const { return because_[index(op)]; }
    void pass(Collective op, ForwardReason reason) { because_[index(op)] = reason; }
    void pass_all(ForwardReason reason) { because_.fill(reason); }
    void pass_none() { because_.fill(std::nullopt); }
    bool all_are_passed(ForwardReason reason) const;

    /// Returns why the model passes `op` through at every size and root (Planner); null if these matter.
    const char* passed_at_every_size(Collective op) const { return left_whatever_size_[index(op)]; }
    void leave(Collective op, const char* reason) { left_whatever_size_[index(op)] = reason; }

    /// Returns true once per collective: a message about its passed calls that does not depend on the size.
    bool takes_message(Collective op) const { return !std::exchange(message_taken_[index(op)], true); }

    /// Makes the reasons final (for_good()). `noted`: every call is noted, so that none passes through
    /// unseen.
    void decide(bool noted) noexcept;
    /// Returns ForwardReason::count if it is not decided, or every call is noted.
    ForwardReason for_good(Collective op) const { return for_good_[index(op)]; }
    /// Returns true once after decide().
    bool takes_decision() { return std::exchange(decided_, false); }

    /// Returns the sizes that are known to pass through.
    const PassedSizes& sizes(Collective op) const { return sizes_[index(op)]; }
    void note(const Request& request, ForwardReason reason) {
        sizes_[index(request.operation.collective)].add(request, reason);
    }
    void forget_sizes() noexcept { sizes_.fill({}); }

    /// Adds the decisions, which must be equal on all ranks.
    void add_to(topology::FactHash& hash) const;

private:
    static std::size_t index(Collective op) { return static_cast<std::size_t>(op); }

    std::array<std::optional<ForwardReason>, collective_count> because_;
    std::array<const char*, collective_count> left_whatever_size_{};
    std::array<ForwardReason, collective_count> for_good_;
    std::array<PassedSizes, collective_count> sizes_;
    bool decided_ = false;
    mutable std::array<bool, collective_count> message_taken_{};  // no state of calls
};

}  // namespace strata::component
