#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/base/plan.h"
#include "algorithms/report/plan_listing.h"
#include "algorithms/report/usage.h"
#include "component/base/request.h"
#include "component/report/communicator_counters.h"

namespace strata::component {

/// The path and the time of calls on one communicator, measured on this rank. Kept only on the process that
/// writes `coll_strata_dump`.
class CallUsage {
public:
    /// `rules_file`: of the communicator's settings.
    explicit CallUsage(std::string rules_file) : rules_file_(std::move(rules_file)) {}

    /// Called with the first call, while the communicator is intact.
    void introduce(const char* name, int ranks);

    /// One call: its `plan`, if any, and why it was passed through (`against`), if it was.
    struct Call {
        Collective collective;
        std::size_t bytes = 0;
        int root = 0;
        const algorithms::Plan* plan = nullptr;
        std::optional<ForwardReason> against;
    };
    void add(const Call& call, double us) noexcept;

    /// Returns the whole record; the kinds of calls that took most time come first. `bound_of` may be empty.
    algorithms::CommunicatorUse summary(const CommunicatorCounters& counters, std::size_t memory,
                                        const algorithms::BoundOf& bound_of) const;

private:
    /// Calls with a common path.
    struct Kind {
        Collective collective;
        algorithms::CallUse use;
        std::set<int> roots;  ///< at most one more than `most_roots`
        double bound_us(const algorithms::BoundOf& bound_of) const;
    };
    static std::uint64_t key_of(const Call& call);
    algorithms::CallUse describe(const Call& call) const;

    std::string rules_file_;
    std::string name_;
    int ranks_ = 0;
    std::unordered_map<std::uint64_t, Kind> calls_;
    std::uint64_t others_ = 0;  ///< calls beyond the limit of kinds
};

/// Measures one call from the choice of its path to its end, so without set-up and planning. Does nothing
/// without `usage`.
class CallMeter {
public:
    CallMeter(CallUsage* usage, Collective collective)
        : usage_(usage), call_{collective, 0, 0, nullptr, {}} {}
    CallMeter(const CallMeter&) = delete;
    CallMeter& operator=(const CallMeter&) = delete;
    ~CallMeter() {
        if (usage_ != nullptr && (call_.plan != nullptr || call_.against)) {
            usage_->add(
                call_,
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_).count());
        }
    }

    void is(const algorithms::Operation& operation) {
        call_.bytes = operation.bytes;
        call_.root = operation.root;
    }
    void uses_plan(const algorithms::Plan& plan) {
        call_.plan = &plan;
        begin();
    }
    void is_passed(ForwardReason reason) {
        call_.against = reason;
        begin();
    }

private:
    void begin() {
        if (usage_ != nullptr) {
            start_ = std::chrono::steady_clock::now();
        }
    }

    CallUsage* usage_;
    CallUsage::Call call_;
    std::chrono::steady_clock::time_point start_;
};

/// The records of ended communicators, for the end of the job: those with the most time in calls.
class JobUsage {
public:
    static constexpr std::size_t most_communicators = 64;
    /// Adds a record; ignores one without calls.
    void add(algorithms::CommunicatorUse use);
    /// Returns and removes all records.
    algorithms::JobUse take();

private:
    std::mutex mutex_;
    algorithms::JobUse use_;
};
JobUsage& job_usage();

}  // namespace strata::component
