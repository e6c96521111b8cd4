#include "plan_options.h"

#include <optional>
#include <stdexcept>

#include "algorithms/planning/planner.h"
#include "algorithms/report/plan_listing.h"
#include "reading.h"
#include "topology/text.h"

namespace strata::tool {

using algorithms::Collective;

std::string known_operations() {
    std::string known = "all";
    for (const Collective collective : algorithms::all_collectives()) {
        known += ", " + std::string(name_of(collective));
    }
    return known;
}

std::vector<Collective> collectives(const std::string& text) {
    if (text.empty() || text == "all") return algorithms::all_collectives();
    std::vector<Collective> found;
    for (const std::string_view entry : topology::split(text, ',')) {
        const std::string_view word = topology::trimmed(entry);
        std::optional<Collective> match;
        for (const Collective collective : algorithms::all_collectives()) {
            if (name_of(collective) == word) match = collective;
        }
        if (!match) {
            throw UsageError("op",
                             "unknown operation '" + std::string(word) + "'; known: " + known_operations());
        }
        found.push_back(*match);
    }
    return found;
}

std::vector<std::size_t> sizes(const std::string& text, const char* option) {
    return reading(option, [&] {
        std::vector<std::size_t> found;
        for (const std::string_view entry : topology::split(text, ',')) {
            if (topology::trimmed(entry).empty()) continue;
            const auto size = algorithms::parse_level_sizes(entry);
            if (size.front().level) throw std::invalid_argument("write sizes without levels: 8,64k,4M");
            found.push_back(size.front().bytes);
        }
        return found;
    });
}

}  // namespace strata::tool
