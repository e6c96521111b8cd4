#include "line_reader.h"
#include "topology/text.h"
#include "topology/text_file.h"
#include "traffic_reading.h"

namespace strata::mapping {
namespace {

/// Checks that "# sent by rank R of N, ..." has this rank and number of ranks.
void check_heading(LineReader& reader, int rank, int ranks) {
    std::string_view line;
    std::vector<std::string_view> words;
    if (reader.next(line, '\0')) words_of(line, words, ',');
    if (words.size() < 7 || !line.starts_with("# sent by rank ")) {
        reader.fail_whole("expected a first line '# sent by rank R of N, ...', as from MPI_M_flush");
    }
    if (reader.whole(words[4]) != static_cast<std::uint64_t>(rank)) {
        reader.fail("is about rank " + std::string(words[4]) + ", not " + std::to_string(rank));
    }
    if (reader.whole(words[6]) != static_cast<std::uint64_t>(ranks)) {
        reader.fail("is about " + std::string(words[6]) + " ranks, but there are " + std::to_string(ranks) +
                    " such files");
    }
}

void read_row(const std::string& path, int rank, int ranks, std::vector<Flow>& flows) {
    LineReader reader(path);
    check_heading(reader, rank, ranks);
    std::string_view line;
    std::vector<std::string_view> words;
    int peer = 0;
    for (; reader.next(line); ++peer) {
        words_of(line, words);
        if (words.size() != 3) reader.fail("expected a line 'PEER MESSAGES BYTES'");
        if (reader.rank(words[0], ranks) != peer) {
            reader.fail("is about peer " + std::string(words[0]) + ", not " + std::to_string(peer));
        }
        const Flow flow{rank, peer, reader.whole(words[2]), reader.whole(words[1])};
        if (flow.bytes != 0 || flow.messages != 0) flows.push_back(flow);
    }
    if (peer != ranks) {
        reader.fail_whole(std::to_string(peer) + " lines for " + std::to_string(ranks) + " ranks");
    }
}

}  // namespace

TrafficMatrix read_rows(const std::string& prefix) { return read_profiles(prefix, read_row); }

}  // namespace strata::mapping
