// Who is measured and what, where files say it.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// One of those that are measured in turn.
struct Contender {
    std::string name = "mpi";
    std::string algorithm = "mpi";            // as --with takes it
    std::map<std::string, std::string> info;  // of the communicator that it gets of its own
    std::vector<std::uint64_t> sizes;         // it takes part in these alone; empty: in all
};

// One operation, at some sizes.
struct Cell {
    std::string operation;
    std::string root = "0";  // as --root takes it
    std::vector<std::uint64_t> sizes;
    std::map<std::string, std::vector<std::uint64_t>> except;  // by contender: sizes at which it is left out

    bool wants(const Contender& contender, std::uint64_t size) const;
};

// From the text of a file: [{"name": "han", "with": "mpi", "info": {"ompi_comm_coll_preference": "han"},
// "sizes": [8, 65536]}, ...]; only the name has to be there. Throws std::invalid_argument, which begins with
// `path`.
std::vector<Contender> parse_contenders(std::string_view text, const std::string& path);

// [{"op": "bcast", "root": "last", "sizes": [8, 65536], "except": {"han": [65536]}}, ...]; only the operation
// and, if it has any, the sizes have to be there.
std::vector<Cell> parse_cells(std::string_view text, const std::string& path);

}  // namespace bench
