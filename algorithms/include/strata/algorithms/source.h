#pragma once
#include <cstdint>

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

}  // namespace strata::algorithms
