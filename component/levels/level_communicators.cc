#include "component/levels/level_communicators.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <new>
#include <utility>

#include "component/base/cancellation.h"
#include "component/levels/level_creation.h"
#include "component/openmpi/modules.h"
#include "component/report/counters.h"

namespace strata::component {
namespace {

using algorithms::Task;

constexpr std::size_t most_aims = 64;  // roots; like the limit for a plan's routes

/// Returns the name of the component that owns a module, as noted by the communicator's selection.
std::string owner_of(ompi_communicator_t* comm, const mca_coll_base_module_t* module) {
    for (const mca_coll_base_avail_coll_t& selected : SelectedModules(comm)) {
        if (selected.ac_module == module) return selected.ac_component_name;
    }
    return {};
}

/// Returns true if a component's module offers part of a collective.
bool offers(const mca_coll_base_module_t& module, Collective op) {
    switch (op) {
#define STRATA_COLLECTIVE(name, ...) \
    case Collective::name:           \
        return module.coll_##name != nullptr || module.coll_i##name != nullptr;
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
        case Collective::count: break;
    }
    return false;
}

/// Returns the collectives by which a component can do a level's task.
std::vector<Collective> parts_of(Collective op, bool topmost) {
    using algorithms::LevelTask;
    using enum Collective;
    constexpr std::pair<LevelTask, Collective> by_task[] = {
        {LevelTask::allreduce, allreduce},   {LevelTask::allgather, allgather},
        {LevelTask::allgatherv, allgatherv}, {LevelTask::gather, gather},
        {LevelTask::gather, gatherv},        {LevelTask::scatter, scatter},
        {LevelTask::scatter, scatterv},      {LevelTask::reduce, reduce},
        {LevelTask::bcast, bcast},           {LevelTask::barrier, barrier}};
    const algorithms::CollectiveTasks& tasks = algorithms::traits_of(op).tasks;
    std::vector<Collective> parts;
    for (const auto& [task, part] : by_task) {
        if ((topmost ? tasks.topmost : tasks.below).has(task)) parts.push_back(part);
    }
    return parts;
}

std::string offered_components(ompi_communicator_t* comm, const std::vector<Collective>& parts) {
    std::string names;
    for (const mca_coll_base_avail_coll_t& selected : SelectedModules(comm)) {
        if (std::ranges::any_of(parts, [&](Collective part) { return offers(*selected.ac_module, part); })) {
            names += (names.empty() ? "" : ", ") + std::string(selected.ac_component_name);
        }
    }
    return names;
}

/// Finds out whether all ranks succeeded, so that all of them stop after a failure of one.
Task agree_on(SetUp& set_up, MinAllreduce& all, int rank, bool failed, LevelCommunicators::Outcome& outcome) {
    constexpr std::uint64_t no_rank = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t first_failed = failed ? static_cast<std::uint64_t>(rank) : no_rank;
    const int rc = co_await all.exchange(set_up, {&first_failed, 1});
    outcome.agreed = first_failed == no_rank;
    outcome.reporter = first_failed == static_cast<std::uint64_t>(rank);
    co_return rc;
}

constexpr const char* out_of_memory = "out of memory";  // short enough to need no memory

}  // namespace

int local_root_key(const topology::Hierarchy& hierarchy, int root) {
    for (int group = hierarchy.stop[root]; hierarchy.groups[group].parent >= 0;
         group = hierarchy.groups[group].parent) {
        if (hierarchy.groups[group].leader != root) {
            return root;
        }
    }
    return -1;
}

/// Each rank takes the memory that only it needs before the ranks agree that all have it. From then on all
/// are in here and wait only for each other. Creation uses messages of the group alone, as
/// MPI_Comm_create_group does, with a tag that makes Open MPI finish it before every creation that the
/// program has begun (MPI_Comm_idup, other threads). Several threads may be in here, for several parents.
/// This ends: the creation with the lowest tag never waits for another, and a communicator number that
/// another creation tries is released before that creation tries again.
Task LevelCommunicators::make(SetUp& set_up, ompi_communicator_t* parent, MinAllreduce& all,
                              const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int root,
                              bool able, std::unique_ptr<LevelCommunicators>& made, Outcome& outcome) {
    const int rank = ompi_comm_rank(parent);
    std::vector<Bare> bare;
    try {
        made.reset(new LevelCommunicators(hierarchy.depth()));
        for (int depth = 0; depth < made->levels(); ++depth) {
            bare.push_back(made->bare_for(depth, parent, hierarchy, plan, root));
        }
    } catch (const std::exception&) {
        able = false;
    }
    if (!able) {
        outcome.why = out_of_memory;
    }
    const int rc = co_await agree_on(set_up, all, rank, !able, outcome);
    if (rc != OMPI_SUCCESS || !outcome.agreed) {
        co_return rc;
    }
    const SetUp::AllAreHere hold(set_up);
    bool failed = false;
    for (int depth = 0; depth < made->levels(); ++depth) {
        ompi_communicator_t* comm = bare[static_cast<std::size_t>(depth)].release();
        if (comm == nullptr) continue;
        std::snprintf(comm->c_name, 32, "coll/strata level %d", depth);
        const int created = co_await Creation(set_up, comm, parent);
        failed = !made->adopt(created, comm, parent, depth, outcome.why) || failed;
    }
    co_return co_await agree_on(set_up, all, rank, failed, outcome);
}

/// Returns null if this rank takes no part.
LevelCommunicators::Bare LevelCommunicators::bare_for(int depth, ompi_communicator_t* parent,
                                                      const topology::Hierarchy& hierarchy,
                                                      const algorithms::Plan& plan, int root) {
    LevelGroup& level = levels_[static_cast<std::size_t>(depth)];
    std::vector<int> members;
    int local_root = -1;
    const int group =
        algorithms::level_group(hierarchy, depth, ompi_comm_rank(parent), root, members, local_root);
    if (group < 0 || members.size() < 2) {  // a group of one needs no communicator
        return nullptr;
    }
    level.key = hierarchy.groups[static_cast<std::size_t>(group)].level;
    level.component = plan.at(level.key).method.component;
    const std::string preference = level.component.empty() ? "^strata" : level.component + ",^strata";
    ompi_communicator_t* made = nullptr;
    if (compat::bare_communicator(parent, members, &made) != OMPI_SUCCESS) {
        throw std::bad_alloc();
    }
    Bare bare(made);
    bare->super.s_info = OBJ_NEW(opal_info_t);
    if (bare->super.s_info == nullptr) {
        throw std::bad_alloc();
    }
    opal_info_set(bare->super.s_info, "ompi_comm_coll_preference", preference.c_str());
    return bare;
}

/// Takes over the communicator of a level, created with return code `rc`.
bool LevelCommunicators::adopt(int rc, ompi_communicator_t* comm, ompi_communicator_t* parent, int depth,
                               std::string& why) noexcept {
    LevelGroup& level = levels_[static_cast<std::size_t>(depth)];
    try {
        if (rc != OMPI_SUCCESS) {
            if (comm != nullptr && comm != &ompi_mpi_comm_null.comm) {  // else Open MPI has released it
                OBJ_RELEASE(comm);
            }
            why = "Open MPI could not create a communicator for level " + topology::name_of(level.key);
            return false;
        }
        counters().communicators.add();
        level.comm = comm;
        if (compat::release_number(comm) < compat::release_number(parent)) {
            // This communicator must outlive the parent, which frees it.
            compat::retain_beyond_parent(comm);
        }
        equip(level);
        return true;
    } catch (const std::exception&) {
        why = out_of_memory;
        return false;
    }
}

void LevelCommunicators::equip(LevelGroup& level) {
    level.base = OBJ_NEW(mca_coll_base_module_t);
    if (level.base != nullptr) {
        level.base->base_data = OBJ_NEW(mca_coll_base_comm_t);
    }
    if (level.base == nullptr || level.base->base_data == nullptr) {
        throw std::bad_alloc();
    }
    if (level.component.empty()) {
        return;
    }
    auto& table = *level.comm->c_coll;
    const auto owns = [&](const mca_coll_base_module_t* module) {
        return module != nullptr && owner_of(level.comm, module) == level.component;
    };
#define STRATA_COLLECTIVE(op, ...)                                                             \
    level.blocking[static_cast<std::size_t>(Collective::op)] = owns(table.coll_##op##_module); \
    level.nonblocking[static_cast<std::size_t>(Collective::op)] = owns(table.coll_i##op##_module);
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
}

Task LevelCommunicators::admit(SetUp& set_up, MinAllreduce& all, int rank, Collective op, bool able,
                               Outcome& outcome) {
    outcome.agreed = admits(op);
    if (outcome.agreed) {
        co_return OMPI_SUCCESS;
    }
    if (able) {
        try {
            able = serves(op, outcome.why);
        } catch (const std::exception&) {
            able = false;
            outcome.why = out_of_memory;
        }
    } else {
        outcome.why = out_of_memory;
    }
    const int rc = co_await agree_on(set_up, all, rank, !able, outcome);
    admitted_[static_cast<std::size_t>(op)] = rc == OMPI_SUCCESS && outcome.agreed;
    co_return rc;
}

bool LevelCommunicators::serves(Collective op, std::string& why) const {
    for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
        const LevelGroup& level = levels_[depth];
        if (level.comm == nullptr || level.component.empty()) {
            continue;
        }
        const std::vector<Collective> parts = parts_of(op, depth == 0);
        if (std::none_of(parts.begin(), parts.end(), [&](Collective part) { return level.offers(part); })) {
            why = "  level " + topology::name_of(level.key) + ": '" + level.component +
                  "' is no algorithm, and no component of that name offers a " +
                  std::string(name_of(parts.front())) +
                  " there.\n  Algorithms: " + algorithms::known_algorithm_names() +
                  "\n  Components: " + offered_components(level.comm, parts) + "\n";
            return false;
        }
    }
    return true;
}

std::shared_ptr<const LevelAim> LevelCommunicators::aim(const topology::Hierarchy& hierarchy, int rank,
                                                        int root) noexcept {
    try {
        if (const auto known = aims_.find(root); known != aims_.end()) {
            return known->second;
        }
        if (aims_.size() >= most_aims) {
            aims_.erase(aims_.begin());
        }
        LevelAim aim{std::vector<int>(levels_.size(), 0), algorithms::level_blocks(hierarchy, root, rank)};
        std::vector<int> members;
        for (int depth = 0; depth < levels(); ++depth) {
            int local_root = -1;
            if (algorithms::level_group(hierarchy, depth, rank, root, members, local_root) >= 0) {
                const auto place = std::lower_bound(members.begin(), members.end(), local_root);
                aim.roots[static_cast<std::size_t>(depth)] = static_cast<int>(place - members.begin());
            }
        }
        return aims_.emplace(root, std::make_shared<const LevelAim>(std::move(aim))).first->second;
    } catch (const std::exception&) {
        return nullptr;
    }
}

LevelCommunicators::~LevelCommunicators() {
    const HoldCancellation hold;
    for (LevelGroup& level : levels_) {
        if (level.base != nullptr) {
            OBJ_RELEASE(level.base);
        }
        if (level.comm != nullptr) {
            ompi_comm_free(&level.comm);
        }
    }
}

}  // namespace strata::component
