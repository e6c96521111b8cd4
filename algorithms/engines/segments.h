#pragma once
#include <algorithm>
#include <cstddef>

namespace strata::algorithms {

/// The cuts of a vector of at least one byte into equal messages; the last one may be shorter.
class Segments {
public:
    /// `segment_bytes` 0 or at least `bytes`: one segment.
    Segments(std::size_t bytes, std::size_t segment_bytes)
        : bytes_(bytes),
          each_(segment_bytes == 0 ? bytes : std::min(segment_bytes, bytes)),
          count_((bytes - 1) / each_ + 1) {}

    std::size_t bytes() const { return bytes_; }
    std::size_t count() const { return count_; }
    /// Returns the bytes of every segment except the last.
    std::size_t each() const { return each_; }
    std::size_t begin(std::size_t segment) const { return segment * each_; }
    std::size_t end(std::size_t segment) const {
        return segment + 1 >= count_ ? bytes_ : (segment + 1) * each_;
    }
    std::size_t size_of(std::size_t segment) const { return end(segment) - begin(segment); }
    /// Returns the bytes of the first `segments` segments together.
    std::size_t prefix(std::size_t segments) const { return segments == 0 ? 0 : end(segments - 1); }

private:
    std::size_t bytes_;
    std::size_t each_;
    std::size_t count_;
};

}  // namespace strata::algorithms
