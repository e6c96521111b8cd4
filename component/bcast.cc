#include <new>

#include "module.h"
#include "packed_datatype.h"
#include "strata/algorithms/bcast_levels.h"
#include "strata/algorithms/bcast_tree.h"

namespace strata::component {
namespace {

using algorithms::Engine;

int run_tree(CommunicatorState& state, Planned& planned, DatatypeBuffer& buffer, int root) {
    const Edges& edges = state.edges(planned, root);
    state.transport().count_as(edges.levels);
    return algorithms::bcast_tree(state.transport(), edges.links, buffer, planned.plan.window);
}

int run_levels(LevelCommunicators& communicators, const algorithms::Plan& plan, DatatypeBuffer& buffer,
               bool is_root) {
    // Delegated collectives count in int.
    constexpr std::size_t most = std::size_t{1} << 30;
    std::size_t segment = plan.levels.front().segment_bytes;
    segment = segment == 0 || segment > most ? most : segment;
    return algorithms::bcast_levels(communicators, buffer, is_root, segment);
}

/// Finds the plan that can really be carried out, and for the levels engine its communicators: making them
/// may fail, alike on every rank, and change the plan. Returns Open MPI's error code.
int settle(Module& module, std::size_t bytes, int root, Planned*& planned,
           LevelCommunicators*& communicators) {
    CommunicatorState& state = *module.state;
    planned = &state.bcast_plan(bytes, root);
    if (planned->plan.engine != Engine::levels) {
        return OMPI_SUCCESS;
    }
    if (!state.may_delegate(planned->plan, root)) {
        planned = &state.bcast_plan(bytes, root, false);
        return OMPI_SUCCESS;
    }
    // Splitting a communicator is itself made of collectives on it, some of them of a broadcast.
    const SlotGuard<Collective::bcast> guard(*module.comm->c_coll, module.saved->bcast);
    const int rc = state.level_communicators(planned->plan, root, communicators);
    if (rc == OMPI_SUCCESS && communicators == nullptr) {
        planned = &state.bcast_plan(bytes, root);
    }
    return rc;
}

int bcast(void* data, int count, ompi_datatype_t* datatype, int root, ompi_communicator_t* comm,
          Module& module) {
    CommunicatorState& state = *module.state;
    auto& count_of = counters().of(Collective::bcast);
    const auto hand_over = [&](ForwardReason reason) {
        count_of.forward.add();
        count_of.forwarded_because[static_cast<int>(reason)].add();
        return forward<Collective::bcast>(comm, module.saved->bcast, data, count, datatype, root);
    };
    size_t size = 0;
    ompi_datatype_type_size(datatype, &size);
    const std::size_t bytes = size * static_cast<std::size_t>(count);
    const bool usable = state.usable();
    if (bytes == 0 && state.agreed()) {
        // MPI_Bcast itself returns for a count of 0 but not for elements of size 0: other ranks may not be
        // here. Without agreement they may be in a component that exchanges empty messages.
        return OMPI_SUCCESS;
    }
    if (!usable) {
        return hand_over(state.reason());
    }
    LevelCommunicators* communicators = nullptr;
    Planned* planned = nullptr;
    int rc = settle(module, bytes, root, planned, communicators);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    if (planned->plan.engine == Engine::forward) {
        return hand_over(ForwardReason::model);
    }
    {
        const bool is_root = ompi_comm_rank(comm) == root;
        DatatypeBuffer buffer(data, static_cast<std::size_t>(count), datatype, bytes, is_root,
                              state.scratch());
        if (communicators != nullptr) {
            count_of.levels.add();
            rc = run_levels(*communicators, planned->plan, buffer, is_root);
        } else {
            count_of.tree.add();
            rc = run_tree(state, *planned, buffer, root);
        }
    }
    state.trim_scratch(rc == OMPI_SUCCESS);
    return rc;
}

}  // namespace

int bcast_entry(void* buffer, int count, ompi_datatype_t* datatype, int root, ompi_communicator_t* comm,
                mca_coll_base_module_t* module) noexcept {
    // After the agreement there is no falling back: what goes wrong here is an error of this call.
    try {
        return bcast(buffer, count, datatype, root, comm, *reinterpret_cast<Module*>(module));
    } catch (const std::bad_alloc&) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    } catch (...) {
        return OMPI_ERROR;
    }
}

}  // namespace strata::component
