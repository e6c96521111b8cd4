#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/planning/planner.h"
#include "component/base/collectives.h"
#include "topology/hierarchy.h"
#include "topology/machine.h"
#include "topology/network.h"

namespace strata::component {

/// Parameters of one collective, as text.
struct CollectiveText {
    std::string algorithm = "auto";
    std::string level_algorithms;
    std::string segsize;
};

/// All parameters as text (names: coll_strata_<member>, coll_strata_<op>_<member>). Numbers are text too:
/// Open MPI silently parses "abc" as 0.
struct SettingsText {
    std::string priority = "40";
    std::string verbose = "0";
    std::string window = "auto";
    std::string hierarchy;
    std::string network = "auto";
    std::string topology;
    std::string placement;
    std::string nic = "auto";
    std::string rules;
    std::string reproducible = "0";
    std::string disable;
    std::string setup_after = "8";
    std::string shared_memory = "1";
    std::string hand_back = "1";
    std::string check_plans = "0";
    std::string stall_report = "0";
    std::string dump;
    std::array<CollectiveText, collective_count> collectives;
};

/// Parsed settings that may differ between communicators.
struct CommunicatorSettings : algorithms::PlanSettings {
    int verbose = 0;
    int window = 0;  ///< messages in flight per tree edge; 0: auto
    std::optional<topology::HierarchyHint> hierarchy;
    bool reproducible = false;
    std::array<bool, collective_count> disabled{};
    std::uint64_t rules_hash = 0;  ///< hash of the rules file's bytes; 0: no file

    bool enabled(Collective op) const { return !disabled[static_cast<int>(op)]; }
};

/// All parameters, parsed.
struct Settings : CommunicatorSettings {
    int priority = 40;
    std::optional<topology::Network> network;
    bool slurm_network = true;                 ///< take the switches from Slurm's variables
    std::optional<topology::Machine> machine;  ///< the synthetic topology
    std::vector<topology::SyntheticPlace> placement;
    std::vector<topology::NamedNic> nic;  ///< empty: detect
    bool nic_local = true;                ///< false: leaders are the lowest ranks
    int setup_after = 8;                  ///< calls; see lazy_setup.h
    bool shares_memory = true;            ///< ranks of a node may have boards (algorithms/node)
    bool hand_back = true;                ///< see hand_back.h
    bool check_plans = false;             ///< compare each plan before its first use
    int stall_report = 0;                 ///< seconds; see stall_report.h
    bool survives_failures = false;       ///< see Surroundings
    std::string dump;
};

/// Returns the name that messages use for the parameter `name`.
using NameInMessages = std::function<std::string(const std::string& name)>;
inline std::string mca_name(const std::string& name) { return "coll_strata_" + name; }

/// Parses `text`. `components`: the coll components that may serve a level (empty: any name). Replaces an
/// invalid value by its default and appends one line about it to `errors` ("coll_strata_window = '0': ...").
Settings parse_settings(const SettingsText& text, const std::vector<std::string>& components,
                        std::vector<std::string>& errors, const NameInMessages& called = mca_name);

/// Returns the parameters of collectives that are set but have no effect, because the collective is disabled.
std::vector<std::string> values_without_effect(const SettingsText& text, const Settings& settings);

/// Facts of a process, outside the parameters, that plans depend on.
struct Surroundings {
    std::size_t network_eager_bytes = 0;  ///< longest message that a transport sends without a handshake
    std::size_t node_eager_bytes = 0;
    std::uint32_t architecture = 0;
    bool han_is_default = false;
    bool survives_failures = false;  ///< mpi_ft_enable: the job outlives a dead process
    bool gpu_buffers = false;        ///< compat::supports_gpu_buffers()
    std::string transport = {};      ///< selects the NICs that count; Open MPI does not compare it itself
};

/// Returns the hash of agreement_facts().
std::uint64_t agreement_hash(const SettingsText& text, const Settings& settings,
                             const std::vector<std::string>& errors, const Surroundings& surroundings);

}  // namespace strata::component
