// Broadcasts once, so that the plugin, if loaded, elects leaders; then computes with the plugin's own code
// the facts missing in its dump. Rank 0 prints, for scripts:
//
//   rank RANK CPUS           the hardware threads that the kernel lets each rank run on
//   nic_leaders RANK ...    the leader rank of each NIC
#include "component/agreement/election_settings.h"  // Open MPI's internal headers come before mpi.h
#include "component/agreement/locality.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "topology/hierarchy.h"
#include "topology/leaders.h"

namespace {

using namespace strata;

/// The message of a rank to rank 0.
struct Message {
    std::array<char, 64> cpus{};
    std::uint32_t bytes = 0;
    std::array<std::byte, 256> record{};
};

std::string allowed_cpus() {
    const std::string key = "Cpus_allowed_list:";
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(key)) return line.substr(line.find_first_not_of(" \t", key.size()));
    }
    return "unknown";
}

Message own_message() {
    Message message;
    std::strncpy(message.cpus.data(), allowed_cpus().c_str(), message.cpus.size() - 1);
    auto failure = component::Failure::none;
    const auto record = topology::encode(component::own_record(component::Settings{}, 0, 0, failure));
    if (failure != component::Failure::none || record.size() > message.record.size()) std::abort();
    message.bytes = static_cast<std::uint32_t>(record.size());
    std::copy(record.begin(), record.end(), message.record.begin());
    return message;
}

void print(const std::vector<Message>& messages) {
    std::vector<topology::LocalityRecord> records(messages.size());
    for (std::size_t rank = 0; rank < messages.size(); ++rank) {
        const Message& message = messages[rank];
        std::printf("rank %zu %s\n", rank, message.cpus.data());
        const std::vector<std::byte> bytes(message.record.begin(), message.record.begin() + message.bytes);
        if (!topology::decode(bytes, records[rank])) std::abort();
    }
    const component::Settings settings;
    const topology::Election election = component::election_settings_of(MPI_COMM_WORLD, settings, settings);
    const topology::Hierarchy hierarchy = topology::build_hierarchy(records, {{}, election});
    std::printf("nic_leaders");
    for (const int leader : topology::nic_leaders(hierarchy, records, 0, election))
        std::printf(" %d", leader);
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<int> data(1000, rank == 0 ? 7 : 0);
    MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_INT, 0, MPI_COMM_WORLD);
    if (data != std::vector<int>(1000, 7)) std::abort();

    const Message own = own_message();
    std::vector<Message> all(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
    MPI_Gather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) print(all);
    MPI_Finalize();
    return 0;
}
