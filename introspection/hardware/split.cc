#include "split.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "communicator_facts.h"
#include "level_names.h"
#include "topology/hierarchy.h"
#include "topology/hierarchy_hint.h"

namespace strata::introspection {
namespace {

using topology::Group;
using topology::Hierarchy;

/// The parts of a communicator and their roots.
class Parts {
public:
    Parts(const Members& members, const SplitOptions& wishes) {
        const Records& records = members.records;
        topology::HierarchySpec spec;
        if (wishes.scope == Scope::network) spec.hint = topology::parse_hierarchy_hint("node,switch");
        if (wishes.scope == Scope::node)
            spec.hint = topology::parse_hierarchy_hint("pu,core,l1,l2,l3,numa,group,die,package,node");
        spec.election.nic_local = wishes.nic_local;
        spec.election.use = members.use;
        hierarchy_ = topology::build_hierarchy(records, spec);
        part_of_.assign(records.size(), -1);
        for (std::size_t part = 0; part < children().size(); ++part) {
            for (const int rank : child(part).members)
                part_of_[static_cast<std::size_t>(rank)] = static_cast<int>(part);
        }
    }

    const std::vector<int>& children() const { return hierarchy_.groups.front().children; }
    const Group& child(std::size_t part) const {
        return hierarchy_.groups[static_cast<std::size_t>(children()[part])];
    }
    /// Returns -1 if the rank stops here.
    int part_of(int rank) const { return part_of_[static_cast<std::size_t>(rank)]; }
    bool is_root_of_part(int rank) const {
        const int part = part_of(rank);
        return part >= 0 ? child(static_cast<std::size_t>(part)).leader == rank
                         : hierarchy_.groups.front().leader == rank && !children().empty();
    }

private:
    Hierarchy hierarchy_;
    std::vector<int> part_of_;
};

/// Splits by colour; the result keeps its members' locality.
Communicator split_by_colour(MPI_Comm comm, const Members& members, int colour, int key) {
    MPI_Comm made = MPI_COMM_NULL;
    require_handled(MPI_Comm_split(comm, colour < 0 ? MPI_UNDEFINED : colour, key, &made));
    Communicator owned(made);
    if (!owned.null()) keep_members(made, comm, members);
    return owned;
}

}  // namespace

std::string info_value(MPI_Info info, const char* key) {
    if (info == MPI_INFO_NULL) return {};
    int length = 0;
    int found = 0;
    require_handled(MPI_Info_get_valuelen(info, key, &length, &found));
    if (found == 0) return {};
    std::string value(static_cast<std::size_t>(length) + 1, '\0');
    require_handled(MPI_Info_get(info, key, length, value.data(), &found));
    value.resize(static_cast<std::size_t>(length));
    return value;
}

bool wants_nic_local(MPI_Info info) {
    const std::string value = info_value(info, "strata_roots");
    const bool nic_local = value == "nic_local" || value == "near_card";
    if (!value.empty() && !nic_local && value != "lowest") throw MpiError{MPI_ERR_INFO_VALUE};
    return nic_local;
}

Scope wanted_scope(MPI_Info info) {
    const std::string value = info_value(info, "strata_levels");
    if (value == "network") return Scope::network;
    if (value == "node") return Scope::node;
    if (!value.empty() && value != "all") throw MpiError{MPI_ERR_INFO_VALUE};
    return Scope::all;
}

Step split(MPI_Comm comm, const SplitOptions& wishes, int key) {
    int rank = 0;
    require_handled(MPI_Comm_rank(comm, &rank));
    const auto members = members_of(comm);
    const Parts parts(*members, wishes);
    Step step;
    if (parts.children().empty()) return step;  // equal on all members: no message
    const int part = parts.part_of(rank);
    step.child = split_by_colour(comm, *members, part, key);
    if (!step.child.null()) {
        const Group& own = parts.child(static_cast<std::size_t>(part));
        keep_level(step.child.get(), {static_cast<int>(parts.children().size()), part,
                                      type_name(own, *members, members->records)});
    }
    if (wishes.roots) {
        step.roots = split_by_colour(comm, *members, parts.is_root_of_part(rank) ? 0 : -1, 0);
    }
    return step;
}

std::vector<Step> split_all(MPI_Comm comm, const SplitOptions& wishes) {
    std::vector<Step> steps;
    for (MPI_Comm parent = comm; parent != MPI_COMM_NULL; parent = steps.back().child.get()) {
        steps.push_back(split(parent, wishes));
    }
    // The last step found nothing to split, unless the caller is the root of members that stop here.
    if (steps.back().roots.null()) steps.pop_back();
    return steps;
}

}  // namespace strata::introspection
