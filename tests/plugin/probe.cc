// Runs broadcasts, gathers or reductions, checks the results on every rank, and then sums every performance
// variable coll_strata_* over all ranks (variables of communicators: those of MPI_COMM_WORLD). Ranks
// without the plugin take part; they have no variables. Rank 0 prints, for scripts:
//
//   node RANK NAME            where each rank runs
//   plugin RANKS              how many ranks have the plugin
//   pvar NAME SUM             each variable that is not 0 everywhere
//   start MILLISECONDS        MPI_Init and the first broadcast, slowest rank
//
//   probe [--sizes 8,65536] [--roots 0,5 | all] [--on world|dup|both] [--calls N] [--cycles N] [--empty]
//         [--tools-first] [--op bcast|gather|reduce|allreduce|nothing]
//         [--info KEY=VALUE;...] [--info-there RANK:KEY=VALUE;...]
//         [--made-by dup|split_type|dup_of_dup|reversed]
//
// --info: creates the duplicate with this info object, and on one rank with that of --info-there instead;
// --made-by: how to create it (dup_of_dup: MPI_Comm_dup of the communicator with the info object; reversed:
// with the ranks in reverse order, without the info object). --op
// gather: gathers blocks of these sizes, on MPI_COMM_WORLD; --op reduce: sums vectors of these sizes there;
// --op allreduce: the same, three Allreduces and a Reduce per call; --op nothing: broadcasts, then those of
// elements of no size, then broadcasts.
// --cycles: repeats broadcasts on a new duplicate and on its two halves, and frees them.
// --empty: first broadcasts elements of no size from every root.
// --tools-first: initialises MPI_T before MPI, and reads it again after MPI_Finalize; reads no variables of
// communicators.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>

#include "check.h"
#include "plugin_variables.h"

using namespace strata::testing;

namespace {

std::vector<std::size_t> numbers(const std::string& text) {
    std::vector<std::size_t> result;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, ',');) {
        result.push_back(std::stoull(word));
    }
    return result;
}

