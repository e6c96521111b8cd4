#include "component/openmpi/variables.h"

#include <unistd.h>

#include <span>
#include <string_view>
#include <type_traits>

#include "component/settings/info_keys.h"

namespace strata::component {
namespace {

/// The end of every help text: when the value is read.
std::string when_read(const std::string& parameter) {
    std::string text = ". Read once, while MPI_Init opens the component";
    if (is_of_communicator(parameter)) {
        text += "; for one communicator by its info key " + info_key(parameter) + ", when that is made";
    }
    return text;
}

/// A parameter that concerns all collectives. `help`: for `hierarchy`, the known levels follow.
struct General {
    const char* name;
    mca_base_var_info_lvl_t level;
    std::string SettingsText::*member;
    const char* help;
};
constexpr General general_variables[] = {
    {"priority", OPAL_INFO_LVL_1, &SettingsText::priority,
     "Priority of this component (0 to 100; coll/tuned has 30); -1 switches it off"},
    {"verbose", OPAL_INFO_LVL_2, &SettingsText::verbose,
     "1: rank 0 of each communicator logs one line per choice (engine, algorithms, predicted times) and "
     "settings without effect; 2: also reasons, segments, sources of values, other engines' times, and "
     "levels"},
    {"window", OPAL_INFO_LVL_6, &SettingsText::window,
     "Messages in flight per edge of the tree: 1 to 1024, or auto (4; between nodes as many as hold the "
     "bandwidth-delay product of the links, 256 KiB to 4 MiB)"},
    {"hierarchy", OPAL_INFO_LVL_3, &SettingsText::hierarchy,
     "Levels to use, comma-separated (empty: all levels that split something; none: no levels); coll/xhc's "
     "grammar is accepted: numa:2 (halves), numa?8 (at most 8 ranks), [0..9]+[10..24] (rank lists), A+B, *. "
     "Known: "},
    {"network", OPAL_INFO_LVL_3, &SettingsText::network,
     "Switches above the nodes: auto (Slurm's variables, if they are set), none, file:PATH (a file in "
     "the syntax of Slurm's topology.conf), or hosts:LIST=SWITCHES;... (topmost first: "
     "hosts:n[0-1]=top.site0;n[2-3]=top.site1)"},
    {"rules", OPAL_INFO_LVL_4, &SettingsText::rules,
     "Rules file (JSON): link costs of this machine; engine, algorithms and segments by collective, size "
     "and ranks. A word of a-z, 0-9 and '-' names a preset beside the plugin (ethernet-cluster, "
     "infiniband-cluster, fat-numa-node, wan-grid); write a file of such a name as ./NAME. Other "
     "parameters take precedence. The content must be the same on every node; empty: none"},
    {"topology", OPAL_INFO_LVL_7, &SettingsText::topology,
     "Synthetic machine for every node: an hwloc XML file, or synthetic:DESCRIPTION (with "
     "coll_strata_placement)"},
    {"placement", OPAL_INFO_LVL_7, &SettingsText::placement,
     "Where each local rank runs on the synthetic topology: CORES[@NODE] separated by ';', for example "
     "'0;1;2-3@n1;all@n2' (a shorter list repeats)"},
    {"nic", OPAL_INFO_LVL_3, &SettingsText::nic,
     "NICs near which leaders are chosen: names or PCI ids, comma-separated "
     "(mlx5_0,0000:41:00.0), each with an optional place (mlx5_0@numa:1); auto: the NICs that Open MPI "
     "uses; none: leaders are the lowest ranks. May differ from node to node, except none"},
    {"reproducible", OPAL_INFO_LVL_4, &SettingsText::reproducible,
     "1: reductions combine in rank order, in trees that depend on neither message size nor leaders, and "
     "the lowest of several equally near ranks leads; 0: the fastest order, and a hashed tie-break "
     "chooses the leader. Operators that do not commute are passed through where the ranks of a group "
     "are not consecutive"},
    {"setup_after", OPAL_INFO_LVL_5, &SettingsText::setup_after,
     "Short calls (up to 4 KiB) on a communicator that are passed through to the underlying component "
     "before the communicator is set up (0: none, and plans are searched for before their first call; "
     "at most 1000000). No effect on a collective that a "
     "parameter or rule names, nor on reductions, except by MPI's own operators on integers, and sums "
     "and products of two ranks' floating-point numbers"},
    {"shared_memory", OPAL_INFO_LVL_4, &SettingsText::shared_memory,
     "1: the ranks of one node share memory, in which the engine node moves data without messages; 0: "
     "they do not, and no call is served by that engine"},
    {"hand_back", OPAL_INFO_LVL_5, &SettingsText::hand_back,
     "1: when a communicator passes a collective through for good, its slot is handed back to the "
     "underlying component: later calls cost nothing and are not counted; 0: every call is counted"},
    {"check_plans", OPAL_INFO_LVL_6, &SettingsText::check_plans,
     "1 (for debugging): the processes of a communicator compare each plan before its first use, by one "
     "exchange of short messages; if plans differ, a message names the ranks, and all calls there are "
     "passed through to the underlying component. 0: they compare only the inputs of the plans, and the "
     "first plan"},
    {"stall_report", OPAL_INFO_LVL_4, &SettingsText::stall_report,
     "Seconds after which a call that waits is reported, with its communicator, its number there and, inside "
     "a node, the ranks that it waits for (0: never; at most 86400). For programs that hang; ranks may have "
     "different values"},
    {"disable", OPAL_INFO_LVL_2, &SettingsText::disable,
     "Collectives to pass through to other components, comma-separated"},
    {"dump", OPAL_INFO_LVL_4, &SettingsText::dump,
     "File for a picture of the first hierarchy: .svg, .dot, .json, else text; '-' is standard error. "
     "Written when the hierarchy is built, and again by MPI_Finalize; jobs that MPI_Comm_spawn starts "
     "write none"},
};

}  // namespace

static_assert(std::is_trivially_destructible_v<Variables>);

void Variables::add(const mca_base_component_t* component, const std::string& name, const std::string& help,
                    mca_base_var_info_lvl_t level, const std::string& standard, Text text) {
    Text& own = texts_.at(count_++);
    own = text;
    // Open MPI copies the default before it stores its own pointer in `value`.
    own.value = const_cast<char*>(standard.c_str());
    mca_base_component_var_register(component, name.c_str(), (help + when_read(name)).c_str(),
                                    MCA_BASE_VAR_TYPE_STRING, nullptr, 0, static_cast<mca_base_var_flag_t>(0),
                                    level, MCA_BASE_VAR_SCOPE_READONLY, &own.value);
}

void Variables::register_all(const mca_base_component_t* component) {
    count_ = 0;
    const SettingsText defaults;
    for (const General& one : general_variables) {
        const bool levels = one.member == &SettingsText::hierarchy;
        add(component, one.name, one.help + (levels ? topology::known_hint_levels() : std::string()),
            one.level, defaults.*one.member, {nullptr, one.member, nullptr, -1});
    }
    for (int op = 0; op < collective_count; ++op) {
        const std::string name(collective_names[op]);
        const auto collective = [&](const char* suffix, const std::string& help,
                                    mca_base_var_info_lvl_t level, std::string CollectiveText::*member) {
            add(component, name + suffix, help, level, defaults.collectives[op].*member,
                {nullptr, nullptr, member, op});
        };
        collective("_algorithm",
                   "Engine of " + name + ": " + algorithms::engines_of(static_cast<Collective>(op)),
                   OPAL_INFO_LVL_5, &CollectiveText::algorithm);
        collective("_level_algorithms",
                   "Algorithm or coll component of " + name +
                       " per level, LEVEL=NAME[:RADIX] comma-separated, for example "
                       "'switch=pipeline,node=knomial:4,numa=sm'; 'skip' excludes a level. Known: " +
                       algorithms::methods_of(static_cast<Collective>(op)),
                   OPAL_INFO_LVL_5, &CollectiveText::level_algorithms);
        collective("_segsize",
                   "Segment of " + name +
                       " in bytes (k, M: powers of 1024; 0: whole message), one for all or LEVEL=SIZE "
                       "comma-separated; empty: chosen by the cost model",
                   OPAL_INFO_LVL_5, &CollectiveText::segsize);
    }
}

SettingsText Variables::text() const {
    SettingsText text;
    for (const Text& variable : std::span(texts_).first(count_)) {
        const std::string value = variable.value != nullptr ? variable.value : "";
        if (variable.member != nullptr) {
            text.*variable.member = value;
        } else {
            text.collectives[variable.collective].*variable.collective_member = value;
        }
    }
    return text;
}

std::vector<std::string> Variables::unknown_names() {
    constexpr std::string_view prefix = "OMPI_MCA_";
    std::vector<std::string> lines;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (!text.starts_with("OMPI_MCA_coll_strata_")) continue;
        const std::string name(text.substr(prefix.size(), text.find('=') - prefix.size()));
        int index = 0;
        if (mca_base_var_find_by_name(name.c_str(), &index) != OPAL_SUCCESS) {
            lines.push_back(name + ": no such parameter");
        }
    }
    return lines;
}

}  // namespace strata::component
