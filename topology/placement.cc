#include <algorithm>
#include <stdexcept>

#include "topology/index_list.h"
#include "topology/machine.h"
#include "topology/text.h"

namespace strata::topology {
namespace {

SyntheticPlace parse_place(std::string_view entry, int number) {
    const auto fail = [&](const std::string& reason) {
        throw std::invalid_argument("placement entry " + std::to_string(number) + " ('" + std::string(entry) +
                                    "'): " + reason);
    };
    const std::size_t separator = entry.find('@');
    SyntheticPlace place;
    place.cores = std::string(entry.substr(0, separator));
    if (place.cores.empty())
        fail("cores are missing; write CORES[@NODE], for instance \"0-3\" or \"all@n1\"");
    if (place.cores != "all") {
        try {
            parse_index_list(place.cores);
        } catch (const std::invalid_argument& error) {
            fail(error.what());
        }
    }
    if (separator != std::string_view::npos) {
        place.node = std::string(entry.substr(separator + 1));
        if (place.node.empty()) fail("the name of the node is missing after '@'");
        if (place.node.find_first_of(" \t@") != std::string::npos) fail("a node is one word without '@'");
    }
    return place;
}

}  // namespace

std::vector<SyntheticPlace> parse_placement(std::string_view text) {
    std::vector<SyntheticPlace> places;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(';', begin), text.size());
        places.push_back(
            parse_place(trimmed(text.substr(begin, end - begin)), static_cast<int>(places.size()) + 1));
        begin = end + 1;
    }
    return places;
}

}  // namespace strata::topology