/// Returns every rank's text on rank 0, in rank order; empty elsewhere. Point-to-point only.
std::vector<std::string> gather(const Session& session, const std::string& own) {
    constexpr int tag = 7;
    std::vector<std::string> all;
    if (session.rank() != 0) {
        MPI_Send(own.data(), static_cast<int>(own.size()), MPI_CHAR, 0, tag, MPI_COMM_WORLD);
        return all;
    }
    all.push_back(own);
    for (int rank = 1; rank < session.size(); ++rank) {
        MPI_Status status;
        int bytes = 0;
        MPI_Probe(rank, tag, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_CHAR, &bytes);
        std::string text(static_cast<std::size_t>(bytes), ' ');
        MPI_Recv(text.data(), bytes, MPI_CHAR, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        all.push_back(text);
    }
    return all;
}

void broadcast(Session& session, MPI_Comm comm, const std::vector<std::size_t>& sizes,
               const std::vector<std::size_t>& roots, int calls) {
    for (const std::size_t bytes : sizes) {
        for (const std::size_t root : roots) {
            for (int call = 0; call < calls; ++call) {
                session.at("%zu bytes from rank %zu, call %d", bytes, root, call);
                checked_bcast(session, comm, static_cast<int>(root), bytes,
                              mix(session.seed(), bytes, root, call));
            }
        }
    }
}

void checked_gather(Session& session, int root, std::size_t block, std::uint64_t key) {
    const bool at_root = session.rank() == root;
    const auto ranks = static_cast<std::size_t>(session.size());
    GuardedBuffer own(block);
    GuardedBuffer all(at_root ? block * ranks : 0);
    fill_pattern(own.data(), block, mix(key, session.rank()));
    const int count = static_cast<int>(block);
    MPI_Gather(own.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, root, MPI_COMM_WORLD);
    for (std::size_t rank = 0; at_root && rank < ranks; ++rank) {
        session.expect_pattern(all.data() + rank * block, block, mix(key, rank));
    }
    session.expect_pattern(own.data(), block, mix(key, session.rank()));
    own.expect_guards(session);
    all.expect_guards(session);
}

/// Sums vectors of integers, `bytes` rounded down to whole ones.
void checked_reduce(Session& session, int root, std::size_t bytes, std::uint64_t key) {
    const std::size_t count = bytes / sizeof(std::uint64_t);
    const auto ranks = static_cast<std::uint64_t>(session.size());
    std::vector<std::uint64_t> own(count);
    std::vector<std::uint64_t> sum(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        own[i] = mix(key, i) + static_cast<std::uint64_t>(session.rank());
    }
    MPI_Reduce(own.data(), sum.data(), static_cast<int>(count), MPI_UINT64_T, MPI_SUM, root, MPI_COMM_WORLD);
    bool right = true;
    for (std::size_t i = 0; session.rank() == root && i < count; ++i) {
        right = right && sum[i] == ranks * mix(key, i) + ranks * (ranks - 1) / 2;
    }
    session.expect(right, "every element is the sum over all ranks");
}

/// Sums integers in place and not; in the latter case also real numbers, whose sum shows the order of
/// combination. Rank 0 prints whether that is the order of MPI_Reduce ("combined as MPI_Reduce").
void checked_allreduce(Session& session, int /*root*/, std::size_t bytes, std::uint64_t key) {
    const std::size_t count = bytes / sizeof(std::uint64_t);
    const auto ranks = static_cast<std::uint64_t>(session.size());
    const int elements = static_cast<int>(count);
    std::vector<std::uint64_t> own(count);
    std::vector<double> fractions(count);
    for (std::size_t i = 0; i < count; ++i) {
        own[i] = mix(key, i) + static_cast<std::uint64_t>(session.rank());
        fractions[i] = 1 / static_cast<double>(1 + mix(key, i, session.rank()) % 1000);
    }
    const std::vector<std::uint64_t> before = own;
    std::vector<std::uint64_t> sum(count, 0);
    MPI_Allreduce(own.data(), sum.data(), elements, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    session.expect(own == before, "the send buffer is unchanged");
    MPI_Allreduce(MPI_IN_PLACE, own.data(), elements, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    bool right = true;
    for (std::size_t i = 0; i < count; ++i) {
        right = right && sum[i] == ranks * mix(key, i) + ranks * (ranks - 1) / 2 && own[i] == sum[i];
    }
    session.expect(right, "every element is the sum over all ranks, in place or not");
    std::vector<double> all(count);
    std::vector<double> at_root(count);
    MPI_Allreduce(fractions.data(), all.data(), elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(fractions.data(), at_root.data(), elements, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (session.rank() == 0) {
        const bool alike = std::memcmp(all.data(), at_root.data(), count * sizeof(double)) == 0;
        std::printf("combined %s MPI_Reduce\n", alike ? "as" : "unlike");
    }
}

using Checked = void (*)(Session&, int root, std::size_t bytes, std::uint64_t key);

void call_all(Session& session, Checked checked, const std::vector<std::size_t>& sizes,
              const std::vector<std::size_t>& roots, int calls) {
    for (const std::size_t bytes : sizes) {
        for (const std::size_t root : roots) {
            for (int call = 0; call < calls; ++call) {
                session.at("%zu bytes to rank %zu, call %d", bytes, root, call);
                checked(session, static_cast<int>(root), bytes, mix(session.seed(), bytes, root, call));
            }
        }
    }
}

/// Returns "a=1;b=2" as an info object; MPI_INFO_NULL for an empty text.
MPI_Info make_info(const std::string& text) {
    MPI_Info info = MPI_INFO_NULL;
    std::istringstream in(text);
    for (std::string entry; std::getline(in, entry, ';');) {
        if (info == MPI_INFO_NULL) {
            MPI_Info_create(&info);
        }
        const std::size_t equals = entry.find('=');
        MPI_Info_set(info, entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str());
    }
    return info;
}

/// The info object of this rank's duplicate.
MPI_Info own_info(const Session& session, const std::string& everywhere, const std::string& there) {
    const std::size_t colon = there.find(':');
    const bool here = !there.empty() && std::stoi(there.substr(0, colon)) == session.rank();
    return make_info(here ? there.substr(colon + 1) : everywhere);
}

MPI_Comm duplicate(MPI_Info info, const std::string& made_by) {
    MPI_Comm copy = MPI_COMM_NULL;
    if (made_by == "split_type") {
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &copy);
        return copy;
    }
    if (made_by == "reversed") {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &copy);
        return copy;
    }
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy);
    if (made_by == "dup_of_dup") {
        MPI_Comm first = copy;
        MPI_Comm_dup(first, &copy);
        MPI_Comm_free(&first);
    }
    return copy;
}

/// Broadcasts elements of no size from every root: passed-through ones still exchange messages.
void broadcast_nothing(Session& session, MPI_Comm comm) {
    MPI_Datatype nothing = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    for (int root = 0; root < session.size(); ++root) {
        session.at("elements of no size from rank %d", root);
        MPI_Bcast(nullptr, 3, nothing, root, comm);
    }
    MPI_Type_free(&nothing);
}

void cycle(Session& session, int number) {
    session.at("cycle %d", number);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, session.rank() * 2 / session.size(), 0, &half);
    checked_bcast(session, copy, number % session.size(), 70000, mix(session.seed(), number));
    checked_bcast(session, half, 0, 5000, mix(session.seed(), number, 1));
    MPI_Comm_free(&copy);
    checked_bcast(session, half, 0, 300, mix(session.seed(), number, 2));
    MPI_Comm_free(&half);
}

void print(const Session& session, const Values& values, double start_ms) {
    char node[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    MPI_Get_processor_name(node, &length);
    std::ostringstream own;
    own << node << ' ' << start_ms << '\n';
    for (const auto& [name, value] : values) {
        own << name << ' ' << value << '\n';
    }
    Values sums;
    double slowest = 0;
    int with_plugin = 0;
    const auto all = gather(session, own.str());
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        std::istringstream in(all[rank]);
        std::string name;
        double milliseconds = 0;
        in >> name >> milliseconds;
        std::printf("node %zu %s\n", rank, name.c_str());
        slowest = std::max(slowest, milliseconds);
        unsigned long long value = 0;
        bool has_plugin = false;
        while (in >> name >> value) {
            sums[name] += value;
            has_plugin = true;
        }
        with_plugin += has_plugin ? 1 : 0;
    }
    if (session.rank() == 0) {
        std::printf("plugin %d\nstart %.0f\n", with_plugin, slowest);
        for (const auto& [name, sum] : sums) {
            if (sum != 0) {
                std::printf("pvar %s %llu\n", name.c_str(), sum);
            }
        }
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const auto begin = std::chrono::steady_clock::now();
    bool tools_first = false;
    for (int i = 1; i < argc; ++i) {
        tools_first = tools_first || std::strcmp(argv[i], "--tools-first") == 0;
    }
    std::optional<Variables> variables;
    if (tools_first) {
        variables.emplace(false);
    }
    int status = 0;
    {
        Session session(argc, argv);
        session.flag("--tools-first");
        const auto sizes = numbers(session.option("--sizes", "8,70000"));
        const std::string root_text = session.option("--roots", "0");
        auto roots = numbers(root_text == "all" ? "" : root_text);
        for (int rank = 0; root_text == "all" && rank < session.size(); ++rank) {
            roots.push_back(static_cast<std::size_t>(rank));
        }
        const std::string on = session.option("--on", "world");
        const int calls = static_cast<int>(session.number("--calls", 1));
        const int cycles = static_cast<int>(session.number("--cycles", 0));
        const bool empty = session.flag("--empty");
        const std::string op = session.option("--op", "bcast");
        const std::string info_text = session.option("--info", "");
        const std::string info_there = session.option("--info-there", "");
        const std::string made_by = session.option("--made-by", "dup");
        session.reject_other_arguments();
        if (!tools_first) {
            variables.emplace(true);
        }
        if (empty) {
            broadcast_nothing(session, MPI_COMM_WORLD);
        }
        if (op == "gather") {
            call_all(session, checked_gather, sizes, roots, calls);
        } else if (op == "allreduce") {
            call_all(session, checked_allreduce, sizes, roots, calls);
        } else if (op == "reduce") {
            call_all(session, checked_reduce, sizes, roots, calls);
        } else if (op == "nothing") {
            broadcast(session, MPI_COMM_WORLD, sizes, roots, calls);
            broadcast_nothing(session, MPI_COMM_WORLD);
            broadcast(session, MPI_COMM_WORLD, sizes, roots, calls);
        } else if (on != "dup") {
            broadcast(session, MPI_COMM_WORLD, sizes, roots, calls);
        }
        const auto spent = std::chrono::steady_clock::now() - begin;
        if (on != "world") {
            MPI_Info info = own_info(session, info_text, info_there);
            MPI_Comm copy = duplicate(info, made_by);
            if (info != MPI_INFO_NULL) {
                MPI_Info_free(&info);
            }
            if (empty) {
                broadcast_nothing(session, copy);
            }
            broadcast(session, copy, sizes, roots, calls);
            MPI_Comm_free(&copy);
        }
        for (int i = 0; i < cycles; ++i) {
            cycle(session, i);
        }
        session.at("reading the performance variables");
        print(session, variables->read(), std::chrono::duration<double, std::milli>(spent).count());
        session.expect(!variables->broken(), "performance variables can be read");
        if (!tools_first) {
            variables.reset();
        }
        status = session.finish();
    }
    if (tools_first) {
        variables->read();  // may be gone, but must not crash
    }
    return status;
}
