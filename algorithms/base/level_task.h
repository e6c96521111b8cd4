#pragma once
#include <cstdint>
#include <initializer_list>

namespace strata::algorithms {

/// What one group of a level does as a whole, by another component.
enum class LevelTask : std::uint8_t {
    bcast,
    reduce,
    allreduce,
    allgather,
    allgatherv,
    gather,
    scatter,
    barrier
};

/// A set of tasks.
class LevelTasks {
public:
    constexpr LevelTasks() = default;
    constexpr LevelTasks(std::initializer_list<LevelTask> tasks) {
        for (const LevelTask task : tasks) bits_ |= 1U << static_cast<unsigned>(task);
    }
    constexpr bool has(LevelTask task) const { return (bits_ >> static_cast<unsigned>(task) & 1U) != 0; }
    constexpr bool meets(LevelTasks other) const { return (bits_ & other.bits_) != 0; }
    constexpr bool operator==(const LevelTasks&) const = default;

private:
    unsigned bits_ = 0;
};

/// The tasks of the levels engine's groups for a collective. A level's method must have an algorithm for
/// one of its level's tasks; a default carries out the others.
struct CollectiveTasks {
    LevelTasks topmost;
    LevelTasks below;
};

}  // namespace strata::algorithms
