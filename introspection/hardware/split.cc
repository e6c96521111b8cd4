#include "split.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "communicator_facts.h"
#include "level_names.h"
#include "strata/topology/hierarchy.h"

namespace strata::introspection {
namespace {

using topology::CardUse;
using topology::Group;
using topology::Hierarchy;

/// Fabrics' cards where any process knows how far they are, else those that carry IP: the same on all.
topology::Election election_of(const Records& records, bool near_card) {
    topology::Election election;
    election.near_card = near_card;
    const bool fabric =
        std::any_of(records.begin(), records.end(), [](const topology::LocalityRecord& record) {
            return record.near(CardUse::fabric).distance != topology::unknown_distance;
        });
    election.use = fabric ? CardUse::fabric : CardUse::ip;
    return election;
}

/// The parts of a communicator, and who stands for each.
class Parts {
public:
    Parts(const Records& records, bool near_card) {
        topology::HierarchySpec spec;
        spec.election = election_of(records, near_card);
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
    /// -1: the rank stops here.
    int part_of(int rank) const { return part_of_[static_cast<std::size_t>(rank)]; }
    bool stands_for_a_part(int rank) const {
        const int part = part_of(rank);
        return part >= 0 ? child(static_cast<std::size_t>(part)).leader == rank
                         : hierarchy_.groups.front().leader == rank && !children().empty();
    }

private:
    Hierarchy hierarchy_;
    std::vector<int> part_of_;
};

struct Place {
    int rank = 0;
    std::shared_ptr<const Records> records;
};

Place place_in(MPI_Comm comm) {
    Place place;
    require(MPI_Comm_rank(comm, &place.rank));
    place.records = records_of(comm);
    return place;
}

Records records_of_members(const Records& records, const std::vector<int>& members) {
    Records chosen;
    for (const int member : members) chosen.push_back(records[static_cast<std::size_t>(member)]);
    return chosen;
}

MPI_Comm split_by_colour(MPI_Comm comm, int colour, int key) {
    MPI_Comm made = MPI_COMM_NULL;
    require(MPI_Comm_split(comm, colour < 0 ? MPI_UNDEFINED : colour, key, &made));
    return made;
}

}  // namespace

std::string info_value(MPI_Info info, const char* key) {
    if (info == MPI_INFO_NULL) return {};
    int length = 0;
    int found = 0;
    require(MPI_Info_get_valuelen(info, key, &length, &found));
    if (found == 0) return {};
    std::string value(static_cast<std::size_t>(length) + 1, '\0');
    require(MPI_Info_get(info, key, length, value.data(), &found));
    value.resize(static_cast<std::size_t>(length));
    return value;
}

SplitWishes wishes_of(MPI_Info info, bool roots) {
    SplitWishes wishes;
    wishes.roots = roots;
    const std::string value = info_value(info, "strata_roots");
    wishes.near_card = value == "near_card";
    if (!value.empty() && !wishes.near_card && value != "lowest") throw MpiError{MPI_ERR_INFO_VALUE};
    return wishes;
}

Step split(MPI_Comm comm, const SplitWishes& wishes) {
    const Place place = place_in(comm);
    const Parts parts(*place.records, wishes.near_card);
    Step step;
    if (parts.children().empty()) return step;  // all know it: no message
    const int part = parts.part_of(place.rank);
    step.child = split_by_colour(comm, part, place.rank);
    if (step.child != MPI_COMM_NULL) {
        const Group& own = parts.child(static_cast<std::size_t>(part));
        keep_records(step.child,
                     std::make_shared<const Records>(records_of_members(*place.records, own.members)));
        keep_level(step.child, {static_cast<int>(parts.children().size()), part, type_name(own.level)});
    }
    if (wishes.roots) {
        step.roots = split_by_colour(comm, parts.stands_for_a_part(place.rank) ? 0 : -1, place.rank);
    }
    return step;
}

std::vector<Step> split_all(MPI_Comm comm, const SplitWishes& wishes) {
    std::vector<Step> steps;
    for (MPI_Comm parent = comm; parent != MPI_COMM_NULL; parent = steps.back().child) {
        steps.push_back(split(parent, wishes));
    }
    // The last step found nothing to split, unless the caller stands for those that stop.
    if (steps.back().roots == MPI_COMM_NULL) steps.pop_back();
    return steps;
}

}  // namespace strata::introspection
