#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/base/plan.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

enum class BlockFlow : std::uint8_t {
    all,        ///< every rank's block to every rank (Allgather)
    to_root,    ///< Gather
    from_root,  ///< Scatter
};

/// The blocks of ranks first..first+count-1.
struct BlockRun {
    int first = 0;
    int count = 0;
    bool operator==(const BlockRun&) const = default;
};

/// What one edge carries in one direction: these blocks, in this order. Both ends know the same stream. Its
/// pieces, one where nothing is cut, are each divided into messages of `segment_bytes` (0: one message)
/// whatever blocks they hold: short blocks share a message, long ones take several.
struct BlockStream {
    int peer = -1;
    std::vector<BlockRun> runs;  ///< what lies one behind the other in rank order is one step of work
    std::size_t segment_bytes = 0;
    std::vector<std::size_t> cuts = {};  ///< runs, ascending and without the first, that begin another piece
    int rail = 0;                        ///< of the transport; a peer has one stream per rail and direction
    int window = 0;                      ///< messages in flight, where more than on other edges
};

/// One rank's streams: over the undirected tree of tree_links() towards the root first, then the children,
/// widest level first, so that of BlockFlow::all both lists have the same peers. A ring (BlockFlow::all only)
/// stands in its level's place: its predecessor in the one list, its successor in the other. So do those with
/// which a rank exchanges by recursive doubling.
struct BlockRoutes {
    std::vector<BlockStream> in;
    std::vector<BlockStream> out;
    bool in_ring = false;
    bool doubles = false;  ///< takes part in recursive doubling
    int rails = 1;  ///< more than one: several trees, each with some of the blocks (rail_block_routes())
};

/// The streams of `rank`. Groups for which makes_ring() holds, their participants in the order of
/// shape_members(), are rings; what follows is how a ring is told from a tree:
/// * its edges are directed. One carries everything but the blocks behind its receiver, and where the
///   receiver stands for the group, which gets the others' blocks from outside, only the group's own ones.
///   What leaves a connection is so as much as what enters it; inner members of a chain send every block of
///   their own twice.
/// * its streams are cut: the blocks behind the sender, those behind its predecessor and so on, at last all
///   that come from outside, are pieces of their own. A message of one of the group's pieces waits for just
///   one message of the edge before, or for messages from deeper levels; what comes from outside follows.
///
/// Where the topmost level exchanges (exchanges_on_top(), BlockFlow::all only) its local roots, the groups'
/// leaders whatever the root, do so by recursive doubling: k of them, a power of two, send (k-1)/k of all
/// blocks each in log2 k rounds, far away first, so that what is longest stays near (halving_places()).
/// Whoever has no place there sends all behind it to its partner, and gets the rest from there. In a round's
/// stream, and in those that go down, blocks stand in the order of the rounds that have brought them.
///
/// In trees a block crosses every edge on its way once and no other; everywhere it comes to every rank once.
/// The order of a tree's stream:
/// * all, to_root: in about the order in which blocks arrive at the sender. Its own block, then the others
///   by the deepest group that they share with it, which tells how slow a link they have crossed; within a
///   group one block of each edge in turn. A slow edge has work from the start, and a fast one never waits
///   for what comes over a slow one while it could carry anything else.
/// * from_root: what has the longest way to go comes first. The receiver's subtree: what is behind its edges
///   of wide levels, of one level the largest subtree first, each subtree in one piece, and its own block
///   last. This is Gather backwards, but not in turn: no edge onwards is slower than the one that feeds it.
/// * Segment size 0: by rank. All goes in one message, so that no block can wait for another.
/// Cost: O(ranks * (depth + log(ranks) + neighbours)) time, O(ranks * neighbours) memory; the answer is to
/// be kept.
BlockRoutes block_routes(const topology::Hierarchy& hierarchy, const Plan& plan, int root, int rank,
                         BlockFlow flow);

}  // namespace strata::algorithms
