#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace strata::algorithms {

/// Who fixed a value of a plan; a later one outranks those before it.
enum class Origin : std::uint8_t {
    model,       ///< nobody: built-in choice
    rules_file,  ///< the rules file (rules.h)
    parameter,   ///< an MCA parameter
    info_key,    ///< an info key of the communicator
};

struct Source {
    Origin origin = Origin::model;
    int line = 0;  ///< of the rules file
    bool operator==(const Source&) const = default;
};

/// In front of a parameter's name.
inline constexpr std::string_view parameter_prefix = "coll_strata_";
inline constexpr std::string_view info_key_prefix = "strata_";

/// "PATH:12", "coll_strata_window", "info key strata_window"; empty for what nobody fixed.
std::string source_text(const Source& source, const std::string& parameter, const std::string& rules_file);

}  // namespace strata::algorithms
