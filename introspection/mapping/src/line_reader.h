#pragma once
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace strata::mapping {

/// Bytes of a dense matrix of 65,536 ranks with the largest numbers: 20 digits and a separator each.
inline constexpr std::size_t longest_matrix = std::size_t{21} << 32;

/// Reads the lines of a text file, one at a time.
class LineReader {
public:
    /// Throws topology::FileError if the file cannot be read or may be endless: unreadable_kind().
    explicit LineReader(const std::string& path, std::size_t most_bytes = longest_matrix);

    /// Reads the next line that is not blank and does not begin with `comment` (0: no comments); returns
    /// false at the end. The view is valid until the next call. Throws topology::FileError for a line of
    /// more than 64 MiB, or a file longer than `most_bytes`.
    bool next(std::string_view& line, char comment = '#');
    /// Makes next() return the last line again. For look-ahead: a pipe (of a shell's <(...)) can be read
    /// only once.
    void put_back() { again_ = true; }
    [[noreturn]] void fail(const std::string& message) const;        ///< names the current line
    [[noreturn]] void fail_whole(const std::string& message) const;  ///< names the file only
    const std::string& path() const { return path_; }

    /// Parses a whole number up to `most`. Throws topology::FileError.
    std::uint64_t whole(std::string_view text,
                        std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
    /// Parses a rank below `ranks`. Throws topology::FileError.
    int rank(std::string_view text, int ranks) const;
    /// Returns sum + value; throws topology::FileError on overflow.
    std::uint64_t sum(std::uint64_t sum, std::uint64_t value) const;

private:
    bool read_line();

    std::string path_;
    std::ifstream stream_;
    std::string line_;
    int number_ = 0;
    std::size_t most_bytes_;
    std::size_t left_;  ///< remaining bytes of most_bytes_
    bool again_ = false;
};

/// Splits a line at blanks, tabs, carriage returns and `also`.
void words_of(std::string_view line, std::vector<std::string_view>& words, char also = ' ');

}  // namespace strata::mapping
