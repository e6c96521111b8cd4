#include "machine.h"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace strata::simulation {

const LinkClass& Machine::at(topology::LevelKey level) const {
    std::string described;
    for (const LinkClass& link : links) {
        if (link.level.matches(level)) return link;
        described += (described.empty() ? "" : ", ") + std::string(topology::name_of(link.level.kind));
    }
    throw std::invalid_argument(name + ": no links of level " + topology::name_of(level) +
                                "; described: " + described);
}

double Machine::narrowest_from(const LinkClass& link) const {
    double narrowest = link.mbytes_per_s;
    for (const LinkClass& inner : std::span(&link, &links.back() + 1)) {
        narrowest = std::min(narrowest, inner.mbytes_per_s);
    }
    return narrowest;
}

algorithms::LinkTable Machine::table(const topology::Hierarchy& hierarchy) const {
    algorithms::LinkTable table;
    for (const topology::Group& group : hierarchy.groups) {
        if (group.members.size() < 2) continue;
        const topology::LevelKey level = link_level(group);
        const LinkClass& link = at(level);
        algorithms::LinkSetting setting;
        setting.latency_us = link.latency_us;
        setting.overhead_us = overhead_us;
        // One transfer alone is no faster than the connections inside the children.
        setting.bytes_per_us = narrowest_from(link);
        setting.parallel = link.mbytes_per_s / *setting.bytes_per_us;
        setting.handshake_us = 0;  // SMPI's copies take no time
        setting.gap_us = 0;        // NICs carry bytes
        setting.offloaded = true;  // SMPI's hosts do not copy
        if (link.bus_mbytes_per_s > 0) setting.bus_bytes_per_us = link.bus_mbytes_per_s;
        if (is_network(level.kind) && far_receive_mbytes_per_s > 0)
            setting.far_share = std::max(0.0, *setting.bytes_per_us / far_receive_mbytes_per_s - 1);
        table.set_some({level.kind, level.height}, setting);
    }
    table.set_eager_limits(eager_bytes, eager_bytes);
    table.set_combine(combine_mbytes_per_s);
    return table;
}

}  // namespace strata::simulation
