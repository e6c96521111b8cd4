#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "parsers.h"
#include "strata/mapping/traffic_files.h"
#include "targets.h"

namespace strata::fuzz {
namespace {

using mapping::TrafficFormat;
using mapping::TrafficMatrix;

/// A file in memory: matrices are read from files only.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view content) : descriptor_(memfd_create("matrix", MFD_CLOEXEC)) {
        while (!content.empty()) {
            const ssize_t written = write(descriptor_, content.data(), content.size());
            if (written <= 0) throw std::system_error(errno, std::generic_category(), "memfd");
            content.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() { close(descriptor_); }
    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

/// A temporary folder that the program removes at its end.
class Folder {
public:
    Folder() : path_(std::filesystem::temp_directory_path().string() + "/strata_fuzz_XXXXXX") {
        if (mkdtemp(path_.data()) == nullptr) throw std::system_error(errno, std::generic_category(), path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// Written as numbers and read again.
void check_matrix(const TrafficMatrix& matrix) {
    constexpr int most_ranks = 64;
    if (matrix.ranks() > most_ranks) return;
    std::ostringstream sparse, dense;
    mapping::write_sparse(sparse, matrix);
    require(mapping::read_traffic(MemoryFile(sparse.str()).path()) == matrix,
            "a sparse matrix is read as written");
    mapping::write_dense(dense, matrix);
    const TrafficMatrix bytes = mapping::read_traffic(MemoryFile(dense.str()).path(), TrafficFormat::dense);
    require(bytes.ranks() == matrix.ranks() && bytes.bytes() == matrix.bytes(),
            "a dense matrix is read as written");
}

}  // namespace

/// Input: a digit for the format (5: permutation, others: the first line gives it), and the file.
void traffic(std::string_view input) {
    if (input.empty()) return;
    const int kind = input.front() - '0';
    const MemoryFile file(input.substr(1));
    if (kind == 5) {
        mapping::read_permutation(file.path());
        return;
    }
    constexpr int formats = 3;  // dense, sparse and MatrixMarket: the others are several files
    const auto format =
        kind >= 0 && kind < formats ? std::optional(static_cast<TrafficFormat>(kind)) : std::nullopt;
    const TrafficMatrix matrix = mapping::read_traffic(file.path(), format);
    must_not_throw([&] { check_matrix(matrix); });
}

/// The file of one rank of one, as Open MPI's monitoring or MPI_M_flush() writes it.
void traffic_profile(std::string_view input) {
    static const Folder folder;
    const std::string prefix = folder.path() + "/job";
    std::ofstream(prefix + ".0.prof", std::ios::binary) << input;
    const TrafficMatrix matrix = mapping::read_traffic(prefix);
    must_not_throw([&] { check_matrix(matrix); });
}

}  // namespace strata::fuzz
