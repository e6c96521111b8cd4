#include "traffic_gather.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "hardware/communicator_facts.h"

namespace strata::introspection {
namespace {

/// Travels as three numbers.
struct Sent {
    std::uint64_t to;
    std::uint64_t bytes;
    std::uint64_t messages;
};
constexpr int numbers = 3;
static_assert(sizeof(Sent) == numbers * sizeof(std::uint64_t));

std::vector<Sent> own_row(int size, const unsigned long* sizes, const unsigned long* counts) {
    std::vector<Sent> row;
    for (int to = 0; to < size; ++to) {
        const Sent sent{static_cast<std::uint64_t>(to), sizes[to], counts != nullptr ? counts[to] : 0};
        if (sent.bytes != 0 || sent.messages != 0) row.push_back(sent);
    }
    return row;
}

}  // namespace

std::vector<mapping::Flow> gathered_rows(MPI_Comm comm, const unsigned long sizes[],
                                         const unsigned long counts[]) {
    int rank = 0;
    int size = 0;
    require(MPI_Comm_rank(comm, &rank));
    require(MPI_Comm_size(comm, &size));
    const std::vector<Sent> row = own_row(size, sizes, counts);
    const int length = static_cast<int>(row.size());
    std::vector<int> lengths(static_cast<std::size_t>(rank == 0 ? size : 0));
    require(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm));
    std::vector<int> starts;
    std::int64_t total = 0;
    for (const int each : lengths) {
        starts.push_back(static_cast<int>(total));
        total += each;
    }
    int fits = total <= std::numeric_limits<int>::max() ? 1 : 0;
    require(MPI_Bcast(&fits, 1, MPI_INT, 0, comm));
    if (fits == 0) throw MpiError{MPI_ERR_COUNT};
    std::vector<Sent> all(static_cast<std::size_t>(total));
    MPI_Datatype entry = MPI_DATATYPE_NULL;  // so that counts stay in an int longer
    require(MPI_Type_contiguous(numbers, MPI_UINT64_T, &entry));
    require(MPI_Type_commit(&entry));
    const int code =
        MPI_Gatherv(row.data(), length, entry, all.data(), lengths.data(), starts.data(), entry, 0, comm);
    MPI_Type_free(&entry);
    require(code);
    std::vector<mapping::Flow> flows;
    flows.reserve(all.size());
    for (std::size_t from = 0; from < lengths.size(); ++from) {
        for (int i = 0; i < lengths[from]; ++i) {
            const Sent& sent = all[static_cast<std::size_t>(starts[from] + i)];
            flows.push_back({static_cast<int>(from), static_cast<int>(sent.to), sent.bytes, sent.messages});
        }
    }
    return flows;
}

}  // namespace strata::introspection
