#include "byte_oracle.h"

#include "traffic.h"

namespace strata::testing {
namespace {

/// Returns the group whose links carry the data into `group`: the first group above in which another rank
/// than `group`'s leader leads `group`'s side. While the leader of the group above is also in `group`, that
/// leader carries the data.
int entry_level(const topology::Hierarchy& hierarchy, const topology::Group& group, int root) {
    int above = group.parent;
    while (!holds(hierarchy.groups[above], root) && holds(group, hierarchy.groups[above].leader)) {
        above = hierarchy.groups[above].parent;
    }
    return above;
}

}  // namespace

std::vector<std::string> check_bcast_bytes(const topology::Hierarchy& hierarchy, int root, std::size_t bytes,
                                           const std::vector<std::size_t>& segment_bytes_of_group,
                                           const std::vector<SentMessage>& messages) {
    std::vector<std::string> faults;
    for (std::size_t index = 0; index < hierarchy.groups.size(); ++index) {
        const topology::Group& group = hierarchy.groups[index];
        const auto inside = [&](int rank) { return holds(group, rank); };
        Traffic entering;
        for (const SentMessage& message : messages) {
            if (!inside(message.from) && inside(message.to)) {
                entering.bytes += message.bytes;
                ++entering.messages;
            }
        }
        Traffic expected;
        if (!inside(root)) {
            expected = sent_once(bytes, segment_bytes_of_group[entry_level(hierarchy, group, root)]);
        }
        if (entering != expected) {
            faults.push_back("group " + std::to_string(index) + " receives " + words(entering) +
                             " instead of " + words(expected));
        }
    }
    std::vector<std::size_t> received(hierarchy.stop.size(), 0);
    for (const SentMessage& message : messages) {
        received[message.to] += message.bytes;
    }
    for (std::size_t rank = 0; rank < received.size(); ++rank) {
        const std::size_t expected = static_cast<int>(rank) == root ? 0 : bytes;
        if (received[rank] != expected) {
            faults.push_back("rank " + std::to_string(rank) + " receives " + std::to_string(received[rank]) +
                             " bytes instead of " + std::to_string(expected));
        }
    }
    return faults;
}

}  // namespace strata::testing
