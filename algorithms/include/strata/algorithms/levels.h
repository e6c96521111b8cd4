#pragma once
#include <cstddef>
#include <vector>

#include "strata/algorithms/algorithm.h"
#include "strata/algorithms/collective.h"
#include "strata/topology/hierarchy.h"

namespace strata::algorithms {

/// What the groups of the levels engine are asked to do for a collective. A level's method has to know one of
/// these tasks by its name; the others on that level are done by a default.
struct CollectiveTasks {
    LevelTasks topmost;
    LevelTasks below;
};
CollectiveTasks tasks_of(Collective collective);

enum class LevelRole : std::uint8_t {
    up,      ///< towards whoever stands for the group
    across,  ///< among all participants: the topmost level of collectives without a root
    down,    ///< from whoever stands for the group
};

/// One level's part in a collective, all of its groups at the same time.
struct LevelStage {
    int level = 0;  ///< 0 = topmost
    LevelRole role = LevelRole::down;
};

/// The stages of a collective over `levels` levels in the order in which data passes them: up from the
/// deepest level, across the topmost one, down again; for a rooted collective just one of the ways.
class LevelStages {
public:
    LevelStages(const CollectiveTraits& traits, int levels)
        : up_(traits.up), down_(traits.down), levels_(levels) {}
    int count() const { return up_ && down_ ? 2 * levels_ - 1 : levels_; }
    LevelStage operator[](int index) const;

private:
    bool up_;
    bool down_;
    int levels_;
};

/// Whole-level delegation: what one rank does on the levels in whose groups it takes part, by somebody else's
/// collectives. At most one unfinished segment per stage. Codes as in Transport.
class LevelWork {
public:
    virtual ~LevelWork() = default;
    virtual bool takes_part(const LevelStage& stage) const = 0;
    /// Starts the stage for [begin, end) of the data; may complete it (a blocking algorithm).
    virtual int start(const LevelStage& stage, std::size_t begin, std::size_t end) = 0;
    /// Finishes what start() began on this stage.
    virtual int finish(const LevelStage& stage) = 0;
    /// [0, end) has come down to this rank, and whatever it allows has been started.
    virtual int received(std::size_t /*end*/) { return 0; }
    /// Gives up everything unfinished after an error.
    virtual void abandon() noexcept = 0;
};

/// Runs stages [first, last), pipelined: in step t stage s carries segment t - (s - first), so that up to
/// last - first segments are under way. `segment` (of `total`, any unit) 0: one segment. All ranks walk the
/// same (step, stage) order, which excludes circular waits. Returns 0 or the first error, after abandon(); so
/// does an exception of `work` pass through.
/// Source: seed papers, multilevel broadcast (figure 5) with the pipeline that they leave open.
int run_levels(LevelWork& work, const LevelStages& stages, int first, int last, std::size_t total,
               std::size_t segment);

/// The blocks of ranks as the levels engine moves them: in one order in which the ranks of every group lie
/// one behind the other.
struct LevelBlocks {
    /// The blocks at places first..first+count-1, one participant's share of a group.
    struct Part {
        int first = 0;
        int count = 0;
        bool operator==(const Part&) const = default;
    };
    std::vector<int> order;                ///< place -> rank
    std::vector<std::vector<Part>> parts;  ///< by level: the participants of this rank's group by ascending
                                           ///< rank; empty where it takes no part
};
/// Cost: O(ranks * depth * log(ranks)).
LevelBlocks level_blocks(const topology::Hierarchy& hierarchy, int root, int rank);

/// The group of this level in which `rank` takes part, or -1; its participants() by ascending rank, and the
/// one that stands for the group.
int level_group(const topology::Hierarchy& hierarchy, int level, int rank, int root,
                std::vector<int>& members, int& stand_in);

}  // namespace strata::algorithms
