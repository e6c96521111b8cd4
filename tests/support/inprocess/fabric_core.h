#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fabric.h"
#include "random.h"

namespace strata::testing {

/// The network behind run_ranks(): matching, completion and the choice of the next rank to run. The thread
/// of `rank` enters every member function; one mutex guards all state.
class Fabric {
public:
    Fabric(int ranks, const FabricOptions& options);
    /// The body of a rank; its messages belong to call 0 of the rank, or to any of `calls`.
    using Body = std::function<int(int rank)>;
    RunReport run(int calls, const Body& body);

    /// One of the calls of a rank. `waits`: its functions wait, like those of a Transport.
    struct Caller {
        int rank;
        int call = 0;
        bool waits = true;
    };
    int begin(Caller caller, int slots);
    /// Source or destination of a message.
    struct Way {
        int peer;
        int rail;
        bool buffers = true;  ///< a short message may complete without its receiver
    };
    int start(Caller caller, int slot, bool send, std::byte* data, std::size_t bytes, Way way);
    int wait_some(Caller caller, std::span<int> done, int& count);
    int single(Caller caller, bool send, std::byte* data, std::size_t bytes, int peer);
    int test_single(Caller caller);
    void abandon(Caller caller) noexcept;
    /// Waits until some message of any call has completed; returns code_stopped if the run has been ended.
    int wait_any(int rank);

private:
    using Lock = std::unique_lock<std::mutex>;
    enum class State { posted, matched, completed };
    struct Operation {
        bool send = false;
        bool eager = false;
        int rank = -1;
        int call = 0;
        int peer = -1;
        int rail = 0;
        int slot = -1;  ///< -1: a single message
        int sequence = 0;
        std::byte* data = nullptr;
        std::size_t bytes = 0;
        std::uint64_t checksum = 0;
        std::vector<std::byte> payload;  ///< copy of a buffered message
        State state = State::posted;
        int code = 0;
        int partner = -1;
    };
    struct Channel {
        std::deque<int> sends;
        std::deque<int> receives;
        int next_send = 0;
        int next_receive = 0;
        int unfinished = 0;
    };
    /// An event of the network itself: delivery of a matched message or end of a buffered send.
    struct Event {
        int send = -1;
        int receive = -1;  ///< -1: local completion only
    };
    struct Call {
        std::vector<int> slots;  ///< operation by slot, -1 when idle
        int single = -1;
    };
    struct Rank {
        std::vector<Call> calls;
        int blocking = -1;  ///< the only operation the rank waits for
        bool waiting = false;
        bool finished = false;
        bool aborted = false;
        bool slow = false;
        std::condition_variable wake;
    };

    // fabric.cc: messages; fabric_calls.cc: calls from ranks
    bool enter(int rank, int& code);
    int post(Caller caller, int slot, bool send, std::byte* data, std::size_t bytes, Way way);
    Call& call_of(Caller caller) { return ranks_[caller.rank].calls[caller.call]; }
    bool completed(int operation) const {
        return operation >= 0 && operations_[operation].state == State::completed;
    }
    Channel& channel_of(const Operation& operation);
    void match(Channel& channel);
    void execute(const Event& event);
    void complete(int operation, int code);
    void cancel(int operation);
    void fail_peers(int rank);
    void leave(int rank, int code);
    void check_end();
    std::string describe(const Operation& operation) const;

    // fabric_schedule.cc: the next rank to run
    void add_event(const Event& event);
    bool ready(int rank) const;
    void schedule_next();
    bool run_event(bool somebody_runnable);
    void stop(const std::string& why);
    void check_blocked();
    void pause(Lock& lock, int rank);
    void wait_ready(Lock& lock, int rank);
    void rank_thread(int rank, const Body& body);
    void supervise(Lock& lock);

    bool sequential() const { return options_.schedule == Schedule::sequential; }

    FabricOptions options_;
    Random random_;
    int event_chance_ = 50;
    std::mutex mutex_;
    std::condition_variable all_finished_;
    std::vector<Rank> ranks_;
    std::deque<Operation> operations_;
    std::map<std::tuple<int, int, int, int>, Channel> channels_;  ///< (from, to, call, rail)
    std::vector<Event> prompt_;
    std::vector<Event> late_;  ///< waits until no other event is possible
    int current_ = -1;         ///< sequential: the rank that may run
    int finished_ = 0;
    bool stopped_ = false;
    RunReport report_;
};

}  // namespace strata::testing
