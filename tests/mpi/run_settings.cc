#include "run_settings.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <set>
#include <string>

#include "collective_cases.h"

extern char** environ;

namespace strata::testing {

namespace {

// Parameters that decide what a run does; others describe the job and change from run to run.
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

std::string level_algorithms(Random& random, bool exchanges) {
    std::string rules;
    for (const char* level : {"cluster", "switch", "node", "package", "numa"}) {
        if (random.one_in(2)) {
            rules += (rules.empty() ? "" : ",") + std::string(level) + "=" +
                     (exchanges && random.one_in(2)
                          ? std::string("recursive_doubling")
                          : one_of<9>(random, {"linear", "chain:1", "chain:2", "chain:3", "pipeline",
                                               "binary", "binomial", "knomial:3", "knomial:4"}));
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
        set(name + "_algorithm", one_of<4>(random, {"auto", "tree", "tree", "forward"}));
        set(name + "_level_algorithms", random.one_in(2)
                                            ? level_algorithms(random, collective == Collective::allreduce ||
                                                                           collective == Collective::barrier)
                                            : "");
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
