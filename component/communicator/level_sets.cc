#include "component/communicator/level_sets.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace strata::component {

LevelCommunicators* LevelSets::find(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan,
                                    int root) const {
    const int key = local_root_key(hierarchy, root);
    const auto same = [&](const Set& set) {
        return set.key == key && std::equal(set.components.begin(), set.components.end(), plan.levels.begin(),
                                            plan.levels.end(), [](const auto& component, const auto& level) {
                                                return component == level.method.component;
                                            });
    };
    const auto known = std::find_if(sets_.begin(), sets_.end(), same);
    return known == sets_.end() ? nullptr : known->communicators.get();
}

algorithms::Task LevelSets::make(SetUp& set_up, ompi_communicator_t* comm, MinAllreduce& least,
                                 const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int root,
                                 LevelCommunicators*& made, LevelCommunicators::Outcome& outcome) {
    // Named algorithms run on any communicator; only a component has to be selected when one is made.
    bool able = true;
    std::list<Set> fresh;
    try {
        fresh.push_back({{}, local_root_key(hierarchy, root), nullptr});
        for (const auto& level : plan.levels) {
            fresh.back().components.push_back(level.method.component);
        }
    } catch (const std::exception&) {
        able = false;
    }
    std::unique_ptr<LevelCommunicators> communicators;
    const int rc = co_await LevelCommunicators::make(set_up, comm, least, hierarchy, plan, root, able,
                                                     communicators, outcome);
    made = nullptr;
    if (rc != OMPI_SUCCESS || !outcome.agreed) {
        co_return rc;
    }
    made = communicators.get();
    fresh.back().communicators = std::move(communicators);
    sets_.splice(sets_.end(), fresh);  // only now: no caller may find an incomplete set
    co_return rc;
}

}  // namespace strata::component
