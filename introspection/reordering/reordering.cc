#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "MPIX_Reorder.h"
#include "hardware/communicator_facts.h"
#include "hardware/returned.h"
#include "hardware/split.h"
#include "strata/mapping/reorder.h"
#include "topology/hierarchy.h"
#include "topology/text.h"
#include "traffic_gather.h"

// The C interface: contracts are in MPIX_Reorder.h. No exception escapes.
namespace {

using namespace strata::introspection;
namespace mapping = strata::mapping;

mapping::ReorderOptions options_of(MPI_Info info) {
    mapping::ReorderOptions options;
    try {
        if (const std::string costs = info_value(info, "strata_costs"); !costs.empty()) {
            options.costs = mapping::LinkCosts::parse(costs);
        }
    } catch (const std::invalid_argument&) {
        throw MpiError{MPI_ERR_INFO_VALUE};
    }
    if (const std::string margin = info_value(info, "strata_margin"); !margin.empty()) {
        options.margin = strata::topology::real_number(strata::topology::trimmed(margin)).value_or(-1);
        if (!(options.margin >= 0 && options.margin <= 1)) throw MpiError{MPI_ERR_INFO_VALUE};
    }
    if (const std::string bytes = info_value(info, "strata_message_bytes"); !bytes.empty()) {
        const auto number = strata::topology::whole_number<std::uint32_t>(strata::topology::trimmed(bytes));
        if (!number) throw MpiError{MPI_ERR_INFO_VALUE};
        options.costs.message_bytes = *number;
    }
    return options;
}

/// If `check` throws on some processes, throws the greatest code on all of them: otherwise those with
/// right arguments would wait for messages.
template <class Check>
void agreed_arguments(MPI_Comm comm, int root, Check&& check) {
    const MpiError found = outcome_of(check);
    int code = found.code;
    MPI_Error_class(code, &code);  // codes may be valid in this process only
    if (code != MPI_SUCCESS) root = 0;
    const int own[] = {code, root, -root};
    int most[] = {0, 0, 0};
    require_handled(MPI_Allreduce(own, most, 3, MPI_INT, MPI_MAX, comm));
    if (most[0] != MPI_SUCCESS) throw MpiError{most[0], found.handled};
    if (most[1] != -most[2]) throw MpiError{MPI_ERR_ROOT};
}

/// Returns on all processes what rank `root` found, its failures included.
std::vector<int> agreed(MPI_Comm comm, int root, std::vector<int> order, int size) {
    order.resize(static_cast<std::size_t>(size));
    require_handled(MPI_Bcast(order.data(), size, MPI_INT, root, comm));
    if (order.front() < 0) throw MpiError{-order.front()};
    return order;
}

/// Computes a plan; on failure prints the reason and returns a negative error code, so that the other
/// processes do not wait.
template <class Traffic>
std::vector<int> planned(Traffic&& traffic, const Records& records, const mapping::ReorderOptions& options) {
    int code = MPI_ERR_OTHER;
    try {
        return mapping::plan_reordering(traffic(), strata::topology::build_hierarchy(records), options)
            .permutation;
    } catch (const std::overflow_error& error) {
        code = MPI_ERR_ARG;
        std::fprintf(stderr, "strata-introspection: no new order of ranks: %s\n", error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "strata-introspection: no new order of ranks: %s\n", error.what());
    }
    return {-code};
}

/// `traffic` is called on `root` only.
template <class Traffic>
void reorder(MPI_Comm comm, int root, const mapping::ReorderOptions& options, Traffic&& traffic,
             MPI_Comm* reordered, int* k) {
    int rank = 0;
    int size = 0;
    require_handled(MPI_Comm_rank(comm, &rank));
    require_handled(MPI_Comm_size(comm, &size));
    const auto records = records_of(comm);
    std::vector<int> order;
    if (rank == root) order = planned(traffic, *records, options);
    order = agreed(comm, root, std::move(order), size);
    require_handled(MPI_Comm_split(comm, 0, order[static_cast<std::size_t>(rank)], reordered));
    if (k != nullptr) std::copy(order.begin(), order.end(), k);
}

/// A duplicate, so that these messages do not match receives of the application. It returns errors, so
/// that the application's handler runs once, with the application's communicator.
class PrivateCopy {
public:
    explicit PrivateCopy(MPI_Comm comm) {
        require_handled(MPI_Comm_dup(comm, &comm_));
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    }
    ~PrivateCopy() { MPI_Comm_free(&comm_); }
    PrivateCopy(const PrivateCopy&) = delete;
    PrivateCopy& operator=(const PrivateCopy&) = delete;
    MPI_Comm comm() const { return comm_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Open MPI 4.1 silently truncates a message that a process sends to itself.
void require_room(int sendcount, MPI_Datatype sendtype, int recvcount, MPI_Datatype recvtype) {
    MPI_Count sent = 0;
    MPI_Count room = 0;
    require_handled(MPI_Type_size_x(sendtype, &sent));
    require_handled(MPI_Type_size_x(recvtype, &room));
    if (sent * sendcount > room * recvcount) throw MpiError{MPI_ERR_TRUNCATE};
}

/// Returns the process to which process `rank` sends: the one that does its work. Throws MpiError unless
/// k is a permutation.
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
        if (reordered != nullptr) *reordered = MPI_COMM_NULL;
        require_communicator(comm);
        mapping::ReorderOptions options;
        agreed_arguments(comm, 0, [&] {
            require_argument(sizes);
            require_argument(reordered);
            options = options_of(info);
        });
        int size = 0;
        require_handled(MPI_Comm_size(comm, &size));
        std::vector<mapping::Flow> flows = gathered_rows(comm, sizes, counts);
        reorder(
            comm, 0, options, [&] { return mapping::TrafficMatrix(size, std::move(flows)); }, reordered, k);
    });
}

