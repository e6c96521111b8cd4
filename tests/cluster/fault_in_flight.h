#pragma once
#include <string>

#include "check.h"

namespace strata::testing {

/// Which rank is struck, how, and when; see interrupted.cc for the option values. One per process: signal
/// handlers and Open MPI's table of functions refer to it.
class FaultInFlight {
public:
    /// Takes its options of the command line.
    explicit FaultInFlight(Session& session);

    /// Returns true if the script changes a link.
    bool outside() const { return kind_ == "outside"; }
    int at() const { return at_; }
    /// Returns true if the communicator must be new, so that the call is the first on it.
    bool wants_new_communicator() const { return when_ == "message"; }
    /// Returns whether no rank can have left a barrier of this iteration, because the victim had already
    /// left.
    bool cannot_succeed(int iteration) const;

    /// Starts the calls of another collective. `folder` and `name`: for the victim's notes.
    void start(const std::string& folder, const std::string& name);
    /// Between calls, `when` "before" or "after": strikes if this is the moment.
    void pass(const char* when, int iteration);
    void enter(int iteration);
    void leave(int iteration);
    /// On a rank that got an error, before it ends the job: waits until it may note that it has outlived
    /// the victim.
    void outlive() const;

private:
    void set_timer(double seconds);
    void watch_victim(int rank);

    std::string kind_;
    std::string when_;
    std::string folder_;
    std::string name_;
    int at_;
    int victim_;
    bool here_;
    bool outlived_;  // the others must note that
    double began_ = 0;
    double in_calls_ = 0;
    int calls_ = 0;
    int tries_ = 0;
};

/// An empty file.
void make_note(const std::string& path);

/// Before MPI_Init: starts a child that resumes this process after it has stopped. The child ends with this
/// process.
void start_continuer();

}  // namespace strata::testing
