#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "holdings.h"
#include "plugin_counters.h"

namespace strata::testing {

/// Requirements on a run.
struct Wanted {
    bool flat_time = false;  ///< check the time; for a quiet machine
    bool keeps = false;      ///< every step keeps a communicator and its resources
    int threads = 1;
    std::int64_t served = -1;  ///< lowest percentage of calls by the plugin's engines; -1: any
};

/// Measures and judges a run in ten tenths.
class Run {
public:
    Run(Session& session, std::int64_t steps, const Wanted& wanted);

    /// `some(first, count)` makes steps and returns how many calls they made on more than one rank.
    void measure(const std::function<std::uint64_t(std::uint64_t, std::uint64_t)>& some);
    void judge() const;

private:
    struct Tenth {
        double us = 0;  ///< us per step on the slowest rank
        Holdings held{};
    };
    /// Counts of this process's calls of the plugin's collectives.
    struct Service {
        std::uint64_t by_plugin = 0;
        std::uint64_t left = 0;
        std::uint64_t lost = 0;  ///< passed through because the plugin was not ready or failed
    };
    Service service_of(const PluginCounters& counters) const;
    Service service() const;
    void sabotage(int part);
    void tell(int part) const;
    void judge_service(std::uint64_t calls);
    void judge_memory(Holding what, std::int64_t most_growth) const;
    void judge_count(Holding what) const;

    Session& session_;
    std::int64_t steps_;  ///< steps per tenth
    Wanted wanted_;
    std::unique_ptr<PluginCounters> of_all_;  ///< unless `served` is -1
    std::unique_ptr<PluginCounters> of_world_;
    Service before_;
    std::vector<Tenth> parts_;
    std::vector<std::vector<char>> leaked_;
};

}  // namespace strata::testing
