#include "block_runs.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "windows.h"

namespace strata::testing {
namespace {

using algorithms::Arena;
using algorithms::Block;
using algorithms::BlockRoutes;
using algorithms::BlockStream;
using algorithms::ChunkDirection;

constexpr std::byte guard{0xEE};
constexpr std::size_t margin = 24;  ///< untouched bytes before the first and behind the last block
constexpr std::size_t impossible_bytes = std::size_t{1} << 60;

std::vector<int> placement_order(const BlockCase& run, Random& random) {
    std::vector<int> order(run.bytes.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); run.placement == BlockPlacement::permuted && i > 1; --i) {
        std::swap(order[i - 1], order[random.below(i)]);
    }
    return order;
}

std::size_t gap(BlockPlacement placement, Random& random) {
    switch (placement) {
        case BlockPlacement::in_order: return 0;
        case BlockPlacement::gaps: return 1 + random.below(20);
        case BlockPlacement::permuted: break;
    }
    return random.percent(50) ? 0 : random.below(20);
}

}  // namespace

std::size_t BlockCase::total() const { return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0}); }

BlockMemory::BlockMemory(const BlockCase& run, int rank, const BlockRoutes& routes)
    : run_(run), rank_(rank), offsets_(run.bytes.size(), 0), blocks_(run.bytes.size()) {
    Random random(static_cast<std::uint64_t>(rank) * 977 + run.bytes.size());
    std::size_t end = margin;
    for (const int block : placement_order(run, random)) {
        if (keeps(block)) {
            offsets_[block] = end;
            end += run.bytes[block] + gap(run.placement, random);
        }
    }
    storage_.resize(end + margin);
    storage_ = image(false);
    for (Block& block : blocks_) {
        block.bytes = impossible_bytes;
    }
    blocks_[rank].bytes = run.bytes[rank];
    for (const auto* side : {&routes.in, &routes.out}) {
        for (const BlockStream& stream : *side) {
            for (const algorithms::BlockRun& blocks : stream.runs) {
                for (int block = blocks.first; block < blocks.first + blocks.count; ++block) {
                    blocks_[block].bytes = run.bytes[block];
                }
            }
        }
    }
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
        // An empty block may have no address at all.
        if (keeps(static_cast<int>(block)) && (run.bytes[block] > 0 || random.percent(50))) {
            blocks_[block].data = storage_.data() + offsets_[block];
        }
    }
}

std::byte BlockMemory::expected(int rank, std::size_t offset) {
    return static_cast<std::byte>(
        (static_cast<std::size_t>(rank) * 89 + offset * 131 + (offset >> 8) * 17 + 7) & 0xFF);
}

bool BlockMemory::keeps(int block) const {
    return block == rank_ || run_.flow == ChunkDirection::all || rank_ == run_.root;
}

bool BlockMemory::holds_at_start(int block) const {
    if (run_.flow == ChunkDirection::from_root) {
        return rank_ == run_.root;
    }
    return block == rank_;
}

/// The expected contents of the buffer before or after the exchange.
std::vector<std::byte> BlockMemory::image(bool after) const {
    std::vector<std::byte> bytes(storage_.size(), guard);
    for (int block = 0; block < static_cast<int>(run_.bytes.size()); ++block) {
        for (std::size_t i = 0; keeps(block) && (after || holds_at_start(block)) && i < run_.bytes[block];
             ++i) {
            bytes[offsets_[block] + i] = expected(block, i);
        }
    }
    return bytes;
}

std::string BlockMemory::verdict() const {
    const std::vector<std::byte> right = image(true);
    const auto [found, wanted] = std::mismatch(storage_.begin(), storage_.end(), right.begin());
    if (found != storage_.end()) {
        const auto place = static_cast<std::size_t>(found - storage_.begin());
        for (int block = 0; block < static_cast<int>(run_.bytes.size()); ++block) {
            if (keeps(block) && place >= offsets_[block] && place < offsets_[block] + run_.bytes[block]) {
                return "byte " + std::to_string(place - offsets_[block]) + " of block " +
                       std::to_string(block) + " is wrong";
            }
        }
        return "a byte outside of all blocks was touched";
    }
    if (blocks_[rank_].bytes > 0 && blocks_[rank_].data != storage_.data() + offsets_[rank_]) {
        return "the rank's own block is in the wrong place";
    }
    return {};
}

