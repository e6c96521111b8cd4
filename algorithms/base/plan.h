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

/// `ring` and `rails` are the tree engine with one part exchanged: on levels with more than two participants
/// a ring in the order of the hardware, or one tree per NIC for a share of the data each.
enum class Engine : std::uint8_t { automatic, tree, levels, ring, rails, forward };

std::span<const Engine> all_engines();
std::string_view name_of(Engine engine);
std::optional<Engine> engine_from_name(std::string_view name);
std::string known_engine_names();

/// Messages in flight per edge where nobody says otherwise: one is sent, one received, one waits at either
/// end.
inline constexpr int default_window = 4;

/// What every group of one level does. Groups of the same level differ in size, never in method.
struct LevelPlan {
    topology::LevelKey level;
    LevelMethod method;
    std::size_t segment_bytes = 0;  ///< of packed data, per message; 0 = the whole message
    bool operator==(const LevelPlan&) const = default;
};

/// Where the values of a LevelPlan come from.
struct LevelSources {
    Source method;
    Source segment;
    bool operator==(const LevelSources&) const = default;
};

/// How one operation of one size class is done. Made from facts equal on all ranks only.
struct Plan {
    Engine engine = Engine::forward;
    /// One per level of the hierarchy that is not skipped, topmost first. Reductions, and the levels engine,
    /// cut all messages to one size, that of the topmost level: every entry then carries it. A topmost level
    /// that exchanges vectors leaves all others whole. Reductions have a ring on the topmost level only
    /// (ring_links()). A forward plan's methods are automatic where no rule fixed them; levels that a rule
    /// skips are not among them.
    std::vector<LevelPlan> levels;
    std::vector<LevelSources> sources;  ///< of make_plan(): one per level
    /// Levels whose groups do nothing of their own: their participants take part in the group around them.
    /// Never the topmost one; where `nic_local`, none by which nodes stand apart.
    std::vector<topology::LevelKey> skipped;
    std::vector<Source> skipped_sources;  ///< of make_plan(): one per skipped level
    Source engine_source;                 ///< who asked for the engine; `reason` tells where it got another
    int window = default_window;          ///< messages in flight per edge of the tree
    /// Between nodes as many messages as these bytes hold, where that is more than `window`: what a long link
    /// holds must be under way before the first acknowledgement comes back. 0: nowhere.
    std::size_t network_window_bytes = 0;
    /// What other nodes send to the root enters its node at Hierarchy::receiver_of(root), which hands it on
    /// (Gather, Reduce).
    bool nic_local = false;
    int rails = 1;  ///< trees at the same time; more than one for the rails engine only
    /// Of the chosen engine; of rails: as if one tree carried everything. 0: not known, because a level is
    /// left to a component without a model, or the sizes are not known to all ranks.
    double predicted_us = 0;
    /// Of the underlying component; 0: the sizes are not known to all ranks.
    double forward_us = 0;
    std::string reason;  ///< why this engine, in a few words

    /// The plan of a level; throws std::out_of_range for one that the hierarchy has not, or that is skipped.
    const LevelPlan& at(topology::LevelKey level) const;
};

/// Bytes of the heap that its lists and texts take.
std::size_t heap_bytes(const Plan& plan);

/// True for methods by which the tree engine's topmost level exchanges pairwise instead of forming a tree:
/// whole vectors (recursive_doubling, exchange_links()), all blocks that they have (the same,
/// block_routes()), or halves (rabenseifner, halving_links()).
bool is_exchange(const LevelMethod& method);
bool exchanges_on_top(const Plan& plan);
bool halves_on_top(const Plan& plan);

/// True where every vector goes in two halves, each along a tree of its own, because some level has such a
/// shape (AlgorithmInfo::halves). Of plans whose topmost level exchanges or is a ring, and of collectives of
/// blocks, these levels have one tree.
bool carries_halves(const Plan& plan);

}  // namespace strata::algorithms
