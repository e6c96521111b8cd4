#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace strata::algorithms {

/// What fixed a value of a plan; a later origin outranks earlier ones.
enum class Origin : std::uint8_t {
    model,       ///< the built-in choice
    rules_file,  ///< the rules file (rules.h)
    parameter,   ///< an MCA parameter
    info_key,    ///< an info key of the communicator
};

struct Source {
    Origin origin = Origin::model;
    int line = 0;  ///< of the rules file
    bool operator==(const Source&) const = default;
};

/// Prefixes of the names of parameters and info keys.
inline constexpr std::string_view parameter_prefix = "coll_strata_";
inline constexpr std::string_view info_key_prefix = "strata_";

/// Returns "PATH:12", "coll_strata_window", "info key strata_window"; empty for a built-in choice.
std::string source_text(const Source& source, const std::string& parameter, const std::string& rules_file);

}  // namespace strata::algorithms
