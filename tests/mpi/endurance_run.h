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

/// What a run has to show.
struct Wanted {
    bool flat_time = false;  ///< for a quiet machine
    bool keeps = false;      ///< every step keeps a communicator, and what belongs to it
    int threads = 1;
    std::int64_t served = -1;  ///< percent of the calls, at least, by the plugin's engines; -1: not asked
};

/// Ten tenths of a run, measured and judged.
class Run {
public:
    Run(Session& session, std::int64_t steps, const Wanted& wanted);

    /// `some(first, count)` makes steps, and returns how many calls they made on several ranks.
    void measure(const std::function<std::uint64_t(std::uint64_t, std::uint64_t)>& some);
    void judge() const;

private:
    struct Tenth {
        double us = 0;  ///< per step, of the slowest rank
        Holdings held{};
    };
    /// Calls of the plugin's collectives by this process.
    struct Service {
        std::uint64_t by_plugin = 0;
        std::uint64_t left = 0;
        std::uint64_t lost = 0;  ///< of those left: because it was not ready, or could not
    };
    static Service service_of(const std::map<std::string, std::uint64_t>& counters);
    Service service() const;
    void sabotage(int part);
    void tell(int part) const;
    void judge_service(std::uint64_t calls);
    void judge_memory(Holding what, std::int64_t most_growth) const;
    void judge_count(Holding what) const;

    Session& session_;
    std::int64_t steps_;  ///< of a tenth
    Wanted wanted_;
    std::unique_ptr<PluginCounters> of_all_;  ///< unless nothing is asked of the service
    std::unique_ptr<PluginCounters> of_world_;
    Service before_;
    std::vector<Tenth> parts_;
    std::vector<std::vector<char>> leaked_;
};

}  // namespace strata::testing
