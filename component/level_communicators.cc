#include "level_communicators.h"

#include <algorithm>
#include <limits>
#include <new>

#include "counters.h"
#include "private_copy.h"

namespace strata::component {
namespace {

constexpr std::size_t most_aims = 64;  // roots, as for the routes of a plan

/// The name of the component that owns a module, as the communicator's selection noted it.
std::string owner_of(ompi_communicator_t* comm, const mca_coll_base_module_t* module) {
    opal_list_item_t* item = nullptr;
    for (item = opal_list_get_first(comm->c_coll->module_list);
         item != opal_list_get_end(comm->c_coll->module_list); item = opal_list_get_next(item)) {
        const auto* available = reinterpret_cast<const mca_coll_base_avail_coll_t*>(item);
        if (available->ac_module == module) {
            return available->ac_component_name;
        }
    }
    return {};
}

/// True when a component offers some part of a collective to a communicator of its own choice.
bool offers(const mca_coll_base_module_t& module, Collective op) {
    switch (op) {
#define STRATA_COLLECTIVE(name) \
    case Collective::name:      \
        return module.coll_##name != nullptr || module.coll_i##name != nullptr;
#include "strata/algorithms/collectives.def"
#undef STRATA_COLLECTIVE
        case Collective::count: break;
    }
    return false;
}

/// What Open MPI calls the tasks of a level, for this collective.
std::vector<Collective> parts_of(Collective op, bool topmost) {
    using enum Collective;
    switch (op) {
        case allreduce: return topmost ? std::vector{allreduce, reduce, bcast} : std::vector{reduce, bcast};
        case allgather:
        case allgatherv:
            return topmost ? std::vector{allgather, allgatherv, gather, gatherv, bcast}
                           : std::vector{gather, gatherv, bcast};
        case gather:
        case gatherv: return {gather, gatherv};
        case scatter:
        case scatterv: return {scatter, scatterv};
        default: return {op};
    }
}

std::string offered_components(ompi_communicator_t* comm, const std::vector<Collective>& parts) {
    std::string names;
    opal_list_item_t* item = nullptr;
    for (item = opal_list_get_first(comm->c_coll->module_list);
         item != opal_list_get_end(comm->c_coll->module_list); item = opal_list_get_next(item)) {
        const auto* available = reinterpret_cast<const mca_coll_base_avail_coll_t*>(item);
        if (std::any_of(parts.begin(), parts.end(),
                        [&](Collective part) { return offers(*available->ac_module, part); })) {
            names += (names.empty() ? "" : ", ") + std::string(available->ac_component_name);
        }
    }
    return names;
}

/// Lets all ranks know whether all succeeded: whoever failed must not be the only one to know.
void agree_on(LeastOfAll& all, int rank, bool failed, LevelCommunicators::Outcome& outcome) {
    constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t first_failed = failed ? static_cast<std::uint64_t>(rank) : nobody;
    outcome.rc = all.exchange({&first_failed, 1});
    outcome.agreed = first_failed == nobody;
    outcome.speaker = first_failed == static_cast<std::uint64_t>(rank);
}

constexpr const char* out_of_memory = "out of memory";  // short enough to need none

}  // namespace

int stand_in_key(const topology::Hierarchy& hierarchy, int root) {
    for (int group = hierarchy.stop[root]; hierarchy.groups[group].parent >= 0;
         group = hierarchy.groups[group].parent) {
        if (hierarchy.groups[group].leader != root) {
            return root;
        }
    }
    return -1;
}

std::unique_ptr<LevelCommunicators> LevelCommunicators::make(ompi_communicator_t* parent, LeastOfAll& all,
                                                             const topology::Hierarchy& hierarchy,
                                                             const algorithms::Plan& plan, int root,
                                                             bool able, Outcome& outcome) noexcept {
    const int rank = ompi_comm_rank(parent);
    const int depths = hierarchy.depth();
    std::unique_ptr<LevelCommunicators> made;
    std::vector<Share> shares;
    try {
        made.reset(new LevelCommunicators(depths));
        for (int depth = 0; depth < depths; ++depth) {
            shares.push_back(made->share_in(depth, hierarchy, plan, rank, root));
        }
    } catch (const std::exception&) {
        able = false;
    }
    if (!able) {
        outcome.why = out_of_memory;
    }
    const PrivateCopy copy(parent);
    if (able && copy.get() == nullptr) {
        outcome.why = "Open MPI could not create a communicator";
    }
    agree_on(all, rank, !able || copy.get() == nullptr, outcome);
    if (outcome.rc != OMPI_SUCCESS || !outcome.agreed) {
        return made;
    }
    bool failed = false;
    for (int depth = 0; depth < depths; ++depth) {
        const Share& share = shares[static_cast<std::size_t>(depth)];
        failed = !made->split(copy.get(), parent, depth, share, outcome.why) || failed;
    }
    agree_on(all, rank, failed, outcome);
    return made;
}

LevelCommunicators::Share LevelCommunicators::share_in(int depth, const topology::Hierarchy& hierarchy,
                                                       const algorithms::Plan& plan, int rank, int root) {
    LevelGroup& level = at(depth);
    std::vector<int> members;
    int stand_in = -1;
    Share share{algorithms::level_group(hierarchy, depth, rank, root, members, stand_in),
                0,
                {OBJ_NEW(opal_info_t), [](opal_info_t* info) { OBJ_RELEASE(info); }}};
    if (share.info == nullptr) {
        throw std::bad_alloc();
    }
    if (members.size() < 2) {
        share.group = -1;  // a group of one has nobody to talk to
    }
    share.position = static_cast<int>(std::find(members.begin(), members.end(), rank) - members.begin());
    std::string preference = "^strata";
    if (share.group >= 0) {
        level.key = hierarchy.groups[share.group].level;
        level.method = plan.at(level.key).method;
        if (level.by_component()) {
            preference = level.method.component + ",^strata";
        }
    }
    opal_info_set(share.info.get(), "ompi_comm_coll_preference", preference.c_str());
    return share;
}

bool LevelCommunicators::split(ompi_communicator_t* copy, ompi_communicator_t* parent, int depth,
                               const Share& share, std::string& why) noexcept {
    LevelGroup& level = at(depth);
    ompi_communicator_t* created = nullptr;
    const int rc = ompi_comm_split_with_info(copy, share.group >= 0 ? share.group : MPI_UNDEFINED,
                                             share.position, share.info.get(), &created, false);
    try {
        if (rc != OMPI_SUCCESS) {
            why = "Open MPI could not create a communicator for level " + topology::name_of(level.key);
            return false;
        }
        if (share.group < 0 || created == nullptr || created == &ompi_mpi_comm_null.comm) {
            return true;
        }
        counters().communicators.add();
        level.comm = created;
        if (compat::release_number(created) < compat::release_number(parent)) {
            // Ours has to outlive the parent that will free it.
            compat::keep_beyond_parent(created);
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
    if (!level.by_component()) {
        return;
    }
    auto& table = *level.comm->c_coll;
    const auto owns = [&](const mca_coll_base_module_t* module) {
        return module != nullptr && owner_of(level.comm, module) == level.method.component;
    };
#define STRATA_COLLECTIVE(op)                                                                  \
    level.blocking[static_cast<std::size_t>(Collective::op)] = owns(table.coll_##op##_module); \
    level.nonblocking[static_cast<std::size_t>(Collective::op)] = owns(table.coll_i##op##_module);
#include "strata/algorithms/collectives.def"
#undef STRATA_COLLECTIVE
}

LevelCommunicators::Outcome LevelCommunicators::admit(LeastOfAll& all, int rank, Collective op,
                                                      bool able) noexcept {
    Outcome outcome;
    outcome.agreed = admitted_[static_cast<std::size_t>(op)];
    if (outcome.agreed) {
        return outcome;
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
    agree_on(all, rank, !able, outcome);
    admitted_[static_cast<std::size_t>(op)] = outcome.rc == OMPI_SUCCESS && outcome.agreed;
    return outcome;
}

bool LevelCommunicators::serves(Collective op, std::string& why) const {
    for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
        const LevelGroup& level = levels_[depth];
        if (level.comm == nullptr || !level.by_component()) {
            continue;
        }
        const std::vector<Collective> parts = parts_of(op, depth == 0);
        if (std::none_of(parts.begin(), parts.end(), [&](Collective part) { return level.offers(part); })) {
            why = "  level " + topology::name_of(level.key) + ": '" + level.method.component +
                  "' is no algorithm, and no component of that name offers a " +
                  std::string(name_of(parts.front())) +
                  " there.\n  Algorithms: " + algorithms::known_algorithm_names() +
                  "\n  Components: " + offered_components(level.comm, parts) + "\n";
            return false;
        }
    }
    return true;
}

const LevelCommunicators::Aim& LevelCommunicators::aim_at(const topology::Hierarchy& hierarchy, int rank,
                                                          int root) {
    if (const auto known = aims_.find(root); known != aims_.end()) {
        return known->second;
    }
    if (aims_.size() >= most_aims) {
        aims_.erase(aims_.begin());
    }
    Aim aim{std::vector<int>(levels_.size(), 0), algorithms::level_blocks(hierarchy, root, rank)};
    std::vector<int> members;
    for (int depth = 0; depth < levels(); ++depth) {
        int stand_in = -1;
        if (algorithms::level_group(hierarchy, depth, rank, root, members, stand_in) >= 0) {
            const auto place = std::lower_bound(members.begin(), members.end(), stand_in);
            aim.roots[static_cast<std::size_t>(depth)] = static_cast<int>(place - members.begin());
        }
    }
    return aims_.emplace(root, std::move(aim)).first->second;
}

bool LevelCommunicators::aim(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int rank,
                             int root) noexcept {
    try {
        aimed_ = &aim_at(hierarchy, rank, root);
        for (int depth = 0; depth < levels(); ++depth) {
            LevelGroup& level = at(depth);
            if (level.comm != nullptr) {
                level.root = aimed_->roots[static_cast<std::size_t>(depth)];
                level.method = plan.at(level.key).method;
                level.truncated = false;
            }
        }
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

LevelCommunicators::~LevelCommunicators() {
    for (LevelGroup& level : levels_) {
        if (level.base != nullptr) {
            OBJ_RELEASE(level.base);
        }
        if (level.comm != nullptr) {
            ompi_comm_free(&level.comm);
        }
    }
}

int LevelCommunicators::start(int index, std::byte* data, std::size_t bytes) {
    LevelGroup& level = at(index);
    return component::start<Collective::bcast>(level, level.down, static_cast<void*>(data),
                                               static_cast<int>(bytes), &ompi_mpi_byte.dt, level.root);
}

int LevelCommunicators::finish(int index) { return component::finish(at(index), at(index).down); }

int LevelCommunicators::noted_error() const {
    const bool truncated =
        std::any_of(levels_.begin(), levels_.end(), [](const LevelGroup& level) { return level.truncated; });
    return truncated ? MPI_ERR_TRUNCATE : OMPI_SUCCESS;
}

void LevelCommunicators::abandon() noexcept {
    for (LevelGroup& level : levels_) {
        for (ompi_request_t** pending : {&level.up, &level.down}) {
            if (*pending != nullptr) {
                left_messages_ = ompi_request_free(pending) != OMPI_SUCCESS || left_messages_;
                *pending = nullptr;
            }
        }
    }
}

}  // namespace strata::component
