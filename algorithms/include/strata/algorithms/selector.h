#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "strata/algorithms/collective.h"
#include "strata/algorithms/link.h"
#include "strata/algorithms/plan.h"
#include "strata/algorithms/source.h"
#include "strata/topology/hierarchy.h"

namespace strata::algorithms {

/// "switch=chain:2,node=binomial,numa=sm": for each level an algorithm (with its radix) or, for any other
/// word, the coll component of that name. `components` limits those words when it is not empty.
struct LevelMethodRule {
    std::optional<topology::LevelPattern> level;  ///< empty: every level (never of a parameter)
    LevelMethod method;
    Source source{Origin::parameter, 0};
    bool holds_for(topology::LevelKey key) const { return !level || level->matches(key); }
};
/// Blanks around entries and words are ignored; a component's word is made of a-z, 0-9 and '_'; an empty text
/// has no rules. Throws std::invalid_argument: the broken entry and the known words.
std::vector<LevelMethodRule> parse_level_methods(std::string_view text,
                                                 const std::vector<std::string>& components = {});

/// "60k" for every level, "switch=60k,node=8192", or "switch=60k,8k" (8k for all others): bytes with optional
/// k, M, G (powers of 1024); 0 = whole message. Any size from 1 byte up is taken, though small ones drown in
/// per-message cost.
struct LevelSizeRule {
    std::optional<topology::LevelPattern> level;  ///< empty: every level
    std::size_t bytes = 0;
    Source source{Origin::parameter, 0};
    bool holds_for(topology::LevelKey key) const { return !level || level->matches(key); }
};
/// Throws std::invalid_argument: the broken entry and what is allowed.
std::vector<LevelSizeRule> parse_level_sizes(std::string_view text);

/// What the user fixed for one operation; everything left open is chosen by the cost model. Of several rules
/// that match a level the first holds; rules for levels that a hierarchy has not are ignored. What
/// exchanges_by() holds for the topmost level only, whatever that is in a hierarchy, and halves not for
/// reductions that keep an order: elsewhere the rule is passed over, and the plan's reason says so. Levels
/// whose rule says `skip` are left out of trees and rings, those that a rule names otherwise are kept; the
/// word is passed over for the topmost level, for one by which nodes stand apart (but below a ring, halves or
/// a chain from or to a root, in which all ranks can take part alike), and in reductions that keep an order.
struct Overrides {
    Engine engine = Engine::automatic;
    std::vector<LevelMethodRule> methods;
    std::vector<LevelSizeRule> segments;
    int window = 0;                              ///< messages in flight per edge of the tree; 0: open
    std::size_t network_window_bytes = 0;        ///< Plan's; make_plan() fills in both where they are open
    Source engine_source{Origin::parameter, 0};  ///< who fixed `engine`, where it is not automatic
    bool keep_levels = false;                    ///< no level is skipped: the user has listed them
};

/// Names of the engines that a collective has, and of what its levels can be given to, for help texts.
std::string engines_of(Collective collective);
std::string methods_of(Collective collective);

/// True where the tree engine's topmost level may exchange by this method: whole vectors, or blocks, by
/// recursive doubling, halves of vectors that are reduced by Rabenseifner's algorithm.
bool exchanges_by(Algorithm algorithm, const CollectiveTraits& traits);

/// True where vectors can go in two halves, each along a tree of its own (carries_halves()).
constexpr bool may_go_in_halves(const CollectiveTraits& traits) {
    return !traits.blocks && (traits.rooted || traits.folds);
}

/// Empty, or why these overrides contradict each other or the collective: an engine or a method that it has
/// not, or the tree engine with a method that is no tree shape.
std::string check(const Overrides& overrides, Collective collective);

/// `stronger`, and what `weaker` says where that is open: the engine, and methods and segments of levels that
/// it does not name. What contradicts a stronger value (check()) is left out.
Overrides merge(Overrides stronger, const Overrides& weaker, Collective collective);

/// What is to be done, as far as all ranks know it alike.
struct Operation {
    Collective collective = Collective::bcast;
    /// Packed bytes: of the vector (Bcast, Reduce, Allreduce), of all blocks together (the others), 0 where
    /// ranks do not know them alike (the v-variants with a root) and for Barrier.
    std::size_t bytes = 0;
    int root = 0;               ///< of the tree; for collectives without one: the top's leader
    bool rank_order = false;    ///< the operator does not commute
    bool reproducible = false;  ///< the order of a reduction must depend on neither size nor leaders
    int lanes = 1;              ///< trees that the hierarchy has network cards for (topology::CardLanes)
    /// Roots for which the same plan is to hold, of a collective that has one: the previous component counts
    /// with the mean over them and `root`, since how often a flat pattern crosses a wide link depends on it.
    std::span<const int> other_roots{};
};

/// Chooses engine, shapes and segment size. Only symmetric inputs. Naming a component, or a pattern that only
/// the levels engine has, selects that engine; the model never does. Every level whose method no rule fixed
/// is a ring under the ring engine. An automatic engine becomes
///  - inside a node: tree where that is predicted at least 15 % faster than the previous component (Bcast:
///    5 %, all others 8 % where the table tells of buses), else forward. Bcast only where ranks share
///    processors (Hierarchy::crowding), for which our own engines would compete, or where the table says
///    nothing of links inside nodes;
///  - between nodes: tree, ring (Allgather, Allreduce; in pieces of at least 4 KiB but among all ranks) or
///    forward, whichever takes least in the geometric mean of these: all is what the table of links says, or,
///    as far as nobody gave its links, the network is eight times narrower, as a whole or on the topmost
///    level, uplinks are as wide as all cards together, the topmost level is 50 times longer, processors are
///    four times slower. Weighed are the trees that are best under each of these except the wide uplinks, and
///    those without the switches below the topmost level that are best for the table and, but for blocks to
///    or from a root, under wide uplinks. Forward where none is at least 5 % faster; of two within 5 % the
///    tree that is best for the table. A root far from its card takes a quarter longer
///    (LinkParameters::far_share) to receive what other nodes send, in a tree, too; where one hop costs less,
///    somebody near receives for it (Plan::near_card), and likewise in a Reduce that need not keep an order;
///  - Gatherv, Scatterv: forward, since the ranks do not know the sizes alike;
///  - a reproducible reduction: tree, everywhere.
/// The lanes engine is chosen by the user only: how far a process uses other cards than the one near it, and
/// how much of a link above the nodes all cards share, are not known. It has one tree (Engine::tree) where
/// there are cards for one only, for reductions that must keep an order, and where short whole vectors are
/// exchanged.
/// Reductions get one segment size for all levels. What has no root exchanges on the topmost level
/// (exchanges_by(), whole vectors elsewhere; blocks of less than 1 MiB in all) where that is predicted
/// faster. An Allreduce has a ring on the topmost level only, and neither that nor an exchange of halves
/// under `rank_order` or `reproducible`; an automatic one between nodes takes the ring as Allgather does.
/// `rank_order`: only shapes that keep it. `reproducible`: binomial trees where no rule says otherwise.
/// Levels inside nodes are skipped where the tree or ring is predicted at least 5 % faster without them
/// (Plan::skipped), unless a rule names them, or an order must be kept. All levels but the topmost one are
/// skipped where a ring, an exchange of halves, a chain or two trees (double_binary) among all ranks are
/// predicted faster by as much, on up to 4,096 ranks that share no processors, where the table says what
/// links inside nodes cost. The previous component (forward_us) is taken to be Open MPI's coll/tuned 4.1. Of
/// machines of more than 64 ranks trees are predicted for the nodes that are served first (thin_out()). For
/// random plans on equal nodes below equal switches that differs from the prediction for all by less than 0.1
/// %, but for Allgather and Gather by 1 % in the mean and 21 % at worst. With nodes of 2 to 6 ranks it is 0.5
/// % (Gather, Scatter) to 4 % (Allreduce, Barrier) in the mean and 29 % at worst, nearly always too long: a
/// small switch that is left out counts as the largest one. Where switches are skipped it is 1 % and 17 %.
/// Throws std::invalid_argument with check()'s message. Cost: O(ranks * depth) per candidate, of which only
/// the ranks that thin_out() leaves count; the number of candidates depends on the number of levels only;
/// O(ranks * (depth + log ranks)) for each forward_us, once O(ranks * depth * log ranks).
Plan make_plan(const topology::Hierarchy& hierarchy, const LinkTable& links, const Overrides& overrides,
               const Operation& operation);

/// Why make_plan() leaves a collective of which the user says nothing to the previous component, whatever the
/// size and the root; null where these matter. Not for reproducible reductions.
const char* left_whatever_size(const topology::Hierarchy& hierarchy, const LinkTable& links,
                               Collective collective);

/// Predicted time in microseconds of `operation` by the tree engine with `plan`, which has a method for every
/// level. A method that is no tree shape counts as the nearest one. Throws std::invalid_argument for an
/// automatic method.
double tree_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links, const Plan& plan,
                    const Operation& operation);

/// Predicted time in microseconds of `operation` by the levels engine with `plan`, which has a method for
/// every level: the messages of every group's collective, in the pipeline that the engine makes of them
/// (cost_levels.h). Empty where a level's component is not known message by message, or the sizes are not
/// known to all ranks. Cost: O(messages of up to 12 segments * (log ranks + depth)).
std::optional<double> levels_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                     const Plan& plan, const Operation& operation);

/// Predicted time in microseconds of `operation` by the previous component: the choices and flat patterns of
/// coll/tuned 4.1 over this rank order, in the mean over all roots given. 0 for operations whose sizes are
/// not known to all ranks.
double forward_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                       const Operation& operation);

}  // namespace strata::algorithms
