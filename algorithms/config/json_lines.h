#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace strata::algorithms {

/// A JSON value that knows its line. Not nlohmann::json itself: that one forgets lines, and lets the last of
/// equal keys win.
struct JsonValue {
    enum class Kind { null, boolean, number, string, array, object };
    Kind kind = Kind::null;
    int line = 0;                  ///< on which it begins, from 1
    std::string key;               ///< of a member of an object
    std::string text;              ///< of a string
    double number = 0;             ///< of a number; 1: true
    std::vector<JsonValue> items;  ///< of an array; of an object, in the order of the file, equal keys too
};

/// The document in `text`, which `file` holds. Throws topology::FileError with the line of the first thing
/// that is no JSON, or that is nested deeper than 8, or that is one value too many. Cost: linear.
JsonValue parse_json(std::string_view text, std::string_view file, std::size_t most_values = 100000);

}  // namespace strata::algorithms
