#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "ompi_compat.h"

namespace strata::component {

/// Lets all ranks of a communicator know the least of what they bring: how they vote, and tell each other why
/// not. Straight through Open MPI's point-to-point layer, in as many rounds as the number of ranks has bits:
/// in each a rank sends what it knows to one that is twice as far as in the round before, and hears from
/// one as far on the other side (dissemination; Hensgen, Finkel and Manber 1988). A minimum may be heard
/// twice, so any number of ranks will do. The collectives in the slots are not asked: which these are, and
/// what memory they need, may differ from rank to rank. Needs no memory of ours.
class LeastOfAll {
public:
    static constexpr std::size_t most_words = 6;

    explicit LeastOfAll(ompi_communicator_t* comm) : comm_(comm) {}

    /// Word by word, in place; at most `most_words`. Collective. Returns Open MPI's error code; after an
    /// error the words are not to be used.
    int exchange(std::span<std::uint64_t> words);

private:
    ompi_communicator_t* comm_;
    /// Not on the stack: after an error a message may still arrive.
    std::array<std::uint64_t, most_words> heard_{};
};

}  // namespace strata::component
