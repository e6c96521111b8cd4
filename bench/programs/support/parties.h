// Contenders at work: each with a communicator of its own.

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
    // `apart`: on a duplicate of `comm`, made with the contender's info and named after it; else on `comm`.
    Party(Contender contender, MPI_Comm comm, std::span<const int> node_of, bool apart);
    ~Party();
    Party(const Party&) = delete;
    Party& operator=(const Party&) = delete;

    const Contender& contender() const { return contender_; }
    // Open MPI's number of the communicator, as its messages give it (coll_base_verbose 9: which components
    // serve it).
    int communicator() const { return communicator_; }
    // None where it cannot be done.
    Calls* calls() const { return calls_.get(); }
    // Why it does not take part in an operation; empty if it does.
    std::string obstacle(std::string_view operation) const;

private:
    Contender contender_;
    MPI_Comm own_ = MPI_COMM_NULL;  // to be freed
    int communicator_ = 0;
    std::unique_ptr<Calls> calls_;
    std::string obstacle_;
};

}  // namespace bench
