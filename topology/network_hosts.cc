#include <map>
#include <stdexcept>

#include "topology/network_builder.h"
#include "topology/text.h"

namespace strata::topology {
namespace {

/// Returns the trimmed parts between separators; one empty part for an empty text.
std::vector<std::string_view> trimmed_parts(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

class HostsParser {
public:
    Network parse(std::string_view text) {
        for (const std::string_view entry : trimmed_parts(text, ';')) {
            try {
                read(entry);
            } catch (const std::invalid_argument& error) {
                throw std::invalid_argument("entry " + quoted_text(entry) + ": " + error.what());
            }
        }
        return builder_.take();
    }

private:
    /// Reads HOSTS=SWITCH.SWITCH...
    void read(std::string_view entry) {
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos) {
            throw std::invalid_argument(
                "expected HOSTS=SWITCH.SWITCH..., topmost switch first, as in n[0-1]=top.site0");
        }
        const std::vector<std::string_view> path = trimmed_parts(entry.substr(equals + 1), '.');
        if (path.size() > most_switch_levels) {
            throw std::invalid_argument("more than " + std::to_string(most_switch_levels) +
                                        " switches in a row");
        }
        int leaf = -1;
        for (const std::string_view name : path) leaf = place(std::string(name), leaf);
        for (const std::string& host : lists_.expand(trimmed(entry.substr(0, equals)))) {
            const int known = builder_.put(lower_case(host), leaf);
            if (known != leaf) {
                throw std::invalid_argument("host " + host + " is already below switch " +
                                            builder_.name(known));
            }
        }
    }

    /// Returns the switch of this name; it must have the same parent as in earlier entries.
    int place(const std::string& name, int above) {
        if (name.empty()) throw std::invalid_argument("a switch has no name");
        const auto [known, is_new] = id_of_.try_emplace(name, -1);
        if (is_new) known->second = builder_.add(name, above);
        const int before = builder_.parent(known->second);
        if (before != above) {
            throw std::invalid_argument(
                "switch " + name + " is already " +
                (before < 0 ? "at the top" : "below switch " + builder_.name(before)));
        }
        return known->second;
    }

    NetworkBuilder builder_;
    HostLists lists_;
    std::map<std::string, int> id_of_;
};

}  // namespace

Network Network::from_hosts(std::string_view text) { return HostsParser().parse(text); }

}  // namespace strata::topology
