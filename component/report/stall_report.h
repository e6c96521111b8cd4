#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "algorithms/base/operation.h"
#include "algorithms/node/boards.h"
#include "component/openmpi/ompi_compat.h"
#include "component/report/communicator_counters.h"

namespace strata::component {

/// Reports calls that wait longer than `seconds`, twice as long, four times as long, and so on
/// (coll_strata_stall_report). A debugger shows messages that are missing, but not the flags in shared memory
/// that a call waits for. Open MPI's progress calls a function of this file from then on. 0: no reports.
void start_stall_reports(int seconds);
void stop_stall_reports() noexcept;

/// A running call, on the stack of the thread that waits for it. Does nothing without reports.
class WatchedCall {
public:
    /// `stage`: what the call is doing. `boards`: of the node engine; null: it waits for messages. All
    /// arguments outlive it.
    WatchedCall(ompi_communicator_t* comm, const algorithms::Operation& operation, std::string_view stage,
                const CommunicatorCounters& counters, const algorithms::Boards* boards)
        : is_watched_(first_report > std::chrono::seconds::zero()) {
        if (is_watched_) enter({comm, &operation, stage, counters.served() + 1, boards});
    }
    WatchedCall(const WatchedCall&) = delete;
    WatchedCall& operator=(const WatchedCall&) = delete;
    ~WatchedCall() {
        if (is_watched_) leave();
    }

    /// Reports this call, and those around it, if they are due.
    void check();

private:
    friend void start_stall_reports(int);
    friend void stop_stall_reports() noexcept;
    struct What {
        ompi_communicator_t* comm;
        const algorithms::Operation* operation;
        std::string_view stage;
        /// Among the calls that engines serve on the communicator: equal on all ranks.
        std::uint64_t number;
        const algorithms::Boards* boards;
    };
    static inline std::chrono::seconds first_report{0};

    void enter(const What& what);
    void leave() noexcept;
    std::string awaited() const;
    void report(std::chrono::seconds waited) const;

    bool is_watched_;
    What what_;
    std::chrono::steady_clock::time_point start_;
    std::chrono::seconds due_;
    WatchedCall* outer_;
};

}  // namespace strata::component
