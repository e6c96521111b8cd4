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

LevelCommunicators* LevelSets::make(ompi_communicator_t* comm, MinAllreduce& least,
                                    const topology::Hierarchy& hierarchy, const algorithms::Plan& plan,
                                    int root, LevelCommunicators::Outcome& outcome) {
    // A component is selected when a communicator is created; named algorithms run on any communicator.
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
    auto made = LevelCommunicators::make(comm, least, hierarchy, plan, root, able, outcome);
    if (outcome.rc != OMPI_SUCCESS || !outcome.agreed) {
        return nullptr;
    }
    fresh.back().communicators = std::move(made);
    sets_.splice(sets_.end(), fresh);  // last, so that find() sees complete sets only
    return sets_.back().communicators.get();
}

}  // namespace strata::component
