// Files of contenders and of operations to measure.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// One of the contenders measured in turn.
struct Contender {
    std::string name = "mpi";
    std::string algorithm = "mpi";            // as --with takes it
    std::map<std::string, std::string> info;  // info keys of its own communicator
    std::vector<std::uint64_t> sizes;         // sizes that it takes part in; empty: all
};

// One operation at some sizes.
struct Cell {
    std::string operation;
    std::string root = "0";  // as --root takes it
    std::vector<std::uint64_t> sizes;
    std::map<std::string, std::vector<std::uint64_t>> except;  // by contender: sizes at which it is left out

    bool wants(const Contender& contender, std::uint64_t size) const;
};

// Parses the text of a file such as [{"name": "han", "with": "mpi", "info":
// {"ompi_comm_coll_preference": "han"}, "sizes": [8, 65536]}, ...]; only the name is required. Throws
// std::invalid_argument, whose text begins with `path`.
std::vector<Contender> parse_contenders(std::string_view text, const std::string& path);

// Parses [{"op": "bcast", "root": "last", "sizes": [8, 65536], "except": {"han": [65536]}}, ...].
// Required are the operation and, for operations with data, the sizes.
std::vector<Cell> parse_cells(std::string_view text, const std::string& path);

}  // namespace bench
