#include "component/module/communicator_variables.h"

#include <array>
#include <string>

#include "component/module/module.h"
#include "component/openmpi/performance_variables.h"
#include "component/report/communicator_counters.h"

namespace strata::component {
namespace {

/// Stores `value_of` the communicator's state, or 0 without a state.
template <class ValueOf>
int read_number(void* value, void* object, ValueOf&& value_of) {
    const CommunicatorState* const state = state_of(static_cast<ompi_communicator_t*>(object));
    *static_cast<unsigned long long*>(value) = state != nullptr ? value_of(*state) : 0;
    return OPAL_SUCCESS;
}

/// `variable->ctx` is the tally's offset in CommunicatorCounters.
int read_tally(const mca_base_pvar_t* variable, void* value, void* object) {
    const std::size_t offset = *static_cast<const std::size_t*>(variable->ctx);
    return read_number(value, object, [offset](const CommunicatorState& state) {
        const auto* const first = reinterpret_cast<const std::byte*>(&state.own_counters());
        return reinterpret_cast<const Tally*>(first + offset)->get();
    });
}

int read_passed(const mca_base_pvar_t* /*variable*/, void* value, void* object) {
    return read_number(value, object, [](const CommunicatorState& state) {
        return sum_of(state.own_counters().forwarded_because);
    });
}

int read_memory(const mca_base_pvar_t* /*variable*/, void* value, void* object) {
    return read_number(value, object, [](const CommunicatorState& state) { return state.memory(); });
}

void register_one(const mca_base_component_t* component, const std::string& name, const std::string& help,
                  int variable_class, mca_base_get_value_fn_t read, void* context) {
    register_variable(component,
                      {"comm_" + name, help, read, context, variable_class, MCA_BASE_VAR_BIND_MPI_COMM});
}

}  // namespace

void register_communicator_counters(const mca_base_component_t* component) {
    static const CommunicatorCounters all{};
    // Open MPI keeps the addresses of these elements until the process ends.
    static std::array<std::size_t, sizeof all / sizeof(Tally)> offsets;
    std::size_t count = 0;
    const auto add = [&](const std::string& name, const std::string& help, const Tally& tally,
                         int variable_class = MCA_BASE_PVAR_CLASS_COUNTER) {
        const auto offset =
            reinterpret_cast<const std::byte*>(&tally) - reinterpret_cast<const std::byte*>(&all);
        std::size_t& kept = offsets.at(count++);
        kept = static_cast<std::size_t>(offset);
        register_one(component, name, help, variable_class, read_tally, &kept);
    };
    add("tree", "Calls on the communicator served by the tree engine", all.tree);
    add("levels", "Calls on the communicator served by the levels engine", all.levels);
    add("ring", "Calls on the communicator served by the ring engine", all.ring);
    add("rails", "Calls on the communicator served by trees over several NICs (rails)", all.rails);
    add("node", "Calls on the communicator served by the node engine", all.node);
    register_one(component, "forward", "Calls on the communicator passed through to the underlying component",
                 MCA_BASE_PVAR_CLASS_COUNTER, read_passed, nullptr);
    add("handed_back",
        "Collectives whose slots on the communicator were handed back for good: later calls are not counted",
        all.handed_back, MCA_BASE_PVAR_CLASS_LEVEL);
    for (int reason = 0; reason < forward_reason_count; ++reason) {
        const auto why = static_cast<ForwardReason>(reason);
        add(std::string("forward_") + name_of(why),
            std::string("Calls on the communicator passed through to the underlying component: ") +
                explanation(why),
            all.forwarded_because[static_cast<std::size_t>(reason)]);
    }
    for (int kind = 0; kind < topology::level_kind_count; ++kind) {
        const std::string name(topology::name_of(static_cast<topology::LevelKind>(kind)));
        const auto level = static_cast<std::size_t>(kind);
        const std::string where =
            " that the plugin's engines sent on the communicator over level " + name + " in this process";
        add("messages_" + name, "Messages" + where, all.messages[level]);
        add("bytes_" + name, "Bytes" + where, all.bytes[level]);
    }
    add("setup_us",
        "Microseconds spent on the communicator's agreement, hierarchy, plans and sub-communicators",
        all.setup_us, MCA_BASE_PVAR_CLASS_LEVEL);
    register_one(component, "memory",
                 "Bytes kept for the communicator: hierarchy and plans, shared ones included; without the "
                 "edges of its trees and without the memory of components on its levels",
                 MCA_BASE_PVAR_CLASS_SIZE, read_memory, nullptr);
}

}  // namespace strata::component
