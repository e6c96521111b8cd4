#include "component/report/counters.h"

#include <string>

#include "component/base/scratch_pool.h"
#include "component/openmpi/performance_variables.h"

namespace strata::component {
namespace {

int read_counter(const mca_base_pvar_t* variable, void* value, void* /*object*/) {
    *static_cast<unsigned long long*>(value) = static_cast<const Counter*>(variable->ctx)->get();
    return OPAL_SUCCESS;
}

int read_scratch(const mca_base_pvar_t* /*variable*/, void* value, void* /*object*/) {
    *static_cast<unsigned long long*>(value) = scratch_pool().held();
    return OPAL_SUCCESS;
}

int read_forward(const mca_base_pvar_t* variable, void* value, void* /*object*/) {
    const auto& of_collective = *static_cast<const Counters::PerCollective*>(variable->ctx);
    *static_cast<unsigned long long*>(value) = sum_of(of_collective.forwarded_because);
    return OPAL_SUCCESS;
}

void register_one(const mca_base_component_t* component, const std::string& name, const std::string& help,
                  Counter& counter, int variable_class = MCA_BASE_PVAR_CLASS_COUNTER) {
    register_variable(component, {name, help, read_counter, &counter, variable_class});
}

}  // namespace

const char* name_of(ForwardReason reason) {
    switch (reason) {
        case ForwardReason::missing: return "missing";
        case ForwardReason::version: return "version";
        case ForwardReason::settings: return "settings";
        case ForwardReason::several_jobs: return "several_jobs";
        case ForwardReason::no_hierarchy: return "no_hierarchy";
        case ForwardReason::model: return "model";
        case ForwardReason::chosen: return "chosen";
        case ForwardReason::order: return "order";
        case ForwardReason::failure: return "failure";
        case ForwardReason::plans: return "plans";
        case ForwardReason::early: return "early";
        case ForwardReason::count: break;
    }
    return "?";
}

const char* explanation(ForwardReason reason) {
    switch (reason) {
        case ForwardReason::missing:
            return "some processes have no plugin, or their start-up records do not reach all "
                   "processes";
        case ForwardReason::version: return "some processes have another version or build of the plugin";
        case ForwardReason::settings: return "some processes have other parameters or info keys";
        case ForwardReason::several_jobs: return "the communicator joins processes of several jobs";
        case ForwardReason::no_hierarchy: return "all processes are equally near to each other";
        case ForwardReason::model: return "no gain is predicted";
        case ForwardReason::chosen: return "a parameter, a rule or an info key requests it";
        case ForwardReason::order:
            return "the operator does not commute, and the ranks of a group are not consecutive";
        case ForwardReason::failure: return "a process of the communicator cannot serve it";
        case ForwardReason::plans: return "the processes have computed different plans";
        case ForwardReason::early: return "the first short calls do not pay for the communicator's set-up";
        case ForwardReason::count: break;
    }
    return "?";
}

void register_counters(const mca_base_component_t* component) {
    Counters& all = counters();
    for (int op = 0; op < collective_count; ++op) {
        const std::string name(collective_names[op]);
        auto& mine = all.collectives[op];
        register_one(component, name + "_tree", "Calls of " + name + " served by the tree engine", mine.tree);
        if (algorithms::traits_of(static_cast<Collective>(op)).by_rails) {
            register_one(component, name + "_rails",
                         "Calls of " + name + " served by trees over several NICs (rails)", mine.rails);
        }
        register_one(component, name + "_levels", "Calls of " + name + " served by the levels engine",
                     mine.levels);
        if (algorithms::traits_of(static_cast<Collective>(op)).by_ring) {
            register_one(component, name + "_ring", "Calls of " + name + " served by the ring engine",
                         mine.ring);
        }
        if (algorithms::traits_of(static_cast<Collective>(op)).by_node()) {
            register_one(component, name + "_node", "Calls of " + name + " served by the node engine",
                         mine.node);
        }
        register_variable(
            component, {name + "_forward", "Calls of " + name + " passed through to the underlying component",
                        read_forward, &mine});
        register_one(component, name + "_handed_back",
                     "Communicators on which the slot of " + name +
                         " was handed back for good: later calls there are not counted",
                     mine.handed_back);
        for (int reason = 0; reason < forward_reason_count; ++reason) {
            const auto why = static_cast<ForwardReason>(reason);
            register_one(
                component, name + "_forward_" + name_of(why),
                "Calls of " + name + " passed through to the underlying component: " + explanation(why),
                mine.forwarded_because[reason]);
        }
    }
    for (int kind = 0; kind < topology::level_kind_count; ++kind) {
        const std::string name(topology::name_of(static_cast<topology::LevelKind>(kind)));
        const std::string where = " that the plugin's engines sent over level " + name + " in this process";
        register_one(component, "messages_" + name, "Messages" + where, all.messages[kind]);
        register_one(component, "bytes_" + name, "Bytes" + where, all.bytes[kind]);
        register_one(component, "delegated_" + name,
                     "Collectives of level " + name + " served by another component or a named algorithm",
                     all.delegated[kind]);
    }
    register_one(component, "communicators", "Sub-communicators created", all.communicators);
    register_one(component, "setup_us",
                 "Microseconds spent on agreement, hierarchies, plans and sub-communicators", all.setup_us,
                 MCA_BASE_PVAR_CLASS_LEVEL);
    register_one(component, "plans_made", "Classes of operations that this process has planned",
                 all.plans_made);
    register_one(component, "plans_shared",
                 "Plans that a communicator found among those that the process has made, mostly for another "
                 "one with an equal hierarchy",
                 all.plans_shared);
    register_one(
        component, "plans_by_structure",
        "Those of plans_made that were known for equal groups in another order of ranks or for a root in an "
        "equal place",
        all.plans_by_structure);
    register_one(
        component, "plans_searched",
        "Plans of first calls, chosen by formulas, that a full search has replaced on a communicator",
        all.plans_searched);
    register_one(component, "planning_us", "Microseconds of CPU time spent on making plans", all.planning_us,
                 MCA_BASE_PVAR_CLASS_LEVEL);
    register_one(component, "init_ns", "Nanoseconds that MPI_Init spent in the plugin", all.init_ns,
                 MCA_BASE_PVAR_CLASS_LEVEL);
    register_one(component, "init_processor_ns",
                 "Nanoseconds of processor time that the plugin used during MPI_Init", all.init_processor_ns,
                 MCA_BASE_PVAR_CLASS_LEVEL);
    register_variable(
        component,
        {"scratch_memory", "Bytes of scratch memory that the process holds for calls that engines serve",
         read_scratch, nullptr, MCA_BASE_PVAR_CLASS_SIZE});
}

}  // namespace strata::component
