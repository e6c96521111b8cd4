#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace strata::algorithms {

/// A JSON value with its line. nlohmann::json has no lines and lets the last of equal keys win.
struct JsonValue {
    enum class Kind { null, boolean, number, string, array, object };
    Kind kind = Kind::null;
    int line = 0;                  ///< of its first character, from 1
    std::string key;               ///< of a member of an object
    std::string text;              ///< of a string
    double number = 0;             ///< of a number; 1: true
    std::vector<JsonValue> items;  ///< of an array; of an object, in the order of the file, equal keys too
};

/// Parses `text`, the contents of `file`. Throws topology::FileError with the line of the first thing that
/// is not JSON, is nested deeper than 8, or is one value too many. Time: linear.
JsonValue parse_json(std::string_view text, std::string_view file, std::size_t most_values = 100000);

}  // namespace strata::algorithms
