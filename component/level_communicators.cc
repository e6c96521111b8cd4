#include "level_communicators.h"

#include <algorithm>
#include <limits>
#include <new>

#include "counters.h"
#include "strata/algorithms/tree.h"

namespace strata::component {
namespace {

/// The group of this depth in which `rank` takes part, or -1; its participants in an order that does not
/// depend on the root, and the one that stands for the group.
int group_at(const topology::Hierarchy& hierarchy, int depth, int rank, int root, std::vector<int>& members,
             int& stand_in) {
    int group = hierarchy.stop[rank];
    if (hierarchy.groups[group].depth < depth) {
        return -1;
    }
    while (hierarchy.groups[group].depth > depth) {
        group = hierarchy.groups[group].parent;
    }
    members = algorithms::participants(hierarchy, group, root);
    stand_in = members.front();
    std::sort(members.begin(), members.end());
    return std::find(members.begin(), members.end(), rank) == members.end() ? -1 : group;
}

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

std::string offered_components(ompi_communicator_t* comm) {
    std::string names;
    opal_list_item_t* item = nullptr;
    for (item = opal_list_get_first(comm->c_coll->module_list);
         item != opal_list_get_end(comm->c_coll->module_list); item = opal_list_get_next(item)) {
        const auto* available = reinterpret_cast<const mca_coll_base_avail_coll_t*>(item);
        if (available->ac_module->coll_bcast != nullptr || available->ac_module->coll_ibcast != nullptr) {
            names += (names.empty() ? "" : ", ") + std::string(available->ac_component_name);
        }
    }
    return names;
}

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

std::unique_ptr<LevelCommunicators> LevelCommunicators::make(ompi_communicator_t* parent,
                                                             const topology::Hierarchy& hierarchy,
                                                             const algorithms::Plan& plan, int root,
                                                             Outcome& outcome) {
    std::unique_ptr<LevelCommunicators> made(new LevelCommunicators(hierarchy.depth()));
    const int rank = ompi_comm_rank(parent);
    int own = std::numeric_limits<int>::max();
    for (int depth = 0; depth < hierarchy.depth(); ++depth) {
        if (!made->create(parent, depth, hierarchy, plan, root, outcome.why)) {
            own = rank;
        }
    }
    // Whoever lacks a level must not be the only one to know.
    int first_failed = own;
    outcome.rc = parent->c_coll->coll_allreduce(&own, &first_failed, 1, &ompi_mpi_int.dt, &ompi_mpi_op_min.op,
                                                parent, parent->c_coll->coll_allreduce_module);
    outcome.agreed = first_failed == std::numeric_limits<int>::max();
    outcome.speaker = first_failed == rank;
    return made;
}

bool LevelCommunicators::create(ompi_communicator_t* parent, int depth, const topology::Hierarchy& hierarchy,
                                const algorithms::Plan& plan, int root, std::string& why) {
    Level& level = levels_[depth];
    const int rank = ompi_comm_rank(parent);
    std::vector<int> members;
    int stand_in = -1;
    int group = group_at(hierarchy, depth, rank, root, members, stand_in);
    if (members.size() < 2) {
        group = -1;  // a group of one has nobody to talk to
    }
    const auto position = std::find(members.begin(), members.end(), rank) - members.begin();
    std::string preference = "^strata";
    if (group >= 0) {
        level.key = hierarchy.groups[group].level;
        level.method = plan.at(level.key).method;
        if (level.method.algorithm == algorithms::Algorithm::component) {
            preference = level.method.component + ",^strata";
        }
    }
    opal_info_t* info = OBJ_NEW(opal_info_t);
    if (info == nullptr) {
        throw std::bad_alloc();
    }
    opal_info_set(info, "ompi_comm_coll_preference", preference.c_str());
    ompi_communicator_t* created = nullptr;
    const int rc = ompi_comm_split_with_info(parent, group >= 0 ? group : MPI_UNDEFINED,
                                             static_cast<int>(position), info, &created, false);
    OBJ_RELEASE(info);
    if (rc != OMPI_SUCCESS) {
        why = "Open MPI could not create a communicator for level " + topology::name_of(level.key);
        return false;
    }
    if (group < 0 || created == nullptr || created == &ompi_mpi_comm_null.comm) {
        return true;
    }
    counters().communicators.add();
    level.comm = created;
    if (created->c_contextid < parent->c_contextid) {
        // MPI_Finalize releases what is left by ascending id; ours has to outlive the parent that will free
        // it.
        OMPI_COMM_SET_EXTRA_RETAIN(created);
        OBJ_RETAIN(created);
    }
    return equip(level, why);
}

void LevelCommunicators::aim(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int rank,
                             int root) {
    for (int depth = 0; depth < levels(); ++depth) {
        std::vector<int> members;
        int stand_in = -1;
        if (levels_[depth].comm != nullptr &&
            group_at(hierarchy, depth, rank, root, members, stand_in) >= 0) {
            const auto place = std::lower_bound(members.begin(), members.end(), stand_in);
            levels_[depth].root = static_cast<int>(place - members.begin());
            levels_[depth].method = plan.at(levels_[depth].key).method;
        }
    }
}

bool LevelCommunicators::equip(Level& level, std::string& why) {
    if (level.method.algorithm != algorithms::Algorithm::component) {
        level.base = OBJ_NEW(mca_coll_base_module_t);
        if (level.base != nullptr) {
            level.base->base_data = OBJ_NEW(mca_coll_base_comm_t);
        }
        if (level.base == nullptr || level.base->base_data == nullptr) {
            throw std::bad_alloc();
        }
        return true;
    }
    const auto& table = *level.comm->c_coll;
    const std::string& wanted = level.method.component;
    level.nonblocking = owner_of(level.comm, table.coll_ibcast_module) == wanted;
    if (level.nonblocking || owner_of(level.comm, table.coll_bcast_module) == wanted) {
        return true;
    }
    why = "  level " + topology::name_of(level.key) + ": '" + wanted +
          "' is no algorithm, and no component of that name offers a broadcast there.\n  Algorithms: " +
          algorithms::known_algorithm_names() + "\n  Components: " + offered_components(level.comm) + "\n";
    return false;
}

LevelCommunicators::~LevelCommunicators() {
    for (Level& level : levels_) {
        if (level.base != nullptr) {
            OBJ_RELEASE(level.base);
        }
        if (level.comm != nullptr) {
            ompi_comm_free(&level.comm);
        }
    }
}

int LevelCommunicators::run_algorithm(Level& level, void* data, int bytes) {
    using algorithms::Algorithm;
    ompi_datatype_t* type = &ompi_mpi_byte.dt;
    const int radix =
        level.method.radix > 0 ? level.method.radix : algorithms::info(level.method.algorithm).default_radix;
    switch (level.method.algorithm) {
        case Algorithm::linear:
            return ompi_coll_base_bcast_intra_basic_linear(data, bytes, type, level.root, level.comm,
                                                           level.base);
        case Algorithm::chain:
            return ompi_coll_base_bcast_intra_chain(data, bytes, type, level.root, level.comm, level.base, 0,
                                                    radix);
        case Algorithm::pipeline:
            return ompi_coll_base_bcast_intra_pipeline(data, bytes, type, level.root, level.comm, level.base,
                                                       0);
        case Algorithm::split_binary:
            return ompi_coll_base_bcast_intra_split_bintree(data, bytes, type, level.root, level.comm,
                                                            level.base, 0);
        case Algorithm::binary:
            return ompi_coll_base_bcast_intra_bintree(data, bytes, type, level.root, level.comm, level.base,
                                                      0);
        case Algorithm::binomial:
            return ompi_coll_base_bcast_intra_binomial(data, bytes, type, level.root, level.comm, level.base,
                                                       0);
        case Algorithm::knomial:
            return ompi_coll_base_bcast_intra_knomial(data, bytes, type, level.root, level.comm, level.base,
                                                      0, radix);
        case Algorithm::scatter_allgather:
            return ompi_coll_base_bcast_intra_scatter_allgather(data, bytes, type, level.root, level.comm,
                                                                level.base, 0);
        case Algorithm::scatter_allgather_ring:
            return ompi_coll_base_bcast_intra_scatter_allgather_ring(data, bytes, type, level.root,
                                                                     level.comm, level.base, 0);
        default: break;
    }
    return OMPI_ERR_BAD_PARAM;
}

int LevelCommunicators::start(int index, std::byte* data, std::size_t bytes) {
    Level& level = levels_[index];
    if (level.comm == nullptr) {
        return OMPI_SUCCESS;
    }
    if (ompi_comm_rank(level.comm) == level.root) {
        counters().delegated[static_cast<int>(level.key.kind)].add();
    }
    const auto count = static_cast<int>(bytes);
    auto& table = *level.comm->c_coll;
    if (level.nonblocking) {
        return table.coll_ibcast(data, count, &ompi_mpi_byte.dt, level.root, level.comm, &level.pending,
                                 table.coll_ibcast_module);
    }
    if (level.method.algorithm == algorithms::Algorithm::component) {
        return table.coll_bcast(data, count, &ompi_mpi_byte.dt, level.root, level.comm,
                                table.coll_bcast_module);
    }
    return run_algorithm(level, data, count);
}

int LevelCommunicators::finish(int index) {
    Level& level = levels_[index];
    if (level.pending == nullptr) {
        return OMPI_SUCCESS;
    }
    const int rc = ompi_request_wait(&level.pending, MPI_STATUS_IGNORE);
    level.pending = nullptr;
    return rc;
}

void LevelCommunicators::abandon() noexcept {
    for (Level& level : levels_) {
        if (level.pending != nullptr) {
            ompi_request_free(&level.pending);
            level.pending = nullptr;
        }
    }
}

}  // namespace strata::component
