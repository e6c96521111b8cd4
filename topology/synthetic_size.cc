#include "topology/synthetic_size.h"

#include <algorithm>
#include <cstdlib>

namespace strata::topology {

// hwloc's grammar (hwloc 2, "Synthetic topologies"): words TYPE:COUNT or COUNT, each optionally followed
// by "(ATTRIBUTES)", and "[numa(ATTRIBUTES)]" for memory of each object of the word before. hwloc
// accepts any text between a type and the next colon, and any number that strtoul() accepts: "0x10",
// "010", "+2".
std::size_t synthetic_objects(const std::string& description) {
    constexpr std::size_t too_many = most_synthetic_objects + 1;
    std::size_t at = 0;
    const auto skip_behind = [&](char end) {
        at = std::min(description.find(end, at), description.size() - 1) + 1;
    };
    std::size_t objects = 1;  // the machine
    std::size_t width = 1;    // objects of the last word
    if (description.starts_with('(')) skip_behind(')');
    while ((at = description.find_first_not_of(" \n", at)) != std::string::npos) {
        if (description[at] == '[') {
            objects = std::min(objects + width, too_many);
            skip_behind(']');
            continue;
        }
        if (description[at] < '0' || description[at] > '9') {
            at = description.find(':', at);
            if (at == std::string::npos) return objects;
            ++at;
        }
        const char* const begin = description.c_str() + at;
        char* end = nullptr;
        const unsigned long count = std::strtoul(begin, &end, 0);
        if (end == begin || count == 0) return objects;
        at += static_cast<std::size_t>(end - begin);
        width = std::min<std::size_t>(count, too_many) * width;
        width = std::min(width, too_many);
        objects = std::min(objects + width, too_many);
        if (at < description.size() && description[at] == '(') skip_behind(')');
    }
    return objects;
}

}  // namespace strata::topology
