#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/algorithm.h"
#include "algorithms/base/source.h"
#include "topology/level.h"

namespace strata::algorithms {

/// `ring` and `rails` are the tree engine with one part replaced: a ring in topology order on levels with
/// more than two participants, or one tree per NIC, each for a share of the data. `node` sends no messages:
/// its ranks read each other's data in memory that they share.
enum class Engine : std::uint8_t { automatic, tree, levels, ring, rails, forward, node };

std::span<const Engine> all_engines();
std::string_view name_of(Engine engine);
std::optional<Engine> engine_from_name(std::string_view name);
std::string known_engine_names();

/// Default number of messages in flight per edge: one is sent, one received, one waits at either end.
inline constexpr int default_window = 4;

/// What every group of one level does. Groups of the same level differ in size, never in method.
struct LevelPlan {
    topology::LevelKey level;
    LevelMethod method;
    std::size_t segment_bytes = 0;  ///< of packed data, per message; 0 = whole message
    bool operator==(const LevelPlan&) const = default;
};

/// The sources of the values of a LevelPlan.
struct LevelSources {
    Source method;
    Source segment;
    bool operator==(const LevelSources&) const = default;
};

/// How one operation of one size class runs. Made only from facts that are equal on all ranks.
struct Plan {
    Engine engine = Engine::forward;
    /// One per level of the hierarchy that is not skipped, topmost first. Reductions and the levels engine
    /// cut all messages to the segment size of the topmost level, which every entry then has. If the
    /// topmost level exchanges vectors, the other levels send whole messages. Reductions have a ring on the
    /// topmost level only (ring_links()). The methods of a forward plan are automatic unless a rule fixed
    /// them; it lacks levels that a rule skips.
    std::vector<LevelPlan> levels;
    std::vector<LevelSources> sources;  ///< from make_plan(): one per level
    /// Levels whose groups have no step of their own: their participants take part in the group around
    /// them. Never the topmost level; with `nic_local`, not the level that separates nodes.
    std::vector<topology::LevelKey> skipped;
    std::vector<Source> skipped_sources;  ///< from make_plan(): one per skipped level
    Source engine_source;                 ///< source of the wanted engine; `reason` explains another one
    int window = default_window;          ///< messages in flight per edge of the tree
    /// Between nodes as many messages as these bytes hold, if that is more than `window`: a long link must
    /// be full before the first acknowledgement comes back. 0: not used.
    std::size_t network_window_bytes = 0;
    /// Hierarchy::receiver_of(root) receives the data of other nodes for the root (Gather, Reduce), or sends
    /// the root's data to other nodes (Bcast).
    bool nic_local = false;
    int rails = 1;  ///< number of trees at the same time; more than one for the rails engine only
    /// Predicted time of the chosen engine; for rails, as if one tree carried everything. 0: unknown,
    /// because a component without a model carries out a level, or because not all ranks know the sizes.
    double predicted_us = 0;
    /// Predicted time of the underlying component; 0: not all ranks know the sizes.
    double forward_us = 0;
    std::string reason;  ///< why this engine, in a few words

    /// Returns the plan of a level. Throws std::out_of_range for one that is skipped or not in the
    /// hierarchy.
    const LevelPlan& at(topology::LevelKey level) const;
};

/// Returns the bytes of the heap that its lists and texts take.
std::size_t heap_bytes(const Plan& plan);

/// Returns true for methods by which the tree engine's topmost level exchanges pairwise instead of forming
/// a tree: whole vectors or blocks (recursive_doubling; exchange_links(), block_routes()), or
/// reduce-scatter + allgather (rabenseifner; halving_links()).
bool is_exchange(const LevelMethod& method);
bool exchanges_on_top(const Plan& plan);
bool halving_on_top(const Plan& plan);

/// Returns true if every vector goes along a double tree, one half along each tree, because some level has
/// such a shape (AlgorithmInfo::double_tree). If the topmost level exchanges or is a ring, and in collectives
/// of blocks, these levels have one tree.
bool has_double_tree(const Plan& plan);

}  // namespace strata::algorithms
