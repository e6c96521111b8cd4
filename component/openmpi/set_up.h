#pragma once
#include <array>
#include <optional>

#include "algorithms/base/task.h"
#include "component/base/cancellation.h"
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

class SetUp;

/// The set-ups in progress on a communicator. They run one after the other in the order of the calls that
/// need them. This order, and so the order of their messages, is equal on all ranks.
class SetUps {
    friend SetUp;
    SetUp* first_ = nullptr;
};

/// One set-up: the collective work of a communicator's ranks before a call is served. Its tasks never block,
/// because start() and progress() may run inside Open MPI's own progress, which starts collectives when it
/// creates communicators. Blocking callers use wait_for(). The tasks' frames lie in this object, so that a
/// rank without memory still takes part: other ranks wait for it.
class SetUp {
public:
    explicit SetUp(SetUps& all) : all_(all) {}
    SetUp(const SetUp&) = delete;
    SetUp& operator=(const SetUp&) = delete;
    ~SetUp();

    algorithms::Arena& frames() { return frames_; }

    /// Starts a task after those of earlier set-ups have ended. Requires that the last task is done().
    void start(algorithms::Task task);
    /// Does nothing while an earlier set-up of the communicator runs, and inside itself: Open MPI's progress
    /// may call it anywhere.
    void progress();
    bool done() const { return task_->done(); }
    int outcome() const { return task_->outcome(); }
    /// Starts a task, waits for it and returns its outcome.
    int wait_for(algorithms::Task task);
    /// The same with sleeps between polls, for waits in which most processes wait for a few and may share
    /// processors with them. An exception ends the job, because the other processes of `comm` wait for this
    /// one.
    int wait_with_pauses(algorithms::Task task, ompi_communicator_t* comm);

    /// Returns `under_way`, or the code of a completed request, which it then frees.
    int test(ompi_request_t*& request);

    /// During its lifetime a thread that runs this set-up is not cancelled (HoldCancellation).
    class AllAreHere {
    public:
        explicit AllAreHere(SetUp& set_up) : set_up_(set_up) {
            set_up_.all_are_here_ = true;
            set_up_.hold_.emplace();
        }
        AllAreHere(const AllAreHere&) = delete;
        AllAreHere& operator=(const AllAreHere&) = delete;
        ~AllAreHere() { set_up_.all_are_here_ = false; }

    private:
        SetUp& set_up_;
    };

private:
    static constexpr std::size_t frame_bytes = 8192;

    bool is_next() const { return all_.first_ == this; }
    void leave();
    void wait() const;

    SetUps& all_;
    SetUp* next_ = nullptr;
    bool started_ = false;
    bool running_ = false;  ///< inside progress()
    bool all_are_here_ = false;
    std::optional<HoldCancellation> hold_;  ///< inside progress() with all_are_here_
    unsigned ended_ = 0;                    ///< completed requests
    ompi_request_t* awaited_ = nullptr;     ///< request that the task waits for; null: none
    alignas(algorithms::Arena::alignment_bytes) std::array<std::byte, frame_bytes> memory_;
    algorithms::Arena frames_{std::span(memory_)};
    std::optional<algorithms::Task> task_;
};

}  // namespace strata::component
