#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "algorithms/base/plan.h"
#include "algorithms/base/transport.h"
#include "algorithms/engines/levels.h"
#include "algorithms/patterns/tree.h"
#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// A buffer that checks how an engine uses it: the offsets of produce() and consume() grow and end at
/// bytes(), and every byte is right when the engine announces it. The root's bytes exist only after
/// produce() asked for them.
class CheckedBuffer : public algorithms::PackedBuffer {
public:
    CheckedBuffer(std::vector<std::byte>& storage, bool is_root);
    int produce(std::size_t end) override;
    int consume(std::size_t end) override;

    /// Makes call number `call` (from 1) of produce() or consume() fail with `code`.
    void fail(int call, int code);
    int calls() const { return calls_; }
    /// Returns the errors found after a broadcast that returned 0; empty when there are none.
    std::string verdict() const;
    static std::byte expected(std::size_t offset);

private:
    bool is_root_;
    int calls_ = 0;
    int failing_call_ = 0;
    int failing_code_ = 0;
    std::size_t announced_ = 0;
    std::string fault_;
};

/// One broadcast to run on all ranks of a hierarchy.
struct BcastCase {
    topology::Hierarchy hierarchy;
    algorithms::Plan plan;
    int root = 0;
    std::size_t bytes = 0;
};

/// The signature of an engine call for the runner.
using Engine = std::function<int(int rank, algorithms::Transport&, algorithms::PackedBuffer&)>;

/// Runs `engine` on every rank with a checked buffer; adds wrong data to the report's problems.
RunReport run_engine(const BcastCase& bcast, const FabricOptions& options, const Engine& engine);
/// bcast_tree() with its own memory.
int run_tree(const algorithms::TreeLinks& links, algorithms::Transport& transport,
             algorithms::PackedBuffer& buffer, int window);
/// bcast_tree() with the plan's links, on every rank.
RunReport run_tree(const BcastCase& bcast, const FabricOptions& options);
/// LinearLevels::bcast().
RunReport run_levels(const BcastCase& bcast, const FabricOptions& options, std::size_t segment_bytes,
                     bool blocking);

/// Segment size by group, for the byte oracle.
std::vector<std::size_t> segments_by_group(const BcastCase& bcast);
/// Describes the case for failure messages.
std::string describe(const BcastCase& bcast);

}  // namespace strata::testing
