#include "traffic_gather.h"

#include <cstdint>
#include <limits>
#include <new>
#include <vector>

#include "hardware/communicator_facts.h"
#include "hardware/returned.h"

namespace strata::introspection {
namespace {

/// An entry of a row, sent as three numbers.
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

/// Allocates memory for rows of these lengths on the gathering process. Throws std::bad_alloc.
void make_room(const std::vector<int>& lengths, std::vector<int>& starts, std::vector<Sent>& all,
               std::vector<mapping::Flow>& flows) {
    std::int64_t total = 0;
    for (std::size_t from = 0; from < lengths.size(); ++from) {
        if (total > std::numeric_limits<int>::max() - lengths[from]) throw std::bad_alloc();
        starts[from] = static_cast<int>(total);
        total += lengths[from];
    }
    all.resize(static_cast<std::size_t>(total));
    flows.reserve(all.size());
}

}  // namespace

std::vector<mapping::Flow> gathered_rows(MPI_Comm comm, const unsigned long sizes[],
                                         const unsigned long counts[]) {
    int rank = 0;
    int size = 0;
    require_handled(MPI_Comm_rank(comm, &rank));
    require_handled(MPI_Comm_size(comm, &size));
    std::vector<Sent> row;
    std::vector<int> lengths;
    std::vector<int> starts;
    // Allocate before sending: if memory is missing, all processes must learn it.
    int code = code_of([&] {
        row = own_row(size, sizes, counts);
        lengths.resize(static_cast<std::size_t>(rank == 0 ? size : 0));
        starts.resize(lengths.size());
    });
    require_handled(MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, comm));
    if (code != MPI_SUCCESS) throw MpiError{code};
    const int length = static_cast<int>(row.size());
    require_handled(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm));
    std::vector<Sent> all;
    std::vector<mapping::Flow> flows;
    code = code_of([&] { make_room(lengths, starts, all, flows); });
    require_handled(MPI_Bcast(&code, 1, MPI_INT, 0, comm));
    if (code != MPI_SUCCESS) throw MpiError{code};
    MPI_Datatype entry = MPI_DATATYPE_NULL;  // so that larger counts fit an int
    require_handled(MPI_Type_contiguous(numbers, MPI_UINT64_T, &entry));
    MPI_Type_commit(&entry);
    const int gathered =
        MPI_Gatherv(row.data(), length, entry, all.data(), lengths.data(), starts.data(), entry, 0, comm);
    MPI_Type_free(&entry);
    require_handled(gathered);
    for (std::size_t from = 0; from < lengths.size(); ++from) {
        for (int i = 0; i < lengths[from]; ++i) {
            const Sent& sent = all[static_cast<std::size_t>(starts[from] + i)];
            flows.push_back({static_cast<int>(from), static_cast<int>(sent.to), sent.bytes, sent.messages});
        }
    }
    return flows;
}

}  // namespace strata::introspection
