// Random end-to-end test of all collectives: the seed determines communicator, operation, datatype per
// rank, operator, root, size and place; with --vary-settings also the plugin's parameters.
//
//   random_collectives [--seed N] [--seconds S | --iterations N] [--first I] [--collectives bcast,reduce]
//                      [--vary-settings] [--any-types] [--memory host|gpu|mixed] [--digest FILE]
//
// --any-types: includes cases that stock Open MPI gets wrong (see CaseLimits). --digest writes a
// fingerprint of all ranks' results for every iteration: another implementation of the collectives must
// write the same file from the same seed. --memory: where the buffers are; mixed: drawn for each.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "check.h"
#include "collective_cases.h"
#include "communicators.h"
#include "run_settings.h"

using namespace strata::testing;

namespace {

constexpr std::int64_t iterations_per_set = 64;  // of communicators

struct Plan {
    std::int64_t seconds = 2;
    std::int64_t first = 0;
    std::int64_t iterations = -1;  ///< -1: until the seconds are over
    std::string collectives;
    std::string digest;
    bool vary = false;
    bool any_types = false;
    std::string memory;
};

BufferPlace parse_place(const std::string& text) {
    for (const auto& [name, place] :
         {std::pair{"host", BufferPlace::host}, std::pair{"gpu", BufferPlace::gpu},
          std::pair{"mixed", BufferPlace::mixed}}) {
        if (text == name) {
            return place;
        }
    }
    std::fprintf(stderr, "unknown memory '%s'; known: host gpu mixed\n", text.c_str());
    MPI_Abort(MPI_COMM_WORLD, exit_usage);
    return BufferPlace::host;
}

// Returns why some rank cannot use GPU memory; empty if all can.
std::string missing_memory(Session& session) {
    const std::string missing = GpuMemory::missing();
    const bool all_have = session.least(missing.empty() ? 1 : 0) == 1;
    return missing.empty() && !all_have ? "another process has no GPU memory" : missing;
}

struct Done {
    std::string text;
    std::uint64_t fingerprint = 0;
};

class Run {
public:
    Run(Session& session, const Plan& plan, std::string command)
        : session_(session), plan_(plan), command_(std::move(command)), operators_(session) {
        limits_.collectives = parse_collectives(plan.collectives);
        limits_.any_types = plan.any_types;
        limits_.plain = parse_place(plan.memory) != BufferPlace::host;
    }

    void all() {
        const double end = MPI_Wtime() + static_cast<double>(plan_.seconds);
        std::int64_t i = plan_.first;
        for (bool more = plan_.iterations != 0; more; ++i) {
            if (i == plan_.first || i % iterations_per_set == 0) {
                set_.clear();
                set_ = all_kinds_of_communicators(mix(session_.seed(), i / iterations_per_set));
            }
            one(i);
            // Only every few iterations: between them only the collectives synchronise the ranks.
            if (plan_.iterations >= 0) {
                more = i + 1 < plan_.first + plan_.iterations;
            } else if (i % 8 == 7) {
                more = session_.least(session_.failures() == 0 && MPI_Wtime() < end ? 1 : 0) == 1;
            }
        }
        set_.clear();
        if (session_.rank() == 0) {
            std::printf("random_collectives: %lld iterations\n", static_cast<long long>(i - plan_.first));
        }
        write_digest();
    }

private:
    void one(std::int64_t i) {
        Random common(mix(session_.seed(), i, 2));
        const NamedCommunicator& c =
            set_[static_cast<std::size_t>(common.between(0, static_cast<std::int64_t>(set_.size()) - 1))];
        const CollectiveCase what = random_case(common, session_.size(), operators_, limits_);
        const std::string text = c.name + ": " + describe(what, operators_);
        session_.at("iteration %lld: %s", static_cast<long long>(i), text.c_str());
        const int failures = session_.failures();
        const std::uint64_t fingerprint = c.member() ? run_case(session_, c.comm, what, operators_) : 0;
        if (session_.failures() > 0 && failures == 0) {
            print_repeating(i);
        }
        if (!plan_.digest.empty()) {
            done_.push_back({text, fingerprint});
        }
    }

    // Starts where the communicators were created: their earlier calls may matter.
    void print_repeating(std::int64_t i) const {
        const std::int64_t from = std::max(plan_.first, i - i % iterations_per_set);
        std::fprintf(stderr, "to repeat: %s --seed %llu --first %lld --iterations %lld\n", command_.c_str(),
                     static_cast<unsigned long long>(session_.seed()), static_cast<long long>(from),
                     static_cast<long long>(i + 1 - from));
    }

    // Combines the ranks' fingerprints of an iteration in rank order.
    void write_digest() {
        if (plan_.digest.empty()) {
            return;
        }
        std::vector<std::uint64_t> values;
        for (const Done& done : done_) {
            values.push_back(done.fingerprint);
        }
        if (session_.sabotages("digest") && !values.empty()) {
            values[values.size() / 2] ^= 1;
        }
        const auto count = static_cast<int>(values.size());
        if (session_.rank() != 0) {
            MPI_Send(values.data(), count, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD);
            return;
        }
        std::vector<std::uint64_t> theirs(values.size());
        for (int other = 1; other < session_.size(); ++other) {
            MPI_Recv(theirs.data(), count, MPI_UINT64_T, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] = mix(values[i], theirs[i]);
            }
        }
        std::FILE* file = std::fopen(plan_.digest.c_str(), "w");
        if (file == nullptr) {
            session_.fail("cannot write %s", plan_.digest.c_str());
            return;
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::fprintf(file, "%lld %016llx %s\n",
                         static_cast<long long>(plan_.first) + static_cast<long long>(i),
                         static_cast<unsigned long long>(values[i]), done_[i].text.c_str());
        }
        std::fclose(file);
    }

    Session& session_;
    const Plan& plan_;
    std::string command_;
    Operators operators_;
    CaseLimits limits_;
    std::vector<NamedCommunicator> set_;
    std::vector<Done> done_;
};

}  // namespace

int main(int argc, char** argv) {
    std::string command = deciding_environment();
    vary_settings(argc, argv);
    Session session(argc, argv);
    Plan plan;
    plan.seconds = session.number("--seconds", plan.seconds);
    plan.first = session.number("--first", plan.first);
    plan.iterations = session.number("--iterations", plan.iterations);
    plan.collectives = session.option("--collectives", "all");
    plan.digest = session.option("--digest", "");
    plan.vary = session.flag("--vary-settings");
    plan.any_types = session.flag("--any-types");
    plan.memory = session.option("--memory", "host");
    session.reject_other_arguments();
    command += "mpirun --oversubscribe -n " + std::to_string(session.size()) + " " + argv[0];
    command += plan.vary ? " --vary-settings" : "";
    command += plan.any_types ? " --any-types" : "";
    command += " --collectives " + plan.collectives;
    if (plan.memory != "host") {
        if (const std::string missing = missing_memory(session); !missing.empty()) {
            return session.skip(missing.c_str());
        }
        TypedBuffer::lie_in(parse_place(plan.memory), mix(session.seed(), session.rank(), 3));
        command += " --memory " + plan.memory;
    }
    if (session.rank() == 0) {
        std::printf("random_collectives: seed %llu; to repeat: %s --seed %llu\n",
                    static_cast<unsigned long long>(session.seed()), command.c_str(),
                    static_cast<unsigned long long>(session.seed()));
        std::fflush(stdout);
    }
    Run(session, plan, std::move(command)).all();
    return session.finish();
}
