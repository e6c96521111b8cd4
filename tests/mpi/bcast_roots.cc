// Tests Bcast from every root of every standing communicator, at sizes around the usual limits, twice with
// different data.
#include <algorithm>
#include <sstream>

#include "check.h"
#include "communicators.h"

using namespace strata::testing;

namespace {

std::vector<std::size_t> parse_sizes(const std::string& text) {
    std::vector<std::size_t> sizes;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, ',');) {
        sizes.push_back(std::stoull(word));
    }
    return sizes;
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const auto sizes = parse_sizes(session.option("--sizes", "0,1,7,4095,4096,61439,61440,61441,1048579"));
    // Large messages add little per root: first, last and this many roots between.
    const auto large_roots = static_cast<int>(session.number("--large-roots", 3));
    session.reject_other_arguments();

    for (const NamedCommunicator& c : standing_communicators(session.seed())) {
        if (!c.member()) {
            continue;
        }
        const int ranks = c.size();
        for (const std::size_t bytes : sizes) {
            const int step = bytes > 256 * 1024 ? std::max(1, (ranks - 1) / large_roots) : 1;
            for (int root = 0; root < ranks; root += step) {
                for (int repeat = 0; repeat < 2; ++repeat) {
                    session.at("%s (%d ranks), root %d, %zu bytes, repeat %d", c.name.c_str(), ranks, root,
                               bytes, repeat);
                    const auto key = mix(session.seed(), bytes, root, repeat);
                    checked_bcast(session, c.comm, root, bytes, key);
                }
            }
        }
    }
    return session.finish();
}
