#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A job's use of its plans, as one of its ranks recorded it: data, text and JSON.
namespace strata::algorithms {

/// Calls of one collective that took the same path.
struct CallUse {
    std::string collective;
    std::size_t least_bytes = 0;  ///< of the shortest call; as Operation::bytes
    std::size_t most_bytes = 0;   ///< of the longest call; 0: not all ranks know the size
    std::string path;             ///< an engine's name; "forward": the underlying component
    std::string levels;           ///< methods by level, with segments; empty if strata has no part in it
    std::string why;
    std::string sources;      ///< where set values come from; empty: everything is built in
    double predicted_us = 0;  ///< for the first call, on the path taken; 0: unknown
    double forward_us = 0;    ///< the same for the underlying component
    std::uint64_t calls = 0;
    double total_us = 0;  ///< measured on this rank, from the choice of a call's path to its end
    double least_us = 0;
    double most_us = 0;
    /// What no algorithm can beat for the shortest call (Planner::bound_us()); 0: unknown.
    double bound_us = 0;

    /// Returns "62 %": the bound as a share of the fastest call; empty if one is unknown.
    std::string bound_share() const;
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
    std::uint64_t memory = 0;  ///< bytes held at its end
    std::vector<LevelUse> levels;
    std::vector<CallUse> calls;
    std::uint64_t others = 0;  ///< calls of further kinds, which are not listed

    double total_us() const {
        double us = 0;
        for (const CallUse& use : calls) us += use.total_us;
        return us;
    }
};

struct JobUse {
    std::vector<CommunicatorUse> communicators;  ///< in the order in which they ended
    std::uint64_t others = 0;                    ///< communicators that are not listed
};

/// Returns a table of calls per communicator. `colour`: for a terminal.
std::string usage_text(const JobUse& use, bool colour = false);

/// Returns
/// "communicators":[{"name":"MPI_COMM_WORLD","ranks":16,"setup_us":1200,"memory":14000,"levels":[{"level":
/// "node","messages":3,"bytes":24}],"calls":[{"collective":"bcast","bytes":8,"to_bytes":12,"path":"tree",
/// "levels":"node binomial","why":"...","sources":"","predicted_us":12.5,"forward_us":20,"calls":3,
/// "total_us":48,"least_us":12,"most_us":20,"bound_us":4}],"other_calls":0}],"other_communicators":0
std::string usage_members(const JobUse& use);

/// Reads these members from a job's dump. Empty if they are missing, as in the dump of a job that did not
/// end well. `file` names it in messages. Throws topology::FileError.
std::optional<JobUse> parse_usage(std::string_view dump, std::string_view file);

/// The choices for one communicator that a dump lists.
struct JobChoices {
    std::string communicator;  ///< empty: unknown
    /// Each with its sizes and without calls; `predicted_us` and `forward_us` are for the smallest size.
    /// Empty if the communicator has too many ranks for the job to list choices.
    std::vector<CallUse> choices;
};

/// Reads the choices (listing_members()) from a job's dump. Empty if they are missing, as in the output of
/// strata-topo. Throws topology::FileError.
std::optional<JobChoices> parse_choices(std::string_view dump, std::string_view file);

}  // namespace strata::algorithms
