#pragma once
#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

#include "topology/level.h"

namespace strata::topology {

struct Hierarchy;

/// Hash of a sequence of facts that ranks compare instead of the facts. Equal sequences have equal
/// hashes on machines of one byte order; different ones practically never. Allocates nothing.
class FactHash {
public:
    template <std::integral Number>
    FactHash& add(Number number) {
        return mix(static_cast<std::uint64_t>(number));
    }
    /// Hashes the bit pattern.
    FactHash& add(double number) { return mix(std::bit_cast<std::uint64_t>(number)); }
    FactHash& add(LevelKey level) { return add(static_cast<unsigned>(level.kind)).add(level.height); }
    FactHash& add(std::string_view text);
    FactHash& add(const std::vector<int>& numbers);

    std::uint64_t value() const { return value_; }

private:
    FactHash& mix(std::uint64_t word) {
        // A multiplication carries differences upwards only; the shift brings the upper bits down.
        value_ = (value_ ^ word) * 0x9E3779B97F4A7C15ULL;
        value_ = (value_ ^ value_ >> 32) * 0xD6E8FEB86659FD93ULL;
        value_ ^= value_ >> 32;
        return *this;
    }
    std::uint64_t value_ = 0xCBF29CE484222325ULL;
};

/// Returns the hash of all that plans depend on: groups, leaders, topology order, receivers and
/// oversubscription. Cost: ranks times depth.
std::uint64_t hash_of(const Hierarchy& hierarchy);

}  // namespace strata::topology
