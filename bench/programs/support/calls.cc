#include "calls.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "mockups.h"

namespace bench {

namespace {

int count_at(const Parts& parts, int rank) { return parts.counts[static_cast<std::size_t>(rank)]; }

std::unique_ptr<Calls> make_mpi(MPI_Comm comm, std::span<const int> /*node_of*/) {
    return std::make_unique<Calls>(comm);
}

constexpr std::string_view by_nodes[] = {"bcast",  "reduce",  "allreduce", "allgather",
                                         "gather", "scatter", "barrier"};
constexpr std::string_view by_lanes[] = {"bcast", "reduce", "allreduce", "allgather", "gather", "scatter"};
constexpr std::string_view by_segments[] = {"bcast", "reduce"};
constexpr std::string_view of_others[] = {"bcast", "reduce", "allreduce", "allgather", "gather", "barrier"};

constexpr Algorithm algorithms[] = {
    {.name = "mpi", .operations = {}, .make = make_mpi},
    {.name = "hierarchical", .operations = by_nodes, .make = make_hierarchical},
    {.name = "lane", .operations = by_lanes, .make = make_lane},
    {.name = "hybrid", .operations = by_segments, .make = make_hybrid},
    {.name = "composed", .operations = of_others, .make = make_composed},
};

}  // namespace

Calls::Calls(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
}

void Calls::bcast(char* buffer, int bytes, int root) { MPI_Bcast(buffer, bytes, MPI_BYTE, root, comm_); }

void Calls::reduce(const double* own, double* sum, int count, int root) {
    MPI_Reduce(own, sum, count, MPI_DOUBLE, MPI_SUM, root, comm_);
}

void Calls::allreduce(const double* own, double* sum, int count) {
    MPI_Allreduce(own, sum, count, MPI_DOUBLE, MPI_SUM, comm_);
}

void Calls::allgather(const char* own, int each, char* whole) {
    MPI_Allgather(own, each, MPI_BYTE, whole, each, MPI_BYTE, comm_);
}

void Calls::gather(const char* own, int each, char* whole, int root) {
    MPI_Gather(own, each, MPI_BYTE, whole, each, MPI_BYTE, root, comm_);
}

void Calls::scatter(const char* whole, int each, char* own, int root) {
    MPI_Scatter(whole, each, MPI_BYTE, own, each, MPI_BYTE, root, comm_);
}

void Calls::barrier() { MPI_Barrier(comm_); }

void Calls::allgatherv(const char* own, const Parts& parts, char* whole) {
    MPI_Allgatherv(own, count_at(parts, rank_), MPI_BYTE, whole, parts.counts.data(),
                   parts.displacements.data(), MPI_BYTE, comm_);
}

void Calls::gatherv(const char* own, const Parts& parts, char* whole, int root) {
    MPI_Gatherv(own, count_at(parts, rank_), MPI_BYTE, whole, parts.counts.data(), parts.displacements.data(),
                MPI_BYTE, root, comm_);
}

void Calls::scatterv(const char* whole, const Parts& parts, char* own, int root) {
    MPI_Scatterv(whole, parts.counts.data(), parts.displacements.data(), MPI_BYTE, own,
                 count_at(parts, rank_), MPI_BYTE, root, comm_);
}

bool Algorithm::has(std::string_view operation) const {
    return operations.empty() || std::ranges::find(operations, operation) != operations.end();
}

std::span<const Algorithm> all_algorithms() { return algorithms; }

const Algorithm& algorithm_named(std::string_view name) {
    const auto* const found = std::ranges::find(algorithms, name, &Algorithm::name);
    if (found == std::end(algorithms)) throw std::out_of_range("no algorithm '" + std::string(name) + "'");
    return *found;
}

}  // namespace bench
