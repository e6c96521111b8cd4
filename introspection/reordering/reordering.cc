#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "MPIX_Reorder.h"
#include "hardware/communicator_facts.h"
#include "hardware/returned.h"
#include "hardware/split.h"
#include "strata/mapping/reorder.h"
#include "strata/topology/hierarchy.h"
#include "traffic_gather.h"

// The C interface: contracts are in MPIX_Reorder.h. No exception leaves it.
namespace {

using namespace strata::introspection;
namespace mapping = strata::mapping;

mapping::ReorderOptions options_of(MPI_Info info) {
    mapping::ReorderOptions options;
    try {
        if (const std::string costs = info_value(info, "strata_costs"); !costs.empty()) {
            options.costs = mapping::LinkCosts::parse(costs);
        }
        if (const std::string margin = info_value(info, "strata_margin"); !margin.empty()) {
            std::size_t read = 0;
            options.margin = std::stod(margin, &read);
            if (read != margin.size() || !(options.margin >= 0 && options.margin < 1))
                throw MpiError{MPI_ERR_INFO_VALUE};
        }
    } catch (const std::exception&) {
        throw MpiError{MPI_ERR_INFO_VALUE};
    }
    return options;
}

/// What rank `root` found, on all: its failures too.
std::vector<int> agreed(MPI_Comm comm, int root, std::vector<int> order, int size) {
    order.resize(static_cast<std::size_t>(size), -1);
    require(MPI_Bcast(order.data(), size, MPI_INT, root, comm));
    if (order.front() < 0) throw MpiError{MPI_ERR_OTHER};
    return order;
}

/// Empty where it fails, which is said: whoever plans must not leave the others waiting for the plan.
template <class Traffic>
std::vector<int> planned(Traffic&& traffic, const Records& records, const mapping::ReorderOptions& options) {
    try {
        return mapping::plan_reordering(traffic(), strata::topology::build_hierarchy(records), options)
            .permutation;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "strata-introspection: no new order of ranks: %s\n", error.what());
        return {};
    }
}

/// `traffic` is called on `root` only.
template <class Traffic>
void reorder(MPI_Comm comm, int root, const mapping::ReorderOptions& options, Traffic&& traffic,
             MPI_Comm* reordered, int* k) {
    int rank = 0;
    int size = 0;
    require(MPI_Comm_rank(comm, &rank));
    require(MPI_Comm_size(comm, &size));
    const auto records = records_of(comm);
    std::vector<int> order;
    if (rank == root) order = planned(traffic, *records, options);
    order = agreed(comm, root, std::move(order), size);
    require(MPI_Comm_split(comm, 0, order[static_cast<std::size_t>(rank)], reordered));
    if (k != nullptr) std::copy(order.begin(), order.end(), k);
}

/// Messages of ours must not meet receives that the application has posted.
class PrivateCopy {
public:
    explicit PrivateCopy(MPI_Comm comm) { require(MPI_Comm_dup(comm, &comm_)); }
    ~PrivateCopy() { MPI_Comm_free(&comm_); }
    PrivateCopy(const PrivateCopy&) = delete;
    PrivateCopy& operator=(const PrivateCopy&) = delete;
    MPI_Comm comm() const { return comm_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Whom process `rank` sends to: the one that does its work. Throws MpiError where k is no permutation.
int receiver_of(const int* k, int rank, int size) {
    std::vector<int> now_at(static_cast<std::size_t>(size), -1);
    for (int i = 0; i < size; ++i) {
        if (k[i] < 0 || k[i] >= size || now_at[static_cast<std::size_t>(k[i])] >= 0)
            throw MpiError{MPI_ERR_ARG};
        now_at[static_cast<std::size_t>(k[i])] = i;
    }
    return now_at[static_cast<std::size_t>(rank)];
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPIX_Comm_reorder(MPI_Comm comm, const unsigned long sizes[], const unsigned long counts[], MPI_Info info,
                      MPI_Comm* reordered, int k[]) {
    return returned(comm, [&] {
        require_communicator(comm);
        require_argument(sizes);
        require_argument(reordered);
        *reordered = MPI_COMM_NULL;
        const auto options = options_of(info);
        int size = 0;
        require(MPI_Comm_size(comm, &size));
        std::vector<mapping::Flow> flows = gathered_rows(comm, sizes, counts);
        reorder(
            comm, 0, options, [&] { return mapping::TrafficMatrix(size, std::move(flows)); }, reordered, k);
    });
}

int MPIX_Comm_reorder_matrix(MPI_Comm comm, int root, const unsigned long sizes[],
                             const unsigned long counts[], MPI_Info info, MPI_Comm* reordered, int k[]) {
    return returned(comm, [&] {
        require_communicator(comm);
        require_argument(reordered);
        *reordered = MPI_COMM_NULL;
        int size = 0;
        require(MPI_Comm_size(comm, &size));
        if (root < 0 || root >= size) throw MpiError{MPI_ERR_ROOT};
        const auto matrix = [&] {
            const std::size_t cells =
                sizes != nullptr ? static_cast<std::size_t>(size) * static_cast<std::size_t>(size) : 0;
            return mapping::TrafficMatrix::from_dense(size, {sizes, cells},
                                                      {counts, counts != nullptr ? cells : 0});
        };
        reorder(comm, root, options_of(info), matrix, reordered, k);
    });
}

int MPIX_Redistribute(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, const int k[], MPI_Comm comm) {
    return returned(comm, [&] {
        require_communicator(comm);
        require_argument(k);
        int rank = 0;
        int size = 0;
        require(MPI_Comm_rank(comm, &rank));
        require(MPI_Comm_size(comm, &size));
        const int to = receiver_of(k, rank, size);
        const int from = k[rank];
        const PrivateCopy apart(comm);
        if (sendbuf == MPI_IN_PLACE) {
            require(MPI_Sendrecv_replace(recvbuf, recvcount, recvtype, to, 0, from, 0, apart.comm(),
                                         MPI_STATUS_IGNORE));
        } else {
            require(MPI_Sendrecv(sendbuf, sendcount, sendtype, to, 0, recvbuf, recvcount, recvtype, from, 0,
                                 apart.comm(), MPI_STATUS_IGNORE));
        }
    });
}

}  // extern "C"
#pragma GCC visibility pop
