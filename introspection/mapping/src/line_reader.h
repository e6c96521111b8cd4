#pragma once
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace strata::mapping {

/// As a dense matrix of 65,536 ranks has with the largest numbers: 20 digits and what parts them, each.
inline constexpr std::size_t longest_matrix = std::size_t{21} << 32;

/// The lines of a text file, one at a time.
class LineReader {
public:
    /// Throws topology::FileError where the file cannot be read, or may have no end: unreadable_kind().
    explicit LineReader(const std::string& path, std::size_t most_bytes = longest_matrix);

    /// The next line that is neither blank nor, unless `comments` is 0, begins with it; false at the end. The
    /// view holds until the next call. Throws topology::FileError for lines of more than 64 MiB, and where
    /// the file is longer than `most_bytes`.
    bool next(std::string_view& line, char comment = '#');
    /// next() begins with the line that it gave last: for those who look before they read. A file may be a
    /// pipe (of a shell's <(...)), and can be read only once.
    void put_back() { again_ = true; }
    [[noreturn]] void fail(const std::string& message) const;        ///< at this line
    [[noreturn]] void fail_whole(const std::string& message) const;  ///< of the file
    const std::string& path() const { return path_; }

    /// A whole number up to `most`. Throws topology::FileError.
    std::uint64_t whole(std::string_view text,
                        std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
    /// The rank that `text` is, of so many.
    int rank(std::string_view text, int ranks) const;
    /// sum + value, or the error that it is too much.
    std::uint64_t sum(std::uint64_t sum, std::uint64_t value) const;

private:
    bool read_line();

    std::string path_;
    std::ifstream stream_;
    std::string line_;
    int number_ = 0;
    std::size_t most_bytes_;
    std::size_t left_;  ///< of these
    bool again_ = false;
};

/// The words of a line, between blanks, tabs and carriage returns, and `also`.
void words_of(std::string_view line, std::vector<std::string_view>& words, char also = ' ');

}  // namespace strata::mapping
