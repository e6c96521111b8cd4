#include "topology/nic.h"

#include <algorithm>
#include <stdexcept>

#include "topology/kinds.h"
#include "topology/text.h"

namespace strata::topology {
namespace {

bool holds(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

/// Returns true if the list contains any name of the NIC.
bool names(const std::vector<std::string>& list, const Nic& nic) {
    return std::any_of(nic.names.begin(), nic.names.end(),
                       [&](const std::string& name) { return holds(list, name); });
}

template <typename Predicate>
std::vector<int> indices_of(std::span<const Nic> nics, Predicate&& wanted) {
    std::vector<int> found;
    for (std::size_t i = 0; i < nics.size(); ++i) {
        if (wanted(nics[i])) found.push_back(static_cast<int>(i));
    }
    return found;
}

bool is_addressed(const Nic& nic, const NicChoice& choice) {
    return std::any_of(nic.interfaces.begin(), nic.interfaces.end(), [&](const std::string& name) {
        return !choice.addressed || holds(*choice.addressed, name);
    });
}

std::vector<int> addressed_nics(std::span<const Nic> nics, const NicChoice& choice) {
    return indices_of(nics, [&](const Nic& nic) { return is_addressed(nic, choice); });
}

NamedNic parse_nic(std::string_view entry) {
    const auto fail = [&](const std::string& reason) {
        throw std::invalid_argument("NIC '" + std::string(entry) + "': " + reason);
    };
    NamedNic nic;
    const std::size_t at = entry.find('@');
    nic.name = std::string(trimmed(entry.substr(0, at)));
    if (nic.name.empty()) fail("a name or PCI id is missing");
    if (at == std::string_view::npos) return nic;
    const std::string_view place = trimmed(entry.substr(at + 1));
    const std::size_t colon = place.find(':');
    const auto level = parse_level(trimmed(place.substr(0, colon)));
    if (!level || (bit_of(level->kind) & hardware_kinds) == 0 || colon == std::string_view::npos) {
        fail(
            "write NAME@LEVEL:INDEX, for instance ib0@numa:1; levels: package, die, group, numa, l3, l2, l1, "
            "core, pu");
    }
    const auto index = whole_number<int>(trimmed(place.substr(colon + 1)));
    if (!index || *index < 0) fail("the index must be a number from 0");
    nic.index = *index;
    nic.kind = level->kind;
    return nic;
}

/// Expands "mlx5_[1-3]:1" to "mlx5_1:1" ... "mlx5_3:1"; an entry with other brackets stays as it is.
/// Source: UCX 1.20, ucs_config_array_expand_range().
std::vector<std::string> expanded(std::string_view entry) {
    constexpr unsigned most = 128;  // UCX's limit on all numbers together
    const std::size_t open = entry.find('[');
    const std::size_t close = entry.find(']');
    if (open == entry.npos || close == entry.npos || close < open ||
        entry.find_first_of("[]", close + 1) != entry.npos ||
        entry.substr(open + 1).find('[') != entry.npos) {
        return {std::string(entry)};
    }
    const std::string_view range = entry.substr(open + 1, close - open - 1);
    const std::size_t dash = range.find('-');
    const auto first = whole_number<unsigned>(range.substr(0, dash));
    const auto last = dash == range.npos ? std::nullopt : whole_number<unsigned>(range.substr(dash + 1));
    if (!first || !last || *first > *last) return {std::string(entry)};
    std::vector<std::string> names;
    for (unsigned i = 0; i <= std::min(*last - *first, most - 1); ++i) {
        names.push_back(std::string(entry.substr(0, open)) + std::to_string(*first + i) +
                        std::string(entry.substr(close + 1)));
    }
    return names;
}

}  // namespace

void add_devices(std::string_view list, NicChoice& choice) {
    const bool except = list.starts_with('^');
    for (const std::string_view entry : split(list.substr(except ? 1 : 0), ',')) {
        for (const std::string& port : expanded(trimmed(entry))) {
            const std::string device = port.substr(0, port.find(':'));
            if (!device.empty() && device != "all") {
                (except ? choice.exclude : choice.include).push_back(device);
            }
        }
    }
}

std::vector<NamedNic> parse_nics(std::string_view text) {
    std::vector<NamedNic> nics;
    if (trimmed(text).empty()) return nics;
    for (const std::string_view entry : split(text, ',')) nics.push_back(parse_nic(trimmed(entry)));
    return nics;
}

std::vector<int> fabric_nics(std::span<const Nic> nics, const NicChoice& choice) {
    if (!choice.include.empty()) {
        return indices_of(nics, [&](const Nic& nic) { return names(choice.include, nic); });
    }
    const auto active = indices_of(nics, [&](const Nic& nic) {
        return nic.fabric && nic.port_active.value_or(true) && !names(choice.exclude, nic);
    });
    return !active.empty() ? active : addressed_nics(nics, choice);
}

std::vector<int> ip_nics(std::span<const Nic> nics, const NicChoice& choice) {
    return indices_of(nics, [&](const Nic& nic) {
        return std::any_of(nic.interfaces.begin(), nic.interfaces.end(), [&](const std::string& name) {
            if (choice.addressed && !holds(*choice.addressed, name)) return false;
            return choice.include.empty() ? !holds(choice.exclude, name) : holds(choice.include, name);
        });
    });
}

}  // namespace strata::topology
