// In which order those who are compared take their turns.

#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

// Who of `count`, from 0 up, comes at place `step` (below count) of this repetition. An operation is a few
// per cent faster after some than after others (they leave caches and waiting ranks differently), so within
// any 2 * count repetitions in a row everybody has every place equally often and directly follows everybody
// else equally often: rows of a Williams design (E. J. Williams, Australian Journal of Scientific Research A
// 2, 1949), forwards `count` times, then backwards. An even `count` needs only half of them.
std::size_t in_turn(std::uint64_t repetition, std::size_t step, std::size_t count);

}  // namespace bench
