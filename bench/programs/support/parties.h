// Contenders that run, each with its own communicator.

#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "calls.h"
#include "job_files.h"

namespace bench {

// Collective, as is the destructor.
class Party {
public:
    // Runs on a duplicate of `comm`, made with the contender's info and named after it, if `apart`; else
    // on `comm`.
    Party(Contender contender, MPI_Comm comm, std::span<const int> node_of, bool apart);
    ~Party();
    Party(const Party&) = delete;
    Party& operator=(const Party&) = delete;

    const Contender& contender() const { return contender_; }
    // Returns Open MPI's number of the communicator as its messages print it (coll_base_verbose 9
    // reports the components that serve it).
    int communicator() const { return communicator_; }
    // Returns null if the contender cannot run.
    Calls* calls() const { return calls_.get(); }
    // Returns the reason why it takes no part in an operation; empty if it takes part.
    std::string obstacle(std::string_view operation) const;

private:
    Contender contender_;
    MPI_Comm own_ = MPI_COMM_NULL;  // freed by the destructor
    int communicator_ = 0;
    std::unique_ptr<Calls> calls_;
    std::string obstacle_;
};

}  // namespace bench
