#pragma once
#include <array>
#include <optional>
#include <utility>

#include "component/base/collectives.h"
#include "component/communicator/passed_sizes.h"
#include "topology/fact_hash.h"

namespace strata::component {

/// Which calls on a communicator are passed through, whatever is planned, and why.
class PassedCalls {
public:
    PassedCalls() { for_good_.fill(ForwardReason::count); }

    /// Why every call of `op` is passed through; empty where they are served, and until that is decided.
    const std::optional<ForwardReason>& because(Collective op) const { return because_[index(op)]; }
    void pass(Collective op, ForwardReason reason) { because_[index(op)] = reason; }
    void pass_all(ForwardReason reason) { because_.fill(reason); }
    void pass_none() { because_.fill(std::nullopt); }
    bool all_are_passed(ForwardReason reason) const;

    /// Why the model leaves `op` whatever the size and the root (Planner); null where these matter.
    const char* left_whatever_size(Collective op) const { return left_whatever_size_[index(op)]; }
    void leave(Collective op, const char* reason) { left_whatever_size_[index(op)] = reason; }

    /// From now on what is passed through is so for good; `noted`: every call is to be noted, and so none is.
    void decide(bool noted) noexcept;
    /// ForwardReason::count while that is open, and where each call is noted.
    ForwardReason for_good(Collective op) const { return for_good_[index(op)]; }
    /// True once after decide().
    bool takes_decision() { return std::exchange(decided_, false); }

    /// The calls that are passed through by their size, as far as that is known.
    const PassedSizes& sizes(Collective op) const { return sizes_[index(op)]; }
    void note(const Request& request, ForwardReason reason) {
        sizes_[index(request.operation.collective)].add(request, reason);
    }
    void forget_sizes() noexcept { sizes_.fill({}); }

    /// Adds what all ranks must have alike.
    void add_to(topology::FactHash& hash) const;

private:
    static std::size_t index(Collective op) { return static_cast<std::size_t>(op); }

    std::array<std::optional<ForwardReason>, collective_count> because_;
    std::array<const char*, collective_count> left_whatever_size_{};
    std::array<ForwardReason, collective_count> for_good_;
    std::array<PassedSizes, collective_count> sizes_;
    bool decided_ = false;
};

}  // namespace strata::component
