// Order in which contenders take turns.

#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

// Returns which of `count` contenders, from 0, takes place `step` (below count) of this repetition. An
// operation is a few per cent faster after some contenders than after others (they leave caches and
// waiting ranks differently). Within any 2 * count consecutive repetitions every contender therefore has
// every place equally often and directly follows every other one equally often: rows of a Williams
// design (E. J. Williams, Australian Journal of Scientific Research A 2, 1949), forwards `count` times,
// then backwards. An even `count` needs half as many.
std::size_t in_turn(std::uint64_t repetition, std::size_t step, std::size_t count);

}  // namespace bench
