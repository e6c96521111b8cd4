#pragma once
#include <array>
#include <optional>

#include "algorithms/base/task.h"
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

class SetUp;

/// The set-ups of a communicator that are under way. They go one after the other, in the order of the calls
/// that need them: it is the same on all ranks, and so is that of the messages.
class SetUps {
    friend SetUp;
    SetUp* first_ = nullptr;
};

/// One set-up: what the ranks of a communicator do together before a call is served. Its tasks never wait:
/// start() and progress() may be called from within Open MPI's own progress, which starts collectives when it
/// makes communicators. Who has nothing else to do waits for them here. Their frames lie in here: a rank
/// without any other memory takes part, too, for the others wait for it.
class SetUp {
public:
    explicit SetUp(SetUps& all);
    SetUp(const SetUp&) = delete;
    SetUp& operator=(const SetUp&) = delete;
    ~SetUp();

    algorithms::Arena& frames() { return frames_; }

    /// Starts a task of this set-up, when those before it have ended. Not before the last one is done().
    void start(algorithms::Task task);
    void progress();
    bool done() const { return task_->done(); }
    int outcome() const { return task_->outcome(); }
    /// Starts a task, and waits until it is done: its outcome.
    int wait_for(algorithms::Task task);
    /// The same where most wait for what a few have yet to send, and may share processors with them: it
    /// sleeps in between.
    int wait_with_pauses(algorithms::Task task);

    /// Where a message or another request of Open MPI's stands: `under_way`, or its code; then it is freed.
    int test(ompi_request_t*& request);

    /// While it lives, the thread that goes on with this set-up is not cancelled: see HoldCancellation.
    class AllAreHere {
    public:
        explicit AllAreHere(SetUp& set_up) : set_up_(set_up) { set_up_.all_are_here_ = true; }
        AllAreHere(const AllAreHere&) = delete;
        AllAreHere& operator=(const AllAreHere&) = delete;
        ~AllAreHere() { set_up_.all_are_here_ = false; }

    private:
        SetUp& set_up_;
    };

private:
    static constexpr std::size_t frame_bytes = 8192;

    bool is_next() const { return all_.first_ == this; }
    void wait() const;

    SetUps& all_;
    SetUp* next_ = nullptr;
    bool started_ = false;
    bool all_are_here_ = false;
    unsigned ended_ = 0;                 ///< requests
    ompi_request_t* awaited_ = nullptr;  ///< where the task has stopped; null: nothing of Open MPI's
    alignas(algorithms::Arena::alignment_bytes) std::array<std::byte, frame_bytes> memory_;
    algorithms::Arena frames_{std::span(memory_)};
    std::optional<algorithms::Task> task_;
};

}  // namespace strata::component
