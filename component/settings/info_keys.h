#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "component/settings/settings.h"

namespace strata::component {

// Open MPI takes keys of up to 35 characters, and ompi_comm_coll_strata_bcast_algorithm has 37: there is a
// short form for all parameters.
inline constexpr std::string_view info_prefix = algorithms::info_key_prefix;
inline constexpr std::string_view long_info_prefix = "ompi_comm_coll_strata_";

/// A key of a communicator's info object that is meant for this component.
struct InfoKey {
    std::string key;
    std::string value;
};

/// "window" of strata_window and ompi_comm_coll_strata_window; empty: the key is not meant for us.
std::string_view parameter_of(std::string_view key);

/// True for a parameter that one communicator can have by info key.
bool is_of_communicator(std::string_view parameter);

/// The key of a parameter as messages name it.
std::string info_key(const std::string& parameter);

/// A communicator's own settings.
struct OwnSettings {
    CommunicatorSettings settings;
    std::string said;        ///< "bcast_algorithm=tree, window=8", for messages
    std::uint64_t hash = 0;  ///< of what all ranks must say alike; of a file the content. 0: nothing
};

/// `base` with what `keys` say above it, parameter by parameter, and level by level where a parameter speaks
/// of levels; operations to be disabled are added to those of `base`. What is said wrongly stays as in `base`
/// and is described in `errors`, one line each. `components` as for parse_settings().
OwnSettings own_settings(const std::vector<InfoKey>& keys, const Settings& base,
                         const Surroundings& surroundings, const std::vector<std::string>& components,
                         std::vector<std::string>& errors);

}  // namespace strata::component
