#include "line_reader.h"

#include <array>
#include <limits>

#include "strata/mapping/traffic_matrix.h"
#include "topology/text.h"
#include "topology/text_file.h"

namespace strata::mapping {
namespace {

constexpr std::size_t longest_line = std::size_t{64} << 20;
constexpr std::size_t piece_bytes = std::size_t{64} << 10;

}  // namespace

LineReader::LineReader(const std::string& path, std::size_t most_bytes)
    : path_(path), most_bytes_(most_bytes), left_(most_bytes) {
    if (const auto kind = topology::unreadable_kind(path); !kind.empty()) fail_whole(std::string(kind));
    stream_.open(path, std::ios::binary);  // after the check: opening a pipe without a writer blocks
    if (!stream_) fail_whole("cannot be opened");
}

void LineReader::fail(const std::string& message) const {
    throw topology::FileError(path_, number_, message);
}

void LineReader::fail_whole(const std::string& message) const {
    throw topology::FileError(path_, 0, message);
}

/// Reads in pieces, so that a file without line ends does not exhaust memory.
bool LineReader::read_line() {
    if (again_) {
        again_ = false;
        return true;
    }
    line_.clear();
    if (number_ == std::numeric_limits<int>::max()) fail_whole("has too many lines");
    ++number_;
    std::array<char, piece_bytes> piece;
    for (;;) {
        stream_.getline(piece.data(), piece.size());
        const auto count = static_cast<std::size_t>(stream_.gcount());
        if (stream_.bad()) fail_whole("cannot be read");
        if (count > left_) fail_whole("is longer than " + std::to_string(most_bytes_) + " bytes");
        left_ -= count;
        if (stream_.eof()) {
            line_.append(piece.data(), count);
            return !line_.empty();
        }
        if (!stream_.fail()) {
            line_.append(piece.data(), count - 1);  // without the line end, which `count` includes
            return true;
        }
        if (count + 1 < piece.size()) return !line_.empty();  // end of file
        line_.append(piece.data(), count);
        if (line_.size() > longest_line) fail("the line is longer than 64 MiB");
        stream_.clear();
    }
}

bool LineReader::next(std::string_view& line, char comment) {
    while (read_line()) {
        line = topology::trimmed(line_);
        while (line.ends_with('\r')) line = topology::trimmed(line.substr(0, line.size() - 1));
        if (!line.empty() && line.front() != comment) return true;
    }
    return false;
}

std::uint64_t LineReader::whole(std::string_view text, std::uint64_t most) const {
    const auto value = topology::whole_number<std::uint64_t>(text);
    if (!value || *value > most) {
        fail("'" + std::string(text.substr(0, 40)) + "' is no whole number from 0 to " +
             std::to_string(most));
    }
    return *value;
}

int LineReader::rank(std::string_view text, int ranks) const {
    const auto value = topology::whole_number<int>(text);
    if (!value || *value < 0 || *value >= ranks) {
        fail("'" + std::string(text.substr(0, 40)) + "' is no rank from 0 to " + std::to_string(ranks - 1));
    }
    return *value;
}

std::uint64_t LineReader::sum(std::uint64_t sum, std::uint64_t value) const {
    try {
        return checked_sum(sum, value);
    } catch (const std::overflow_error& error) {
        fail(error.what());
    }
}

void words_of(std::string_view line, std::vector<std::string_view>& words, char also) {
    const auto between = [also](char c) { return c == ' ' || c == '\t' || c == '\r' || c == also; };
    words.clear();
    std::size_t at = 0;
    while (at < line.size()) {
        while (at < line.size() && between(line[at])) ++at;
        const std::size_t begin = at;
        while (at < line.size() && !between(line[at])) ++at;
        if (at > begin) words.push_back(line.substr(begin, at - begin));
    }
}

}  // namespace strata::mapping
