#pragma once
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace strata::testing {

/// Yields the same numbers on every platform for one seed; the standard distributions do not guarantee
/// that.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    /// 0 .. limit-1; limit >= 1.
    std::size_t below(std::size_t limit) { return engine_() % limit; }
    /// low .. high, both included.
    int between(int low, int high) {
        return low + static_cast<int>(below(static_cast<std::size_t>(high - low) + 1));
    }
    bool percent(int chance) { return below(100) < static_cast<std::size_t>(chance); }

private:
    std::mt19937_64 engine_;
};

template <typename Item>
void shuffle(Random& random, std::vector<Item>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

}  // namespace strata::testing
