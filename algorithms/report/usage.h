#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What a job did with its plans, as one of its ranks saw it, for people and for programs.
namespace strata::algorithms {

/// Calls of one collective that went the same way.
struct CallUse {
    std::string collective;
    std::size_t least_bytes = 0;  ///< of the shortest of them; as Operation::bytes
    std::size_t most_bytes = 0;   ///< 0: what not all ranks know
    std::string path;             ///< an engine's name; "forward": the underlying component
    std::string levels;           ///< by levels, with segments; empty where nothing of that is ours
    std::string why;
    std::string sources;      ///< who has set what; empty: everything is built in
    double predicted_us = 0;  ///< for the first of them, on the path taken; 0: not known
    double forward_us = 0;    ///< the same of the underlying component
    std::uint64_t calls = 0;
    double total_us = 0;  ///< measured on this rank, from when a call's path is known to its end
    double least_us = 0;
    double most_us = 0;

    double mean_us() const { return calls > 0 ? total_us / static_cast<double>(calls) : 0; }
};

struct LevelUse {
    std::string level;
    std::uint64_t messages = 0;  ///< sent by this rank
    std::uint64_t bytes = 0;
};

struct CommunicatorUse {
    std::string name;
    int ranks = 0;
    std::uint64_t setup_us = 0;
    std::uint64_t memory = 0;  ///< bytes kept at its end
    std::vector<LevelUse> levels;
    std::vector<CallUse> calls;
    std::uint64_t others = 0;  ///< calls of further kinds, of which nothing else is told

    double total_us() const {
        double us = 0;
        for (const CallUse& use : calls) us += use.total_us;
        return us;
    }
};

struct JobUse {
    std::vector<CommunicatorUse> communicators;  ///< in the order in which they ended
    std::uint64_t others = 0;                    ///< communicators of which nothing is told
};

/// A table of calls for each communicator. `colour`: for a terminal.
std::string usage_text(const JobUse& use, bool colour = false);

/// "communicators":[{"name":"MPI_COMM_WORLD","ranks":16,"setup_us":1200,"memory":14000,"levels":[{"level":
/// "node","messages":3,"bytes":24}],"calls":[{"collective":"bcast","bytes":8,"to_bytes":12,"path":"tree",
/// "levels":"node binomial","why":"...","sources":"","predicted_us":12.5,"forward_us":20,"calls":3,
/// "total_us":48,"least_us":12,"most_us":20}],"other_calls":0}],"other_communicators":0
std::string usage_members(const JobUse& use);

/// Reads that from a job's dump; empty where it is missing, as in what a job wrote that did not end well.
/// `file` names it in messages. Throws topology::FileError.
std::optional<JobUse> parse_usage(std::string_view dump, std::string_view file);

/// The choices that a dump lists, for a communicator.
struct JobChoices {
    std::string communicator;  ///< empty: not told
    /// Each with the sizes for which it holds and no calls; `predicted_us` and `forward_us` are of the
    /// smallest. Empty where the communicator has too many ranks for the job to list them.
    std::vector<CallUse> choices;
};

/// Reads those (listing_members()) from a job's dump; empty where they are missing, as in what strata-topo
/// writes. Throws topology::FileError.
std::optional<JobChoices> parse_choices(std::string_view dump, std::string_view file);

}  // namespace strata::algorithms
