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

/// Parameters of one collective as the user wrote them.
struct CollectiveText {
    std::string algorithm = "auto";
    std::string level_algorithms;
    std::string segsize;
};

/// All parameters as the user wrote them (names: coll_strata_<member>, coll_strata_<op>_<member>). Numbers
/// are text too: Open MPI's own reading of numbers turns "abc" into 0 without a word.
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
    std::string hand_back = "1";
    std::string check_plans = "0";
    std::string dump;
    std::array<CollectiveText, collective_count> collectives;
};

/// What may differ from communicator to communicator, understood.
struct CommunicatorSettings : algorithms::PlanSettings {
    int verbose = 0;
    int window = 0;  ///< 0: open
    std::optional<topology::HierarchyHint> hierarchy;
    bool reproducible = false;
    std::array<bool, collective_count> disabled{};
    std::uint64_t rules_hash = 0;  ///< of the file with the rules, byte by byte

    bool enabled(Collective op) const { return !disabled[static_cast<int>(op)]; }
};

/// All parameters, understood.
struct Settings : CommunicatorSettings {
    int priority = 40;
    std::optional<topology::Network> network;
    bool slurm_network = true;                 ///< switches as Slurm's variables tell them
    std::optional<topology::Machine> machine;  ///< a synthetic one
    std::vector<topology::SyntheticPlace> placement;
    std::vector<topology::NamedNic> nic;  ///< empty: detect
    bool nic_local = true;                ///< off: leaders are the lowest ranks
    int setup_after = 8;                  ///< calls; see lazy_setup.h
    bool hand_back = true;                ///< slots of what is passed through for good; see hand_back.h
    bool check_plans = false;             ///< compare each before its first use
    bool survives_failures = false;       ///< the others go on when a process dies; as at start
    std::string dump;
};

/// What messages call the parameter `name`.
using NameInMessages = std::function<std::string(const std::string& name)>;
inline std::string mca_name(const std::string& name) { return "coll_strata_" + name; }

/// Understands `text`. `components` are the coll components that a level may be given to (empty: any name). A
/// value that cannot be understood is replaced by its default and described in `errors`
/// ("coll_strata_window = '0': ..."), one line each.
Settings parse_settings(const SettingsText& text, const std::vector<std::string>& components,
                        std::vector<std::string>& errors, const NameInMessages& called = mca_name);

/// Facts of a process that plans rest on.
struct Surroundings {
    std::size_t network_eager_bytes = 0;
    std::size_t node_eager_bytes = 0;
    std::uint32_t architecture = 0;
    bool han_is_default = false;
    bool survives_failures = false;  ///< the others go on when a process dies
    bool gpu_buffers = false;        ///< compat::supports_gpu_buffers()
    std::string transport = {};      ///< what decides whose NICs count, beside what Open MPI itself compares
};

/// Hash of everything that must be equal on all processes before any of them changes a message pattern.
std::uint64_t agreement_hash(const SettingsText& text, const Settings& settings,
                             const std::vector<std::string>& errors, const Surroundings& surroundings);

}  // namespace strata::component
