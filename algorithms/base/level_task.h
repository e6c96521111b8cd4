#pragma once
#include <cstdint>
#include <initializer_list>

namespace strata::algorithms {

/// What one group of a level can be asked to do as a whole, when somebody else does it.
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

/// What the groups of the levels engine are asked to do for a collective. A level's method has to know one of
/// these tasks by its name; the others on that level are done by a default.
struct CollectiveTasks {
    LevelTasks topmost;
    LevelTasks below;
};

}  // namespace strata::algorithms
