#include "communicators.h"

#include <numeric>

#include "check.h"

namespace strata::testing {

NamedCommunicator::NamedCommunicator(std::string label, MPI_Comm communicator)
    : name(std::move(label)), comm(communicator) {}

void NamedCommunicator::free() {
    if (comm != MPI_COMM_NULL && comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF) {
        MPI_Comm_free(&comm);
    }
    comm = MPI_COMM_NULL;
}

int NamedCommunicator::rank() const {
    int value = 0;
    MPI_Comm_rank(comm, &value);
    return value;
}

int NamedCommunicator::size() const {
    int value = 0;
    MPI_Comm_size(comm, &value);
    return value;
}

namespace {

std::vector<int> shuffled_ranks(std::uint64_t seed) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    Random(seed).shuffle(ranks);
    return ranks;
}

int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

NamedCommunicator split(std::string name, int color, int key) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
    return {std::move(name), comm};
}

}  // namespace

NamedCommunicator copy_of_world(const char* name) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return {name, comm};
}

NamedCommunicator shuffled_world(std::uint64_t seed) {
    return split("shuffled", 0, shuffled_ranks(seed)[static_cast<std::size_t>(world_rank())]);
}

NamedCommunicator subset_of_world(std::uint64_t seed) {
    std::vector<int> ranks = shuffled_ranks(seed);
    ranks.resize((ranks.size() * 2 + 2) / 3);
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group chosen = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &chosen);
    int place = MPI_UNDEFINED;
    MPI_Group_rank(chosen, &place);
    MPI_Comm comm = MPI_COMM_NULL;
    if (place != MPI_UNDEFINED) {
        MPI_Comm_create_group(MPI_COMM_WORLD, chosen, 17, &comm);
    }
    MPI_Group_free(&chosen);
    MPI_Group_free(&world);
    return {"subset", comm};
}

std::vector<NamedCommunicator> standing_communicators(std::uint64_t seed) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rank = world_rank();
    std::vector<NamedCommunicator> all;
    all.emplace_back("world", MPI_COMM_WORLD);
    all.push_back(split("reversed", 0, -rank));
    all.push_back(shuffled_world(mix(seed, 1)));
    all.push_back(split(rank % 2 == 0 ? "even" : "odd", rank % 2, rank));
    all.push_back(subset_of_world(mix(seed, 2)));
    int dims[2] = {0, 0};
    const int periods[2] = {0, 1};
    MPI_Dims_create(size, 2, dims);
    MPI_Comm grid = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    all.emplace_back("grid", grid);
    return all;
}

namespace {

// The ranks below and above `low_ranks`, merged; the high ranks come first with `high_first`.
NamedCommunicator merged_halves(bool high_first) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        return {"merged", MPI_COMM_SELF};
    }
    const int low_ranks = (size + 2) / 3;
    const bool low = world_rank() < low_ranks;
    NamedCommunicator side = split("side", low ? 0 : 1, world_rank());
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Intercomm_create(side.comm, 0, MPI_COMM_WORLD, low ? low_ranks : 0, 5, &inter);
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(inter, low == high_first ? 1 : 0, &merged);
    MPI_Comm_free(&inter);
    return {"merged", merged};
}

NamedCommunicator copy_of(std::string name, MPI_Comm original) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(original, &comm);
    return {std::move(name), comm};
}

}  // namespace

std::vector<NamedCommunicator> all_kinds_of_communicators(std::uint64_t seed) {
    std::vector<NamedCommunicator> all = standing_communicators(seed);
    all.push_back(copy_of("copy", MPI_COMM_WORLD));
    all.push_back(copy_of("alone", MPI_COMM_SELF));
    all.push_back(merged_halves(seed % 2 == 0));
    return all;
}

}  // namespace strata::testing
