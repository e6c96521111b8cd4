#pragma once
#include <algorithm>
#include <compare>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/cost/links.h"
#include "algorithms/cost/symmetry_reduction.h"
#include "algorithms/patterns/reduction_links.h"
#include "algorithms/patterns/window.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Predicts one collective over one hierarchy and root, for many plans with the same levels. This base knows
/// the levels and their links, the participants of each group and the connections between them. Skipped
/// levels have links, too: where a group contains the participants of skipped groups, the price of a message
/// depends on where its two ends meet.
class CostModel {
public:
    virtual ~CostModel() = default;
    CostModel(const CostModel&) = delete;
    CostModel& operator=(const CostModel&) = delete;

    const std::vector<topology::LevelKey>& levels() const { return levels_; }
    // Index: place in levels().
    const LinkParameters& link(std::size_t level) const { return links_[used_[level]]; }
    /// Returns true if link parameters inside nodes were given and ranks do not share processors.
    bool measured_inside() const { return measured_inside_; }
    bool network(std::size_t level) const { return network_[used_[level]]; }
    /// Returns the us for which a processor combines one byte of two vectors; 0: nothing is combined.
    double combine_us_per_byte() const { return combine_us_per_byte_; }
    /// Returns the number of participants of the level's largest group.
    int largest_group(std::size_t level) const { return largest_group_[level]; }
    /// Returns true if the topmost level has one group.
    bool top_stands_alone() const { return top_stands_alone_; }
    /// Replaces the links. Cost: O(ranks * depth).
    virtual void set_links(const LinkTable& links);

    /// Returns the microseconds until the last rank is done. `plans`: one per level, in the order of
    /// levels(), without automatic methods. Methods that the engine cannot use count as the nearest tree
    /// shape. `enough`: for a plan that takes at least as long, any such time may be returned. Cost: O(ranks
    /// * depth); for an exchange among n ranks that meet on several levels O(n log n), and O(n (log n)^2) for
    /// the first one on these links.
    double cost_us(std::span<const LevelPlan> plans, std::size_t bytes, const Window& window,
                   double enough = std::numeric_limits<double>::infinity()) {
        enough_us_ = enough;
        return predict_us(plans, bytes, window);
    }

protected:
    /// Computes cost_us(). Calls is_enough() with lower bounds of the result.
    virtual double predict_us(std::span<const LevelPlan> plans, std::size_t bytes, const Window& window) = 0;
    bool is_enough(double us) const { return us >= enough_us_; }
    double enough_us() const { return enough_us_; }
    /// For predictions that subtract from their intermediate times.
    void must_be_exact() { enough_us_ = std::numeric_limits<double>::infinity(); }

    CostModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root,
              std::span<const topology::LevelKey> skipped, const ReducedMachine* reduced);

    struct Participant {
        int rank;
        double us_per_byte;  ///< narrowest connection between this rank and the group
    };
    /// Of a reduced machine: `rank` represents a removed group, whose times are those of the whole group of
    /// `modelled_by`.
    struct Representative {
        int rank;
        int modelled_by;
    };
    struct GroupView {
        std::size_t level;                      ///< index among all levels of the hierarchy
        std::size_t plan;                       ///< index in levels()
        std::vector<Participant> participants;  ///< empty: skipped
        bool merged = false;                    ///< some participants belong to skipped groups
        std::vector<Representative> representatives;
    };
    /// The group in which two participants meet, and the narrowest connection between them.
    struct Meeting {
        int group;
        double us_per_byte;
    };
    /// How simultaneous messages cross a boundary.
    struct Crossing {
        std::size_t level = 0;         ///< level on which their ends meet
        double us_per_byte = 0;        ///< narrowest connection between the ends
        int before = 0;                ///< other messages that use the boundary in this direction
        double gap = 0;                ///< least us for which a message occupies it
        double group_us_per_byte = 0;  ///< of the boundary
        auto operator<=>(const Crossing&) const = default;
    };
    using Crossings = std::vector<Crossing>;
    /// The messages of an exchange among the topmost group's local roots, by round; distance 1 first.
    struct Rounds {
        Crossings before;               ///< to ranks with a place from those without
        std::vector<Crossings> rounds;  ///< both directions
        Crossings after;                ///< back to ranks without a place
        /// Used if messages differ; then the above contain only the number of rounds. For each place the
        /// index in `ways` of its message's crossings, -1: none. `before` first, then each round, then
        /// `after`. Empty: all messages are equal.
        std::vector<std::vector<int>> by_place;
        std::vector<Crossings> ways;
    };
    struct Shape {
        int index = 0;           ///< among all shapes of this model
        std::vector<int> order;  ///< positions, parents before children
        std::vector<std::vector<int>> children;
    };

    const Shape& shape(const LevelMethod& method, std::size_t size, Half half = Half::whole);
    /// Returns one of the two trees of double_binary in a group.
    const Shape& double_binary_shape(int group, Half half);
    /// Returns processor time per byte at either end, on links of a level (index among all levels).
    double copy_us_per_byte(std::size_t level) const { return copy_us_per_byte_[level]; }
    /// The same for a round of simultaneous messages: the slowest counts.
    double copy_us_per_byte(const Crossings& round) const;
    /// Returns groups with at least two participants, parents before their children.
    const std::vector<int>& busy_groups() const { return busy_groups_; }
    /// Returns the index among all levels of a level in levels().
    std::size_t place_of(std::size_t level) const { return used_[level]; }
    Meeting meeting(int group, const Participant& a, const Participant& b) const {
        if (!groups_[group].merged) return {group, std::max(a.us_per_byte, b.us_per_byte)};
        return merged_meeting(a.rank, b.rank);
    }
    /// Returns for a merged group where each position meets its parent in the shape.
    const std::vector<Meeting>& meetings(int group, const Shape& shape);
    /// The messages of recursive doubling: between participants() in their order, or between
    /// halving_places(). Kept until the links change.
    enum class Places { as_participants, side_by_side };
    const Rounds& rounds_among(Places places);
    /// Returns halving_places() of the topmost group.
    std::vector<HalvingPlace> places_side_by_side() const;
    /// Returns the time until the last of these messages arrives. `others`: bytes of each message that it
    /// meets; `segment`: its segment size.
    double message_us(const Crossings& crossings, double bytes, double others, double segment) const;
    double message_us(const Crossings& crossings, double bytes) const {
        return message_us(crossings, bytes, bytes, bytes);
    }
    /// Calls action(group) for every boundary between `rank` and `group`, innermost first.
    template <typename Action>
    void each_boundary(int rank, int group, Action&& action) const {
        for (int c = stop_[rank]; c != group; c = parent_[c]) action(c);
    }
    /// Calls action(group) for every bus that carries a message between ranks that meet in `group`.
    template <typename Action>
    void each_bus(int from, int to, int group, Action&& action) const {
        if (!any_bus_) return;
        const auto one = [&](int c) {
            if (group_bus_us_per_byte_[c] > 0) action(c);
        };
        each_boundary(from, group, one);
        each_boundary(to, group, one);
        one(group);
    }

    const topology::Hierarchy& hierarchy_;
    const std::vector<int>& stop_;
    std::vector<int> parent_;  ///< by group
    int root_;
    double combine_us_per_byte_ = 0;
    std::vector<LinkParameters> links_;  ///< by level, including skipped ones
    std::vector<bool> network_;          ///< by level, including skipped ones
    std::vector<GroupView> groups_;
    std::vector<double> copy_us_per_byte_;       ///< by level, at either end
    std::vector<double> group_us_per_byte_;      ///< connection of each group to its parent
    std::vector<double> group_gap_us_;           ///< least time per message on that connection
    std::vector<double> group_given_gap_us_;     ///< the same if it was given, else 0
    std::vector<double> nic_us_per_byte_;        ///< NIC of each rank; 0: no NIC of its own
    std::vector<double> group_bus_us_per_byte_;  ///< bus of each group; 0: no limit

private:
    Meeting merged_meeting(int a, int b) const;
    Rounds rounds_apart(const GroupView& top) const;
    Rounds make_rounds(const std::vector<HalvingPlace>& places) const;
    template <typename Action>
    void each_crossings(const std::vector<std::pair<int, int>>& messages, Action&& action) const;
    Crossing on_bus(std::size_t level, int group, int messages) const;
    Plan without_skipped() const;

    double enough_us_ = std::numeric_limits<double>::infinity();
    std::vector<topology::LevelKey> levels_;
    std::vector<topology::LevelKey> skipped_;
    std::map<Places, Rounds> rounds_;  ///< for the present links
    std::vector<topology::LevelKey>
        link_levels_;  ///< by level, including skipped ones: the level that gives its links
    std::vector<int> busy_groups_;
    std::vector<std::size_t> used_;  ///< index in levels_ -> level
    std::vector<int> largest_group_;
    bool top_stands_alone_ = false;
    bool any_bus_ = false;
    bool measured_inside_ = false;
    Shape& order_by_parents(Shape& shape) const;

    using ShapeKey = std::tuple<Algorithm, int, std::size_t, Half>;
    std::map<ShapeKey, Shape> shapes_;
    std::map<std::pair<int, Half>, Shape> double_binary_shapes_;  ///< by group
    int shape_count_ = 0;
    const std::pair<const ShapeKey, Shape>* last_shape_ = nullptr;  ///< most recent shape
    std::map<std::pair<int, int>, std::vector<Meeting>> meetings_;  ///< by group and shape
};

/// Returns the model for `operation`: one vector over a tree (tree.h), or blocks (exchange.h). `reduced`: the
/// reduced machine whose hierarchy this is, if any.
std::unique_ptr<CostModel> make_cost_model(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                           const Operation& operation,
                                           std::span<const topology::LevelKey> skipped = {},
                                           const ReducedMachine* reduced = nullptr);

/// Returns the predicted time in microseconds of `operation` by the tree engine with `plan`, which has a
/// method for every level. Other methods count as the nearest tree shape. Throws std::invalid_argument for an
/// automatic method.
double tree_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links, const Plan& plan,
                    const Operation& operation);

}  // namespace strata::algorithms
