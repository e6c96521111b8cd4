#include "component/report/call_usage.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "algorithms/base/plan_hash.h"
#include "component/base/process_wide.h"
#include "component/openmpi/messages.h"
#include "topology/fact_hash.h"

namespace strata::component {
namespace {

constexpr std::size_t most_kinds_of_calls = 1000;
constexpr std::size_t most_roots = 64;  // of a kind of calls with a bound

}  // namespace

/// Calls of one kind have the same collective, plan, reason, and power of two of bytes.
std::uint64_t CallUsage::key_of(const Call& call) {
    topology::FactHash hash;
    hash.add(static_cast<int>(call.collective)).add(std::bit_width(call.bytes));
    hash.add(static_cast<int>(call.against.value_or(ForwardReason::count)));
    hash.add(call.plan != nullptr ? algorithms::hash_of(*call.plan) : 0);
    return hash.value();
}

algorithms::CallUse CallUsage::describe(const Call& call) const {
    algorithms::CallUse use;
    use.collective = algorithms::name_of(call.collective);
    use.least_bytes = call.bytes;
    const bool left = call.against.has_value();
    if (call.plan != nullptr) {
        use.path = algorithms::name_of(call.plan->engine);
        use.levels = algorithms::levels_text(*call.plan, call.bytes);
        use.why = call.plan->reason;
        use.sources = algorithms::sources_text(*call.plan, call.collective, rules_file_);
        use.predicted_us = left ? call.plan->forward_us : call.plan->predicted_us;
        use.forward_us = call.plan->forward_us;
    } else {
        use.path = algorithms::name_of(algorithms::Engine::forward);
        use.why = explanation(*call.against);
    }
    return use;
}

void CallUsage::add(const Call& call, double us) noexcept {
    try_to([&] {
        const std::uint64_t key = key_of(call);
        auto place = calls_.find(key);
        if (place == calls_.end()) {
            if (calls_.size() == most_kinds_of_calls) {
                ++others_;
                return;
            }
            place = calls_.emplace(key, Kind{call.collective, describe(call), {}}).first;
            place->second.use.least_us = us;
        }
        Kind& kind = place->second;
        if (kind.roots.size() <= most_roots) kind.roots.insert(call.root);
        algorithms::CallUse& use = kind.use;
        ++use.calls;
        use.least_bytes = std::min(use.least_bytes, call.bytes);
        use.most_bytes = std::max(use.most_bytes, call.bytes);
        use.total_us += us;
        use.least_us = std::min(use.least_us, us);
        use.most_us = std::max(use.most_us, us);
    });
}

/// Returns the least bound of all calls: that of the shortest one, from the root where it is least; 0:
/// unknown.
double CallUsage::Kind::bound_us(const algorithms::BoundOf& bound_of) const {
    if (!bound_of || roots.size() > most_roots) return 0;
    double least = bound_of({collective, use.least_bytes, *roots.begin()});
    for (const int root : roots) least = std::min(least, bound_of({collective, use.least_bytes, root}));
    return least;
}

void CallUsage::introduce(const char* name, int ranks) {
    ranks_ = ranks;
    name_ = name;
}

algorithms::CommunicatorUse CallUsage::summary(const CommunicatorCounters& counters, std::size_t memory,
                                               const algorithms::BoundOf& bound_of) const {
    algorithms::CommunicatorUse use{name_, ranks_, counters.setup_us.get(), memory, {}, {}, others_};
    for (std::size_t kind = 0; kind < topology::level_kind_count; ++kind) {
        if (const auto messages = counters.messages[kind].get(); messages > 0) {
            const std::string level(topology::name_of(static_cast<topology::LevelKind>(kind)));
            use.levels.push_back({level, messages, counters.bytes[kind].get()});
        }
    }
    for (const auto& [key, kind] : calls_) {
        use.calls.push_back(kind.use);
        use.calls.back().bound_us = kind.bound_us(bound_of);
    }
    std::sort(use.calls.begin(), use.calls.end(),
              [](const auto& a, const auto& b) { return a.total_us > b.total_us; });
    return use;
}

void JobUsage::add(algorithms::CommunicatorUse use) {
    const auto less = [](const auto& a, const auto& b) { return a.total_us() < b.total_us(); };
    if (use.calls.empty()) {
        return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& kept = use_.communicators;
    kept.push_back(std::move(use));
    if (kept.size() > most_communicators) {
        kept.erase(std::min_element(kept.begin(), kept.end(), less));
        ++use_.others;
    }
}

algorithms::JobUse JobUsage::take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(use_, {});
}

JobUsage& job_usage() {
    static ProcessWide<JobUsage> all;
    return all.get();
}

}  // namespace strata::component