std::vector<std::size_t> random_block_bytes(Random& random, int ranks, std::size_t most) {
    std::vector<std::size_t> bytes(static_cast<std::size_t>(ranks), 0);
    const std::size_t kind = random.below(5);
    const std::size_t equal = random.below(most + 1);
    for (std::size_t& size : bytes) {
        switch (kind) {
            case 0:
            case 1: size = equal; break;
            case 2: size = random.below(most + 1); break;
            case 3: size = random.percent(75) ? 0 : random.below(most + 1); break;
            default: size = random.below(most / 20 + 1);
        }
    }
    if (kind == 4) {
        bytes[random.below(bytes.size())] = most * 5;
    }
    return bytes;
}

RoutesOf planned_routes(const BlockCase& run) {
    return [&run](int rank) {
        return algorithms::block_routes(run.hierarchy, run.plan, run.root, rank, run.flow);
    };
}

RunReport run_blocks(const BlockCase& run, const FabricOptions& options, std::deque<Arena>* arenas) {
    return run_blocks(run, options, planned_routes(run), arenas);
}

RunReport run_blocks(const BlockCase& run, const FabricOptions& options, const RoutesOf& routes_of,
                     std::deque<Arena>* arenas) {
    std::mutex mutex;
    std::vector<std::string> faults;
    RunReport report =
        run_ranks(run.hierarchy.ranks(), options, [&](int rank, algorithms::Transport& transport) {
            const BlockRoutes routes = routes_of(rank);
            BlockMemory memory(run, rank, routes);
            Arena own_arena;
            Arena& arena = arenas != nullptr ? (*arenas)[rank] : own_arena;
            const int code = algorithms::complete(
                transport, algorithms::exchange_blocks(transport, routes, memory.blocks(), run.flow, run.root,
                                                       rank, arena, run.plan.window));
            if (arenas != nullptr) {
                arena.reset();
            }
            if (const std::string verdict = code == 0 ? memory.verdict() : ""; !verdict.empty()) {
                const std::lock_guard lock(mutex);
                faults.push_back("rank " + std::to_string(rank) + ": " + verdict);
            }
            return code;
        });
    std::sort(faults.begin(), faults.end());
    report.problems.insert(report.problems.end(), faults.begin(), faults.end());
    return report;
}

std::vector<std::size_t> segments_by_group(const BlockCase& run) {
    std::vector<std::size_t> result;
    for (const topology::Group& group : run.hierarchy.groups) {
        result.push_back(run.plan.at(group.level).segment_bytes);
    }
    return result;
}

std::vector<bool> rings_by_group(const BlockCase& run) {
    std::vector<bool> result;
    for (const topology::Group& group : run.hierarchy.groups) {
        result.push_back(run.plan.at(group.level).method.algorithm == algorithms::Algorithm::ring);
    }
    return result;
}

std::string describe(const BlockCase& run) {
    static const char* const flows[] = {"all", "to root", "from root"};
    static const char* const placements[] = {"in order", "with gaps", "permuted"};
    std::string text =
        std::to_string(run.hierarchy.ranks()) + " ranks, " + std::to_string(run.hierarchy.groups.size()) +
        " groups, blocks " + flows[static_cast<int>(run.flow)] + " " + std::to_string(run.root) + " " +
        placements[static_cast<int>(run.placement)] + ", window " + window_text(run.plan) + ";";
    for (const algorithms::LevelPlan& level : run.plan.levels) {
        text += " [algorithm " + std::to_string(static_cast<int>(level.method.algorithm)) + " radix " +
                std::to_string(level.method.radix) + " segment " + std::to_string(level.segment_bytes) + "]";
    }
    text += "; bytes";
    for (const std::size_t bytes : run.bytes) {
        text += " " + std::to_string(bytes);
    }
    return text;
}

}  // namespace strata::testing
