#pragma once
#include <chrono>

#include "component/report/communicator_counters.h"

namespace strata::component {

/// Adds its lifetime to the set-up times of a communicator and of the process. A nested one on the same
/// communicator does nothing.
class SetupMeter {
public:
    explicit SetupMeter(CommunicatorCounters& own) : own_(own), outermost_(!own.is_setting_up) {
        own.is_setting_up = true;
    }
    SetupMeter(const SetupMeter&) = delete;
    SetupMeter& operator=(const SetupMeter&) = delete;
    ~SetupMeter() {
        if (!outermost_) {
            return;
        }
        own_.is_setting_up = false;
        const auto spent =
            std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start_);
        const auto us = static_cast<std::uint64_t>(spent.count());
        counters().setup_us.add(us);
        own_.setup_us.add(us);
    }

private:
    CommunicatorCounters& own_;
    bool outermost_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace strata::component
