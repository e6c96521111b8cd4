#pragma once
#include <mpi.h>

#include <utility>

namespace strata::introspection {

/// A communicator that is freed unless released.
class Communicator {
public:
    Communicator() = default;
    explicit Communicator(MPI_Comm comm) : comm_(comm) {}
    Communicator(Communicator&& other) noexcept : comm_(other.release()) {}
    Communicator& operator=(Communicator&& other) noexcept {
        std::swap(comm_, other.comm_);
        return *this;
    }
    ~Communicator() {
        if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    }

    MPI_Comm get() const { return comm_; }
    MPI_Comm release() { return std::exchange(comm_, MPI_COMM_NULL); }
    bool null() const { return comm_ == MPI_COMM_NULL; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace strata::introspection