int MPIX_Comm_reorder_matrix(MPI_Comm comm, int root, const unsigned long sizes[],
                             const unsigned long counts[], MPI_Info info, MPI_Comm* reordered, int k[]) {
    return returned(comm, [&] {
        if (reordered != nullptr) *reordered = MPI_COMM_NULL;
        require_communicator(comm);
        int rank = 0;
        int size = 0;
        require_handled(MPI_Comm_rank(comm, &rank));
        require_handled(MPI_Comm_size(comm, &size));
        mapping::ReorderOptions options;
        agreed_arguments(comm, root, [&] {
            if (root < 0 || root >= size) throw MpiError{MPI_ERR_ROOT};
            if (rank == root) require_argument(sizes);
            require_argument(reordered);
            options = options_of(info);
        });
        const auto matrix = [&] {
            const std::size_t cells = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
            return mapping::TrafficMatrix::from_dense(size, {sizes, cells},
                                                      {counts, counts != nullptr ? cells : 0});
        };
        reorder(comm, root, options, matrix, reordered, k);
    });
}

int MPIX_Redistribute(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, const int k[], MPI_Comm comm) {
    return returned(comm, [&] {
        require_communicator(comm);
        int rank = 0;
        int size = 0;
        require_handled(MPI_Comm_rank(comm, &rank));
        require_handled(MPI_Comm_size(comm, &size));
        const bool in_place = sendbuf == MPI_IN_PLACE;
        const PrivateCopy apart(comm);
        const auto move = [&](int receiver, int sender) {
            require(in_place ? MPI_Sendrecv_replace(recvbuf, recvcount, recvtype, receiver, 0, sender, 0,
                                                    apart.comm(), MPI_STATUS_IGNORE)
                             : MPI_Sendrecv(sendbuf, sendcount, sendtype, receiver, 0, recvbuf, recvcount,
                                            recvtype, sender, 0, apart.comm(), MPI_STATUS_IGNORE));
        };
        int to = MPI_PROC_NULL;
        agreed_arguments(comm, 0, [&] {
            require_argument(k);
            to = receiver_of(k, rank, size);
            if (recvbuf == MPI_IN_PLACE) throw MpiError{MPI_ERR_BUFFER};
            if (recvcount < 0 || (!in_place && sendcount < 0)) throw MpiError{MPI_ERR_COUNT};
            if (recvtype == MPI_DATATYPE_NULL || (!in_place && sendtype == MPI_DATATYPE_NULL))
                throw MpiError{MPI_ERR_TYPE};
            move(MPI_PROC_NULL, MPI_PROC_NULL);  // MPI checks buffers and types, and sends nothing
        });
        if (!in_place && to == rank) require_room(sendcount, sendtype, recvcount, recvtype);
        move(to, k[rank]);
    });
}

}  // extern "C"
#pragma GCC visibility pop
