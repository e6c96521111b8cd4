#include "turns.h"

namespace bench {

std::size_t in_turn(std::uint64_t repetition, std::size_t step, std::size_t count) {
    const std::size_t shift = repetition % count;
    const bool backwards = repetition / count % 2 != 0;
    const std::size_t place = backwards ? count - 1 - step : step;
    const std::size_t zigzag =
        place % 2 != 0 ? (place + 1) / 2 : (count - place / 2) % count;  // 0 1 -1 2 -2 ...
    return (zigzag + shift) % count;
}

}  // namespace bench
