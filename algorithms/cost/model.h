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
#include "algorithms/cost/sample_nodes.h"
#include "algorithms/patterns/reduction_links.h"
#include "algorithms/patterns/window.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Predicts one collective over one hierarchy and root, for many candidate plans that use the same levels.
/// What all models share: the levels with their links, who takes part in each group, and what connects them.
/// Skipped levels have links like all others: where the participants of their groups take part in the group
/// around, each message is priced by where its two ends meet.
class CostModel {
public:
    virtual ~CostModel() = default;
    CostModel(const CostModel&) = delete;
    CostModel& operator=(const CostModel&) = delete;

    const std::vector<topology::LevelKey>& levels() const { return levels_; }
    // By place in levels():
    const LinkParameters& link(std::size_t level) const { return links_[used_[level]]; }
    /// True where somebody, a tuner or a preset, has told how fast links inside nodes are, and ranks do not
    /// share processors.
    bool measured_inside() const { return measured_inside_; }
    bool network(std::size_t level) const { return network_[used_[level]]; }
    /// Participants of the level's largest group.
    int largest_group(std::size_t level) const { return largest_group_[level]; }
    /// True when the topmost level has no other group than the top.
    bool top_stands_alone() const { return top_stands_alone_; }
    /// Puts other links in place of those that it has. Cost: O(ranks * depth).
    virtual void set_links(const LinkTable& links);

    /// Microseconds until the last rank is done. `plans`: one per level, in the order of levels(), none
    /// automatic. Methods that the engine cannot use count as the nearest tree shape. Cost: O(ranks * depth);
    /// of an exchange among n that meet on several levels O(n * log(n)), and O(n * log(n)^2) for the first
    /// one on these links. `enough`: a candidate that takes as long does not count any more; what is returned
    /// for it may be any time that is no shorter.
    double cost_us(std::span<const LevelPlan> plans, std::size_t bytes, const Window& window,
                   double enough = std::numeric_limits<double>::infinity()) {
        enough_us_ = enough;
        return predict_us(plans, bytes, window);
    }

protected:
    /// What cost_us() tells. Asks is_enough() of times after which the last rank will be done.
    virtual double predict_us(std::span<const LevelPlan> plans, std::size_t bytes, const Window& window) = 0;
    bool is_enough(double us) const { return us >= enough_us_; }
    double enough_us() const { return enough_us_; }
    /// For predictions that grow shorter again before they are done.
    void must_be_exact() { enough_us_ = std::numeric_limits<double>::infinity(); }

    CostModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root,
              std::span<const topology::LevelKey> skipped, const Sample* sample);

    struct Participant {
        int rank;
        double us_per_byte;  ///< of the narrowest connection between this rank and the group
    };
    /// In a machine that was thinned out: `one` had behind it what the other one still has.
    struct Alike {
        int one;
        int other;
    };
    struct GroupView {
        std::size_t level;                      ///< among all levels of the hierarchy
        std::size_t plan;                       ///< the level's place in levels()
        std::vector<Participant> participants;  ///< none: skipped
        bool merged = false;                    ///< some of them come from groups that are skipped
        std::vector<Alike> alike;
    };
    /// Where two participants of a group meet, and the narrowest connection between them.
    struct Meeting {
        int group;
        double us_per_byte;
    };
    /// How messages that start together cross a boundary.
    struct Crossing {
        std::size_t level = 0;         ///< on which their ends meet
        double us_per_byte = 0;        ///< of the narrowest connection between these
        int before = 0;                ///< others that use the boundary the same way
        double gap = 0;                ///< us for which one of them occupies it at least
        double group_us_per_byte = 0;  ///< of the boundary
        auto operator<=>(const Crossing&) const = default;
    };
    using Crossings = std::vector<Crossing>;
    /// An exchange among the local roots of the topmost group: who sends to whom in each of its rounds, that
    /// at a distance of one first.
    struct Rounds {
        Crossings before;               ///< from those that have no place in the rounds
        std::vector<Crossings> rounds;  ///< both ways
        Crossings after;                ///< back to those
        /// Where messages differ, and there is nothing in the above but the number of rounds: what each
        /// place's own one crosses, as a place in `ways`; -1: it has none. Those before first, then round by
        /// round, then those after. Empty: all are alike.
        std::vector<std::vector<int>> by_place;
        std::vector<Crossings> ways;
    };
    struct Shape {
        int index = 0;           ///< among all shapes of this model
        std::vector<int> order;  ///< positions, parents before their children
        std::vector<std::vector<int>> children;
    };

    const Shape& shape(const LevelMethod& method, std::size_t size, Half half = Half::whole);
    /// One of the two trees of double_binary in a group.
    const Shape& double_binary_shape(int group, Flow flow, Half half);
    /// On links of a level (among all levels of the hierarchy), at either end.
    double copy_us_per_byte(std::size_t level) const { return copy_us_per_byte_[level]; }
    /// In a round that all do together: by the slowest.
    double copy_us_per_byte(const Crossings& round) const;
    /// Groups of two participants or more, parents before their children.
    const std::vector<int>& busy_groups() const { return busy_groups_; }
    /// Of a level in levels(): its place among all levels.
    std::size_t place_of(std::size_t level) const { return used_[level]; }
    Meeting meeting(int group, const Participant& a, const Participant& b) const {
        if (!groups_[group].merged) return {group, std::max(a.us_per_byte, b.us_per_byte)};
        return merged_meeting(a.rank, b.rank);
    }
    /// Of a merged group: where each position meets its parent in the shape.
    const std::vector<Meeting>& meetings(int group, const Shape& shape);
    /// Of an exchange by recursive doubling: between the members as they are numbered, or between
    /// halving_places(). Kept until there are other links.
    enum class Places { as_numbered, side_by_side };
    const Rounds& rounds_among(Places places);
    /// halving_places() of the topmost group.
    std::vector<HalvingPlace> places_side_by_side() const;
    /// Until the last of these messages has arrived. `others`: bytes of those that it meets on its way;
    /// `segment`: into which it is cut.
    double message_us(const Crossings& crossings, double bytes, double others, double segment) const;
    double message_us(const Crossings& crossings, double bytes) const {
        return message_us(crossings, bytes, bytes, bytes);
    }
    /// Calls action(group) for every boundary that `rank` crosses on its way out to `group`, innermost first.
    template <typename Action>
    void each_boundary(int rank, int group, Action&& action) const {
        for (int c = stop_[rank]; c != group; c = parent_[c]) action(c);
    }
    /// Calls action(group) for every bus that a message takes part in whose ranks meet in `group`.
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
    std::vector<LinkParameters> links_;  ///< by level, skipped ones too
    std::vector<bool> network_;          ///< by level, skipped ones too
    std::vector<GroupView> groups_;
    std::vector<double> copy_us_per_byte_;       ///< by level: at either end
    std::vector<double> group_us_per_byte_;      ///< of each group's connection to its parent
    std::vector<double> group_gap_us_;           ///< least time per message on that connection
    std::vector<double> group_told_gap_us_;      ///< the same where somebody told it, else 0
    std::vector<double> nic_us_per_byte_;        ///< of each rank's own NIC; 0: it has none of its own
    std::vector<double> group_bus_us_per_byte_;  ///< of what moves inside each group; 0: no limit

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
    std::map<Places, Rounds> rounds_;              ///< for the present links
    std::vector<topology::LevelKey> link_levels_;  ///< by level, skipped ones too: whose links it has
    std::vector<int> busy_groups_;
    std::vector<std::size_t> used_;  ///< place in levels_ -> level
    std::vector<int> largest_group_;
    bool top_stands_alone_ = false;
    bool any_bus_ = false;
    bool measured_inside_ = false;
    Shape& order_by_parents(Shape& shape) const;

    using ShapeKey = std::tuple<Algorithm, int, std::size_t, Half>;
    std::map<ShapeKey, Shape> shapes_;
    std::map<std::pair<int, Half>, Shape> double_binary_shapes_;  ///< by group
    int shape_count_ = 0;
    const std::pair<const ShapeKey, Shape>* last_shape_ = nullptr;  ///< that was asked for
    std::map<std::pair<int, int>, std::vector<Meeting>> meetings_;  ///< by group and shape
};

/// The model of the engine that carries `operation`: whole vectors over a tree (tree.h) or everybody's
/// blocks (exchange.h), `sample`: of which
/// the hierarchy is, where it was thinned out.
std::unique_ptr<CostModel> make_cost_model(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                           const Operation& operation,
                                           std::span<const topology::LevelKey> skipped = {},
                                           const Sample* sample = nullptr);

/// Predicted time in microseconds of `operation` by the tree engine with `plan`, which has a method for every
/// level. A method that is no tree shape counts as the nearest one. Throws std::invalid_argument for an
/// automatic method.
double tree_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links, const Plan& plan,
                    const Operation& operation);

}  // namespace strata::algorithms
