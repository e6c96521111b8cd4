#pragma once
// Members of JSON objects, as text.
#include <cstdint>
#include <string>

#include "topology/text.h"

namespace strata::algorithms {

inline std::string member(const char* name, const std::string& json) {
    return topology::json_text(name) + ":" + json;
}
inline std::string member(const char* name, double value) {
    return member(name, topology::number_text(value, 9));
}
inline std::string member(const char* name, std::uint64_t value) {
    return member(name, std::to_string(value));
}

}  // namespace strata::algorithms
