// For a plugin that makes other plans than its sources: other segments of long broadcasts, another engine
// for long Allreduces. The linker calls wrapped() for PlanTable::at() (--wrap).
#include <list>

#include "algorithms/planning/plan_table.h"

namespace strata::algorithms {
namespace {

constexpr std::size_t long_bytes = 60'000;
constexpr std::size_t other_segment = 1000;

}  // namespace

using Entry = PlanTable::Entry;
const Entry& original(PlanTable* plan_table, const PlanClass& operations, ByLevels by_levels) asm(
    "__real__ZN6strata10algorithms9PlanTable2atERKNS0_9PlanClassENS0_8ByLevelsE");
const Entry& wrapped(PlanTable* plan_table, const PlanClass& operations, ByLevels by_levels) asm(
    "__wrap__ZN6strata10algorithms9PlanTable2atERKNS0_9PlanClassENS0_8ByLevelsE");

const Entry& wrapped(PlanTable* plan_table, const PlanClass& operations, ByLevels by_levels) {
    static std::list<Entry> all;
    const Entry& made = original(plan_table, operations, by_levels);
    const Operation& operation = operations.representative;
    if (operation.bytes < long_bytes) {
        return made;
    }
    Entry& entry = all.emplace_back(made);
    if (operation.collective == Collective::bcast) {
        for (LevelPlan& level : entry.plan.levels) level.segment_bytes = other_segment;
    }
    if (operation.collective == Collective::allreduce) {
        entry.plan.engine = Engine::forward;
    }
    return entry;
}

}  // namespace strata::algorithms
