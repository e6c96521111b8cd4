#pragma once
#include <mpi.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace strata::testing {

/// A communicator of a test; `comm` is MPI_COMM_NULL on ranks outside it. The destructor frees it.
class NamedCommunicator {
public:
    /// Takes over `communicator`; MPI_COMM_WORLD and MPI_COMM_SELF are never freed.
    NamedCommunicator(std::string label, MPI_Comm communicator);
    NamedCommunicator(NamedCommunicator&& other) noexcept
        : name(std::move(other.name)), comm(std::exchange(other.comm, MPI_COMM_NULL)) {}
    NamedCommunicator& operator=(NamedCommunicator&& other) noexcept {
        std::swap(name, other.name);
        std::swap(comm, other.comm);
        return *this;
    }
    ~NamedCommunicator() { free(); }
    void free();

    bool member() const { return comm != MPI_COMM_NULL; }
    int rank() const;
    int size() const;

    std::string name;
    MPI_Comm comm = MPI_COMM_NULL;
};

/// A copy of MPI_COMM_WORLD.
NamedCommunicator copy_of_world(const char* name);
/// All members of MPI_COMM_WORLD in an order derived from `seed`.
NamedCommunicator shuffled_world(std::uint64_t seed);
/// A seeded subset of MPI_COMM_WORLD, in shuffled order, created by its members only.
NamedCommunicator subset_of_world(std::uint64_t seed);

/// The standing set of communicators: world, reversed, shuffled, odd and even halves, a subset made by
/// MPI_Comm_create_group, and a Cartesian grid without reordering. Collective over MPI_COMM_WORLD.
std::vector<NamedCommunicator> standing_communicators(std::uint64_t seed);
/// The standing set, plus a copy of world, each process alone, and the merged sides of an
/// intercommunicator. Collective over MPI_COMM_WORLD.
std::vector<NamedCommunicator> all_kinds_of_communicators(std::uint64_t seed);

}  // namespace strata::testing
