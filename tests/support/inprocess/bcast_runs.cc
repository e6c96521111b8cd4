#include "bcast_runs.h"

#include <mutex>

#include "algorithms/engines/bcast_tree.h"
#include "algorithms/engines/levels.h"
#include "linear_levels.h"
#include "windows.h"

namespace strata::testing {

CheckedBuffer::CheckedBuffer(std::vector<std::byte>& storage, bool is_root)
    : PackedBuffer(storage.data(), storage.size()), is_root_(is_root) {}

std::byte CheckedBuffer::expected(std::size_t offset) {
    return static_cast<std::byte>((offset * 131 + (offset >> 8) * 17 + 7) & 0xFF);
}

int CheckedBuffer::produce(std::size_t end) {
    if (++calls_ == failing_call_) {
        return failing_code_;
    }
    if (!is_root_ || end <= announced_ || end > bytes()) {
        fault_ = "produce(" + std::to_string(end) + ") after " + std::to_string(announced_);
        return 0;
    }
    for (; announced_ < end; ++announced_) {
        data_[announced_] = expected(announced_);
    }
    return 0;
}

int CheckedBuffer::consume(std::size_t end) {
    if (++calls_ == failing_call_) {
        return failing_code_;
    }
    if (is_root_ || end <= announced_ || end > bytes()) {
        fault_ = "consume(" + std::to_string(end) + ") after " + std::to_string(announced_);
        return 0;
    }
    for (; announced_ < end; ++announced_) {
        if (data_[announced_] != expected(announced_)) {
            fault_ = "byte " + std::to_string(announced_) + " was announced but is wrong";
        }
    }
    return 0;
}

void CheckedBuffer::fail(int call, int code) {
    failing_call_ = call;
    failing_code_ = code;
}

std::string CheckedBuffer::verdict() const {
    if (!fault_.empty()) {
        return fault_;
    }
    if (announced_ != bytes()) {
        return std::to_string(announced_) + " of " + std::to_string(bytes()) + " bytes were announced";
    }
    for (std::size_t offset = 0; offset < bytes(); ++offset) {
        if (data_[offset] != expected(offset)) {
            return "byte " + std::to_string(offset) + " is wrong at the end";
        }
    }
    return {};
}

RunReport run_engine(const BcastCase& bcast, const FabricOptions& options, const Engine& engine) {
    std::mutex mutex;
    std::vector<std::string> faults;
    RunReport report =
        run_ranks(bcast.hierarchy.ranks(), options, [&](int rank, algorithms::Transport& transport) {
            std::vector<std::byte> storage(bcast.bytes, std::byte{0xEE});
            CheckedBuffer buffer(storage, rank == bcast.root);
            const int code = engine(rank, transport, buffer);
            if (const std::string verdict = buffer.verdict(); code == 0 && !verdict.empty()) {
                const std::lock_guard lock(mutex);
                faults.push_back("rank " + std::to_string(rank) + ": " + verdict);
            }
            return code;
        });
    report.problems.insert(report.problems.end(), faults.begin(), faults.end());
    return report;
}

int run_tree(const algorithms::TreeLinks& links, algorithms::Transport& transport,
             algorithms::PackedBuffer& buffer, int window) {
    algorithms::Arena arena;
    return algorithms::complete(transport, algorithms::bcast_tree(transport, links, buffer, arena, window));
}

RunReport run_tree(const BcastCase& bcast, const FabricOptions& options) {
    return run_engine(bcast, options,
                      [&](int rank, algorithms::Transport& transport, algorithms::PackedBuffer& buffer) {
                          const algorithms::TreeLinks links =
                              algorithms::tree_links(bcast.hierarchy, bcast.plan, bcast.root, rank);
                          return run_tree(links, transport, buffer, bcast.plan.window);
                      });
}

RunReport run_levels(const BcastCase& bcast, const FabricOptions& options, std::size_t segment_bytes,
                     bool blocking) {
    return run_engine(bcast, options,
                      [&](int rank, algorithms::Transport& transport, algorithms::PackedBuffer& buffer) {
                          LinearLevels levels(transport, bcast.hierarchy, bcast.root, rank, buffer, blocking);
                          const int code = levels.bcast(segment_bytes);
                          return code != 0 || levels.misuses() == 0 ? code : static_cast<int>(code_misuse);
                      });
}

std::vector<std::size_t> segments_by_group(const BcastCase& bcast) {
    std::vector<std::size_t> result;
    for (const topology::Group& group : bcast.hierarchy.groups) {
        for (const algorithms::LevelPlan& level : bcast.plan.levels) {
            if (level.level == group.level) {
                result.push_back(level.segment_bytes);
            }
        }
    }
    return result;
}

std::string describe(const BcastCase& bcast) {
    std::string text = std::to_string(bcast.hierarchy.ranks()) + " ranks, " +
                       std::to_string(bcast.hierarchy.groups.size()) + " groups, root " +
                       std::to_string(bcast.root) + ", " + std::to_string(bcast.bytes) + " bytes, window " +
                       window_text(bcast.plan) + ";";
    for (const algorithms::LevelPlan& level : bcast.plan.levels) {
        text += " [algorithm " + std::to_string(static_cast<int>(level.method.algorithm)) + " radix " +
                std::to_string(level.method.radix) + " segment " + std::to_string(level.segment_bytes) + "]";
    }
    return text;
}

}  // namespace strata::testing
