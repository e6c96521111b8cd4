#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "component/settings/settings.h"

namespace strata::component {

// Open MPI limits keys to 35 characters, and ompi_comm_coll_strata_bcast_algorithm has 37: every parameter
// has a short form.
inline constexpr std::string_view info_prefix = algorithms::info_key_prefix;
inline constexpr std::string_view long_info_prefix = "ompi_comm_coll_strata_";

/// An entry of a communicator's info object for this component.
struct InfoKey {
    std::string key;
    std::string value;
};

/// Returns "window" for strata_window and ompi_comm_coll_strata_window; empty for foreign keys.
std::string_view parameter_of(std::string_view key);

/// Returns true for a parameter that an info key can set for one communicator.
bool is_of_communicator(std::string_view parameter);

/// Returns the short key of a parameter.
std::string info_key(const std::string& parameter);

/// A communicator's own settings.
struct OwnSettings {
    CommunicatorSettings settings;
    std::string keys_text;   ///< the keys for messages: "bcast_algorithm=tree, window=8"
    std::uint64_t hash = 0;  ///< of the keys that must be equal on all ranks, files by content; 0: no keys
};

/// Returns `base` overridden by `keys`, parameter by parameter, and level by level in per-level parameters;
/// "disable" adds to the operations that `base` disables. An invalid key leaves the value of `base` and
/// appends one line to `errors`. `components` as for parse_settings().
OwnSettings own_settings(const std::vector<InfoKey>& keys, const Settings& base,
                         const Surroundings& surroundings, const std::vector<std::string>& components,
                         std::vector<std::string>& errors);

}  // namespace strata::component
