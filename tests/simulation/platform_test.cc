// Messages on a platform take the times of the machine's description.
#include <gtest/gtest.h>
#include <simgrid/s4u.hpp>
#include <smpi/mpi.h>

#include <algorithm>
#include <vector>

#include "simulated_job.h"

namespace {

using namespace strata::simulation;

constexpr int bytes = 1000000;

/// Transfers that start together.
struct Transfer {
    int from;
    int to;
};

/// Returns the microseconds until the last transfer of each set has ended.
std::vector<double> times(const char* file, const std::vector<std::vector<Transfer>>& sets,
                          const std::vector<MachineChange>& changes = {}) {
    const Machine machine = read_machine(std::string(STRATA_MACHINES) + file, changes);
    const Ranks ranks(machine, {});
    std::vector<double> ends(sets.size(), 0);
    simgrid::s4u::BarrierPtr together;
    const auto size = static_cast<unsigned>(ranks.size());
    std::vector<char> data(bytes);
    run_job(
        machine, ranks, "ompi", [&] { together = simgrid::s4u::Barrier::create(size); },
        [&](int rank, MPI_Comm comm) {
            for (std::size_t i = 0; i < sets.size(); ++i) {
                together->wait();
                const double begin = simgrid::s4u::Engine::get_clock();
                std::vector<MPI_Request> requests;
                for (const Transfer& one : sets[i]) {
                    MPI_Request request = MPI_REQUEST_NULL;
                    if (one.from == rank) MPI_Isend(data.data(), bytes, MPI_BYTE, one.to, 0, comm, &request);
                    if (one.to == rank) MPI_Irecv(data.data(), bytes, MPI_BYTE, one.from, 0, comm, &request);
                    if (request != MPI_REQUEST_NULL) requests.push_back(request);
                }
                MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
                ends[i] = std::max(ends[i], 1e6 * (simgrid::s4u::Engine::get_clock() - begin));
                together->wait();
            }
        });
    return ends;
}

/// Returns latency, bytes by MB/s, and the CPU overheads, which both ends have at the same time.
double expected(double latency_us, double mbytes_per_s, double transfers, double overhead_us) {
    return latency_us + transfers * bytes / mbytes_per_s + overhead_us;
}

/// No rank sends to rank 1.
TEST(Platform, RanksThatWaitForEverAreReported) {
    const Machine machine = read_machine(std::string(STRATA_MACHINES) + "nuioa8.json");
    const Ranks ranks(machine, {});
    const auto stuck = [&] {
        run_job(
            machine, ranks, "ompi", [] {},
            [](int rank, MPI_Comm comm) {
                char byte = 0;
                if (rank == 1) MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
            });
    };
    EXPECT_THROW(stuck(), std::runtime_error);
}

TEST(Platform, NicsWriteSlowlyIntoOtherDomains) {
    // Ranks 0 and 1 are in domain 0, 2 and 3 in domain 1, which has the NIC; 8 to 15 are on the next node.
    const auto found = times("nuioa8.json", {{{0, 1}},
                                             {{0, 2}},
                                             {{0, 8}},
                                             {{0, 10}},
                                             {{10, 0}},
                                             {{10, 2}},
                                             {{0, 8}, {1, 9}},
                                             {{0, 10}, {1, 11}},
                                             {{0, 8}, {8, 0}},
                                             {{0, 1}, {0, 2}},
                                             {{0, 8}, {0, 16}},
                                             {{0, 8}, {8, 0}, {10, 11}, {11, 10}}});
    EXPECT_NEAR(found[0], expected(0.5, 1800, 1, 0.4), 0.1) << "in a domain";
    EXPECT_NEAR(found[1], expected(0.8, 1800, 1, 0.4), 0.1) << "between domains";
    EXPECT_NEAR(found[2], expected(3.3, 1150, 1, 0.4), 0.1) << "far to far";
    EXPECT_NEAR(found[3], expected(3, 1500, 1, 0.4), 0.1) << "far to near";
    EXPECT_NEAR(found[4], expected(3, 1150, 1, 0.4), 0.1) << "near to far";
    EXPECT_NEAR(found[5], expected(2.7, 1500, 1, 0.4), 0.1) << "near to near";
    EXPECT_NEAR(found[6], expected(3.3, 1150, 2, 0.4), 0.2) << "two share what the NIC writes afar";
    EXPECT_NEAR(found[7], expected(3, 1500, 2, 0.4), 0.2) << "two share the NIC";
    EXPECT_NEAR(found[8], expected(3.3, 1150, 1, 0.4), 0.1) << "directions do not share";
    EXPECT_NEAR(found[9], expected(0.8, 1800, 2, 0.4), 1.5) << "a core sends one message after the other";
    EXPECT_NEAR(found[10], expected(3, 1150, 2, 0.4), 4) << "to whomever";
    EXPECT_NEAR(found[11], expected(3.3, 1150, 1, 0.4), 0.1) << "and passes by the memory near the NIC";
}

TEST(Platform, ReadsAndWritesOfANicShareItsPathToOtherDomains) {
    const auto found = times("nuioa8.json", {{{0, 8}}, {{0, 8}, {8, 0}}, {{2, 10}, {10, 2}}},
                             {{"far_path_mbytes_per_s", 2000}});
    EXPECT_NEAR(found[0], expected(3.3, 1150, 1, 0.4), 0.1) << "one direction does not fill it";
    EXPECT_NEAR(found[1], expected(3.3, 1000, 1, 0.4), 0.2) << "both share it";
    EXPECT_NEAR(found[2], expected(2.7, 1500, 1, 0.4), 0.1) << "near the NIC none is used";
}

TEST(Platform, LevelsHaveTheirLatenciesEndToEnd) {
    // 10 nodes of 2 packages of 2 domains of 6 cores.
    const auto found = times("ntw10e5.json", {{{0, 1}},
                                              {{0, 6}},
                                              {{0, 12}},
                                              {{0, 24}},
                                              {{0, 24}, {1, 25}, {12, 36}, {18, 42}},
                                              {{0, 24}, {24, 0}},
                                              {{0, 1}, {1, 0}},
                                              {{0, 1}, {1, 2}},
                                              {{6, 30}, {25, 7}}});
    EXPECT_NEAR(found[0], expected(0.25, 5000, 1, 0.2), 0.1);
    EXPECT_NEAR(found[1], expected(0.4, 5000, 1, 0.2), 0.1);
    EXPECT_NEAR(found[2], expected(0.6, 5000, 1, 0.2), 0.1);
    EXPECT_NEAR(found[3], expected(1.6, 3200, 1, 0.2), 0.1);
    EXPECT_NEAR(found[4], expected(1.6, 3200, 4, 0.2), 0.4) << "four share the NIC";
    EXPECT_NEAR(found[5], expected(1.6, 3200, 1, 0.2), 0.1) << "directions do not share";
    EXPECT_NEAR(found[6], expected(0.25, 5000, 1, 0.2), 0.1) << "here neither";
    EXPECT_NEAR(found[7], expected(0.25, 5000, 1, 0.2), 0.1) << "a core sends and receives at once";
    EXPECT_NEAR(found[8], expected(1.6, 3200, 1, 0.2), 0.1) << "nor do other cores of a node";
}

TEST(Platform, DomainsShareTheirBus) {
    const auto found = times("smp12e5.json", {{{0, 1}, {2, 3}, {4, 5}}, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}});
    EXPECT_NEAR(found[0], expected(0.25, 4500, 1, 0.2), 0.1) << "13,500 of 17,000 MB/s";
    EXPECT_NEAR(found[1], expected(0.25, 17000, 4, 0.2), 0.2) << "18,000 are too much";
}

TEST(Platform, NoTransferCountsMoreThanAnother) {
    // All have a quarter of the bus until the transfer that leaves the package has ended.
    const auto found = times("smp12e5.json", {{{0, 1}, {0, 1}, {2, 3}, {2, 3}, {4, 5}, {4, 5}, {6, 8}}});
    EXPECT_NEAR(found[0], expected(0.25, 17000, 4, 0.2) + bytes / 4500.0, 2);
}

}  // namespace
