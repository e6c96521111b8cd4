#pragma once
// One level of the levels engine: this rank's group, and how a collective is started in it.
#include <array>
#include <string>

#include "algorithms/base/algorithm.h"
#include "component/openmpi/ompi_compat.h"
#include "component/openmpi/slot.h"
#include "component/report/counters.h"
#include "topology/level.h"

namespace strata::component {

/// The group of one level in which this rank takes part, and what its communicator offers.
struct LevelGroup {
    topology::LevelKey key;
    std::string component;                   ///< that does its collectives; empty: named algorithms
    ompi_communicator_t* comm = nullptr;     ///< null: this rank takes no part, or is alone
    mca_coll_base_module_t* base = nullptr;  ///< caches of the named algorithms
    /// What the component offers; nothing where there is none.
    std::array<bool, collective_count> blocking{};
    std::array<bool, collective_count> nonblocking{};

    bool offers(Collective op) const {
        return blocking[static_cast<std::size_t>(op)] || nonblocking[static_cast<std::size_t>(op)];
    }
};

/// One call's part in such a group.
struct GroupCall {
    const LevelGroup* group = nullptr;
    const algorithms::LevelMethod* method = nullptr;
    int root = 0;                    ///< the local root, in the group's communicator
    ompi_request_t* up = nullptr;    ///< unfinished, on the way up or across
    ompi_request_t* down = nullptr;  ///< unfinished, on the way down
    /// A message of the call was longer than its receive. It has filled the memory it had and counts as
    /// complete: other groups wait for what this rank has still to do.
    bool truncated = false;
    /// While a function of Open MPI's runs: still true where a thread was unwound in it.
    bool inside = false;

    ompi_communicator_t* comm() const { return group->comm; }
    bool is_root() const { return ompi_comm_rank(comm()) == root; }
    bool by_component() const { return method->algorithm == algorithms::Algorithm::component; }
};

template <Collective op>
struct OfCollective {};

/// Open MPI's algorithm that the group's method names, on its communicator; where it names none for this
/// collective, the usual one for messages of any length. A reduction that does not commute is always done in
/// the order of the ranks. Arguments: as in Open MPI's slot. Return Open MPI's error code.
int run_named(OfCollective<Collective::bcast>, const GroupCall& group, void* data, int count,
              ompi_datatype_t* datatype, int root);
int run_named(OfCollective<Collective::reduce>, const GroupCall& group, const void* send, void* receive,
              int count, ompi_datatype_t* datatype, ompi_op_t* op, int root);
int run_named(OfCollective<Collective::allreduce>, const GroupCall& group, const void* send, void* receive,
              int count, ompi_datatype_t* datatype, ompi_op_t* op);
int run_named(OfCollective<Collective::allgather>, const GroupCall& group, const void* send, int send_count,
              ompi_datatype_t* send_type, void* receive, int receive_count, ompi_datatype_t* receive_type);
int run_named(OfCollective<Collective::allgatherv>, const GroupCall& group, const void* send, int send_count,
              ompi_datatype_t* send_type, void* receive, compat::Counts receive_counts,
              compat::Displacements displacements, ompi_datatype_t* receive_type);
int run_named(OfCollective<Collective::gather>, const GroupCall& group, const void* send, int send_count,
              ompi_datatype_t* send_type, void* receive, int receive_count, ompi_datatype_t* receive_type,
              int root);
int run_named(OfCollective<Collective::scatter>, const GroupCall& group, const void* send, int send_count,
              ompi_datatype_t* send_type, void* receive, int receive_count, ompi_datatype_t* receive_type,
              int root);
int run_named(OfCollective<Collective::barrier>, const GroupCall& group);

/// True for collectives that Open MPI has exported algorithms for.
constexpr bool has_named(Collective op) { return algorithms::traits_of(op).sized; }

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
            return run_named(OfCollective<op>{}, group, arguments...);
        }
    }
    return Slot<op>::function(table)(arguments..., group.comm(), Slot<op>::module(table));
}

/// Notes what does not end the call.
inline int unless_truncated(GroupCall& group, int rc) {
    group.truncated = group.truncated || rc == MPI_ERR_TRUNCATE;
    return rc == MPI_ERR_TRUNCATE ? OMPI_SUCCESS : rc;
}

/// Starts a collective in the group, by its method; `pending` is set where that does not complete it. What a
/// component does not offer is left to whoever else serves its communicator. Returns Open MPI's error code.
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

/// Ends what start() left unfinished. Returns Open MPI's error code.
inline int finish(GroupCall& group, ompi_request_t*& pending) {
    if (pending == nullptr) {
        return OMPI_SUCCESS;
    }
    const int rc = ompi_request_wait(&pending, MPI_STATUS_IGNORE);
    if (rc != OMPI_SUCCESS && pending != MPI_REQUEST_NULL) {
        ompi_request_free(&pending);  // which the wait leaves to us
    }
    pending = nullptr;
    return unless_truncated(group, rc);
}

}  // namespace strata::component
