// Groups that contain the participants of skipped groups: the part of TreeModel in which messages cross a
// boundary several times.
#include <algorithm>

#include "algorithms/cost/tree.h"

namespace strata::algorithms {

void TreeModel::add_merged_loads(int group, const Edges& edges) {
    const bool both = up_ && down_;
    const double directions = both ? 2 : 1;
    const auto& members = groups_[group].participants;
    for (const int position : edges.shape->order) {
        for (const int place : edges.shape->children[position]) {
            const int rank = members[position].rank;
            const int child = members[place].rank;
            const int met = (*edges.meetings)[place].group;
            const Edges& own = edges.by_level[groups_[met].level];
            const double per_byte = own.load;
            ranks_[rank].processor_load += per_byte + combine_us_per_byte_;
            ranks_[rank].all_fit = ranks_[rank].all_fit && own.fits;
            ranks_[child].processor_load += per_byte;
            ++ranks_[rank].nic_uses;
            if (both) ++ranks_[child].nic_uses;
            move_on_buses(rank, child, met, directions);
            each_boundary(rank, met, [&](int c) {
                ++boundaries_[c].uses;
                if (both) ++boundaries_[c].entries;
            });
            each_boundary(child, met, [&](int c) {
                ++boundaries_[c].entries;
                if (both) ++boundaries_[c].uses;
            });
            if (edges.far && up_) add_far_loads(far_ends(edges, rank, child, true), met);
            if (edges.far && down_) add_far_loads(far_ends(edges, rank, child, false), met);
        }
    }
}

/// Returns us per byte at which data from `group` reaches `rank`.
double TreeModel::inward_pace(int rank, int group, double segment) const {
    double pace = 0;
    each_boundary(rank, group,
                  [&](int c) { pace = std::max(pace, boundaries_[c].entries * boundary_pace(c, segment)); });
    return pace;
}

/// As pass_outward(), on the way from `group` to `rank`.
double TreeModel::pass_inward(int rank, int group, double start, double bytes) {
    each_boundary(rank, group, [&](int c) {
        start = std::max(start, boundaries_[c].in_free);
        boundaries_[c].in_free = start + std::max(group_gap_us_[c], bytes * group_us_per_byte_[c]);
    });
    return start;
}

}  // namespace strata::algorithms
