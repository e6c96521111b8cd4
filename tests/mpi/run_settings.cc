#include "run_settings.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "collective_cases.h"

extern char** environ;

namespace strata::testing {

namespace {

// Parameters that change a run's behaviour; others describe the job and differ from run to run.
constexpr std::array<std::string_view, 6> deciding = {
    "OMPI_MCA_coll", "OMPI_MCA_mca_base_param_files", "OMPI_MCA_opal_mca_base_component_path", "OMPI_MCA_pml",
    "OMPI_MCA_btl",  "OMPI_MCA_mpi_yield_when_idle"};

template <std::size_t n>
std::string one_of(Random& random, const std::array<const char*, n>& words) {
    return words[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(n) - 1))];
}

void set(const std::string& parameter, const std::string& value) {
    setenv(("OMPI_MCA_coll_strata_" + parameter).c_str(), value.c_str(), 1);
}

/// Methods for one level: shapes of the tree engine, and Open MPI's algorithms and components for the
/// levels engine.
std::vector<std::string> level_words(Collective collective, const std::string& engine) {
    const bool exchanges = collective == Collective::allreduce || collective == Collective::barrier ||
                           collective == Collective::allgather || collective == Collective::allgatherv;
    if (engine != "levels") {
        std::vector<std::string> shapes = {"linear",   "chain:1",   "chain:2",   "chain:3",        "pipeline",
                                           "binomial", "knomial:3", "knomial:4", "in_order_binary"};
        shapes.insert(shapes.end(), exchanges ? 5 : 1, exchanges ? "recursive_doubling" : "binary");
        const bool vectors = collective == Collective::bcast || collective == Collective::reduce ||
                             collective == Collective::allreduce;
        if (vectors && engine != "rails") {
            shapes.insert(shapes.end(), {"double_binary", "double_binary", "split_binary"});
        }
        shapes.insert(shapes.end(), collective == Collective::allreduce ? 5 : 0, "rabenseifner");
        return shapes;
    }
    const std::vector<std::string> bcasts = {
        "chain:3",  "pipeline",  "split_binary",      "binary",
        "binomial", "knomial:3", "scatter_allgather", "scatter_allgather_ring"};
    const std::vector<std::string> reductions = {"chain:2",  "pipeline",        "binary",
                                                 "binomial", "in_order_binary", "rabenseifner"};
    std::vector<std::string> words = {"linear", "tuned", "basic", "libnbc"};
    const auto add = [&](const std::vector<std::string>& more) {
        words.insert(words.end(), more.begin(), more.end());
    };
    switch (collective) {
        case Collective::bcast: add(bcasts); break;
        case Collective::reduce: add(reductions); break;
        case Collective::allreduce:
            add(bcasts);
            add(reductions);
            add({"recursive_doubling", "ring", "segmented_ring", "nonoverlapping", "rabenseifner"});
            break;
        case Collective::allgather: add({"recursive_doubling"}); [[fallthrough]];
        case Collective::allgatherv:
            add(bcasts);
            add({"bruck", "ring", "neighbor", "two_proc", "linear_sync"});
            break;
        case Collective::gather:
        case Collective::gatherv: add({"binomial", "linear_sync"}); break;
        case Collective::scatter:
        case Collective::scatterv: add({"binomial", "linear_nb"}); break;
        case Collective::barrier:
            add({"double_ring", "recursive_doubling", "bruck", "two_proc", "tree"});
            break;
    }
    return words;
}

std::string level_algorithms(Random& random, const std::vector<std::string>& words) {
    std::string rules;
    for (const char* level : {"cluster", "switch", "node", "package", "numa"}) {
        if (random.one_in(2)) {
            const auto word = random.between(0, static_cast<std::int64_t>(words.size()) - 1);
            rules +=
                (rules.empty() ? "" : ",") + std::string(level) + "=" + words[static_cast<std::size_t>(word)];
        }
    }
    return rules;
}

void vary(Random random) {
    set("window", one_of<4>(random, {"1", "2", "4", "16"}));
    set("reproducible", one_of<2>(random, {"0", "1"}));
    set("hierarchy", one_of<6>(random, {"", "", "none", "node", "node,numa", "numa:2"}));
    for (const Collective collective : all_collectives()) {
        const std::string name = name_of(collective);
        const bool rings = collective == Collective::allgather || collective == Collective::allgatherv ||
                           collective == Collective::allreduce;
        const bool rails = rings || collective == Collective::bcast;
        const bool boards = collective == Collective::bcast || collective == Collective::reduce ||
                            collective == Collective::allreduce || collective == Collective::barrier;
        const std::string engine =
            one_of<7>(random, {"auto", rings ? "ring" : "tree", rails ? "rails" : "tree",
                               boards ? "node" : "tree", "tree", "levels", "forward"});
        const auto words = level_words(collective, engine);
        set(name + "_algorithm", engine);
        set(name + "_level_algorithms", random.one_in(2) ? level_algorithms(random, words) : "");
        set(name + "_segsize", one_of<8>(random, {"", "", "", "1000", "4k", "8k", "60k", "0"}));
    }
}

std::string quoted(std::string_view text) {
    std::string out = "'";
    for (const char letter : text) {
        out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    }
    return out + "'";
}

}  // namespace

void vary_settings(int argc, char** argv) {
    std::uint64_t seed = 1;
    bool wanted = false;
    for (int i = 1; i < argc; ++i) {
        wanted = wanted || std::strcmp(argv[i], "--vary-settings") == 0;
        if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            seed = static_cast<std::uint64_t>(std::strtoll(argv[i + 1], nullptr, 10));
        }
    }
    if (wanted) {
        vary(Random(mix(seed, 50)));
    }
}

std::string deciding_environment() {
    std::set<std::string> assignments;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        for (const std::string_view prefix : deciding) {
            if (text.starts_with(prefix) && text.find('=') != std::string_view::npos) {
                assignments.insert(std::string(text.substr(0, text.find('='))) + "=" +
                                   quoted(text.substr(text.find('=') + 1)) + " ");
                break;
            }
        }
    }
    return std::accumulate(assignments.begin(), assignments.end(), std::string());
}

}  // namespace strata::testing
