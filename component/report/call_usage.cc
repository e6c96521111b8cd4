#include "component/report/call_usage.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "algorithms/base/plan_hash.h"
#include "algorithms/report/plan_listing.h"
#include "component/base/process_wide.h"
#include "component/openmpi/messages.h"
#include "topology/fact_hash.h"

namespace strata::component {
namespace {

constexpr std::size_t most_kinds_of_calls = 1000;

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
            place = calls_.emplace(key, describe(call)).first;
            place->second.least_us = us;
        }
        algorithms::CallUse& use = place->second;
        ++use.calls;
        use.least_bytes = std::min(use.least_bytes, call.bytes);
        use.most_bytes = std::max(use.most_bytes, call.bytes);
        use.total_us += us;
        use.least_us = std::min(use.least_us, us);
        use.most_us = std::max(use.most_us, us);
    });
}

void CallUsage::introduce(const char* name, int ranks) {
    ranks_ = ranks;
    name_ = name;
}

algorithms::CommunicatorUse CallUsage::summary(const CommunicatorCounters& counters,
                                               std::size_t memory) const {
    algorithms::CommunicatorUse use{name_, ranks_, counters.setup_us.get(), memory, {}, {}, others_};
    for (std::size_t kind = 0; kind < topology::level_kind_count; ++kind) {
        if (const auto messages = counters.messages[kind].get(); messages > 0) {
            const std::string level(topology::name_of(static_cast<topology::LevelKind>(kind)));
            use.levels.push_back({level, messages, counters.bytes[kind].get()});
        }
    }
    for (const auto& [key, calls] : calls_) {
        use.calls.push_back(calls);
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
