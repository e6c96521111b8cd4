#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "algorithms/config/json_lines.h"
#include "topology/text_file.h"

namespace strata::algorithms {

inline constexpr std::size_t most_dumped_values = 100000000;

/// Takes values out of a job's dump. Throws topology::FileError for a missing or wrong value.
class DumpReader {
public:
    explicit DumpReader(std::string_view file) : file_(file) {}

protected:
    using Kind = JsonValue::Kind;

    [[noreturn]] void fail(const JsonValue& where, const std::string& why) const {
        throw topology::FileError(file_, where.line, "no dump of a hierarchy: " + why);
    }
    static const JsonValue* member(const JsonValue& object, std::string_view name) {
        const auto found = std::find_if(object.items.begin(), object.items.end(),
                                        [&](const JsonValue& item) { return item.key == name; });
        return object.kind == Kind::object && found != object.items.end() ? &*found : nullptr;
    }
    const JsonValue& needed(const JsonValue& object, std::string_view name, Kind kind) const {
        const JsonValue* found = member(object, name);
        if (found == nullptr || found->kind != kind) fail(object, "'" + std::string(name) + "' is missing");
        return *found;
    }
    long number(const JsonValue& value, double least, double most) const {
        const bool whole = value.kind == Kind::number && value.number >= least && value.number <= most;
        if (!whole || value.number != static_cast<double>(static_cast<long>(value.number))) {
            fail(value, "a number is out of its range");
        }
        return static_cast<long>(value.number);
    }

private:
    std::string_view file_;
};

}  // namespace strata::algorithms
