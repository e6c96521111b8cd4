#pragma once
// One level of the levels engine: this rank's group, and how collectives start in it.
#include <array>
#include <string>

#include "algorithms/base/algorithm.h"
#include "component/openmpi/base_algorithms.h"
#include "component/openmpi/ompi_compat.h"
#include "component/openmpi/slot.h"
#include "component/report/counters.h"
#include "topology/level.h"

namespace strata::component {

/// The group of one level in which this rank takes part, and what its communicator offers.
struct LevelGroup {
    topology::LevelKey key;
    std::string component;                   ///< serves its collectives; empty: named algorithms
    ompi_communicator_t* comm = nullptr;     ///< null: this rank takes no part, or is alone
    mca_coll_base_module_t* base = nullptr;  ///< caches of the named algorithms
    /// Collectives that the component offers; all false without a component.
    std::array<bool, collective_count> blocking{};
    std::array<bool, collective_count> nonblocking{};

    bool offers(Collective op) const {
        return blocking[static_cast<std::size_t>(op)] || nonblocking[static_cast<std::size_t>(op)];
    }
};

/// The part of one call in such a group.
struct GroupCall {
    const LevelGroup* group = nullptr;
    const algorithms::LevelMethod* method = nullptr;
    int root = 0;                    ///< the local root, in the group's communicator
    ompi_request_t* up = nullptr;    ///< unfinished, on the way up or across
    ompi_request_t* down = nullptr;  ///< unfinished, on the way down
    /// A message of the call was longer than its receive. It counts as complete, because other groups wait
    /// for what this rank sends next.
    bool truncated = false;
    /// An Open MPI function is running; stays true if a thread was unwound in it.
    bool inside = false;

    ompi_communicator_t* comm() const { return group->comm; }
    bool is_root() const { return ompi_comm_rank(comm()) == root; }
    bool by_component() const { return method->algorithm == algorithms::Algorithm::component; }
};

/// The non-blocking counterpart of a slot.
template <Collective op>
struct NonblockingSlot;
#define STRATA_COLLECTIVE(op, ...)                                                                 \
    template <>                                                                                    \
    struct NonblockingSlot<Collective::op> {                                                       \
        static auto function(mca_coll_base_comm_coll_t& table) { return table.coll_i##op; }        \
        static auto module(mca_coll_base_comm_coll_t& table) { return table.coll_i##op##_module; } \
    };
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE

template <Collective op, class... Arguments>
int start_by_method(const GroupCall& group, ompi_request_t*& pending, Arguments... arguments) {
    auto& table = *group.comm()->c_coll;
    if (group.group->nonblocking[static_cast<std::size_t>(op)]) {
        return NonblockingSlot<op>::function(table)(arguments..., group.comm(), &pending,
                                                    NonblockingSlot<op>::module(table));
    }
    if constexpr (has_named(op)) {
        if (!group.by_component()) {
            const NamedAlgorithm named{group.method->algorithm, group.method->radix, group.comm(),
                                       group.group->base};
            return run_named(OfCollective<op>{}, named, arguments...);
        }
    }
    return Slot<op>::function(table)(arguments..., group.comm(), Slot<op>::module(table));
}

/// Notes a truncation, which does not end the call.
inline int unless_truncated(GroupCall& group, int rc) {
    group.truncated = group.truncated || rc == MPI_ERR_TRUNCATE;
    return rc == MPI_ERR_TRUNCATE ? OMPI_SUCCESS : rc;
}

/// Starts a collective in the group by its method; sets `pending` unless it is complete. A collective that
/// the component does not offer runs in another component of its communicator. Returns Open MPI's error code.
template <Collective op, class... Arguments>
int start(GroupCall& group, ompi_request_t*& pending, Arguments... arguments) {
    if (group.is_root()) {
        counters().delegated[static_cast<int>(group.group->key.kind)].add();
    }
    group.inside = true;
    const int rc = start_by_method<op>(group, pending, arguments...);
    group.inside = false;
    return unless_truncated(group, rc);
}

/// Waits for a started collective. Returns Open MPI's error code.
inline int finish(GroupCall& group, ompi_request_t*& pending) {
    if (pending == nullptr) {
        return OMPI_SUCCESS;
    }
    const int rc = ompi_request_wait(&pending, MPI_STATUS_IGNORE);
    if (rc != OMPI_SUCCESS && pending != MPI_REQUEST_NULL) {
        ompi_request_free(&pending);  // the wait does not free it
    }
    pending = nullptr;
    return unless_truncated(group, rc);
}

}  // namespace strata::component
