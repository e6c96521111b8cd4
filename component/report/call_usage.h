#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/base/plan.h"
#include "algorithms/report/usage.h"
#include "component/base/request.h"
#include "component/report/communicator_counters.h"

namespace strata::component {

/// What became of the calls on one communicator, and how long they took on this rank. Kept only where
/// somebody will read it: where `coll_strata_dump` is written.
class CallUsage {
public:
    /// `rules_file`: of the communicator's settings.
    explicit CallUsage(std::string rules_file) : rules_file_(std::move(rules_file)) {}

    /// With the first call, as long as the communicator is whole.
    void introduce(const char* name, int ranks);

    /// One call: `plan`, where one was made, and `against`, where it was left to the underlying component.
    struct Call {
        Collective collective;
        std::size_t bytes = 0;
        const algorithms::Plan* plan = nullptr;
        std::optional<ForwardReason> against;
    };
    void add(const Call& call, double us) noexcept;

    /// All that there is to tell; of calls those first that took most time.
    algorithms::CommunicatorUse summary(const CommunicatorCounters& counters, std::size_t memory) const;

private:
    static std::uint64_t key_of(const Call& call);
    algorithms::CallUse describe(const Call& call) const;

    std::string rules_file_;
    std::string name_;
    int ranks_ = 0;
    std::unordered_map<std::uint64_t, algorithms::CallUse> calls_;
    std::uint64_t others_ = 0;  ///< calls of more kinds than are told
};

/// Measures one call from when its way is known, so without set-up and planning, to its end. Without `usage`
/// it does nothing.
class CallMeter {
public:
    CallMeter(CallUsage* usage, Collective collective) : usage_(usage), call_{collective, 0, nullptr, {}} {}
    CallMeter(const CallMeter&) = delete;
    CallMeter& operator=(const CallMeter&) = delete;
    ~CallMeter() {
        if (usage_ != nullptr && (call_.plan != nullptr || call_.against)) {
            usage_->add(
                call_,
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_).count());
        }
    }

    void has(std::size_t bytes) { call_.bytes = bytes; }
    void goes_by(const algorithms::Plan& plan) {
        call_.plan = &plan;
        begin();
    }
    void is_left(ForwardReason reason) {
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

/// What communicators say of themselves at their end, for the end of the job; of those on which most time was
/// spent.
class JobUsage {
public:
    static constexpr std::size_t most_communicators = 64;
    /// Unless nothing was called on it.
    void add(algorithms::CommunicatorUse use);
    /// All so far, once.
    algorithms::JobUse take();

private:
    std::mutex mutex_;
    algorithms::JobUse use_;
};
JobUsage& job_usage();

}  // namespace strata::component
