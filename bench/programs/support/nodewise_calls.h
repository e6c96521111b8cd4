// Common part of the mock-ups that split a communicator by its nodes.

#pragma once

#include <span>

#include "calls.h"
#include "node_split.h"

namespace bench {

class NodewiseCalls : public Calls {
public:
    // `node_of` holds the node of every rank.
    NodewiseCalls(MPI_Comm comm, std::span<const int> node_of) : Calls(comm), splits_(comm, node_of) {}

    void prepare(int root) override {
        splits_.of(root);
        splits_.of(0);  // for operations without a root
    }

protected:
    NodeSplits splits_;
};

}  // namespace bench
