#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strata::mapping {

/// Traffic from one rank to another.
struct Flow {
    int from = 0;
    int to = 0;
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;  ///< 0 if only bytes are known
    bool operator==(const Flow&) const = default;
};

/// Traffic between all ranks of a monitored run; rows are senders. Stores only pairs with traffic, so
/// that 65,536 ranks with a few million pairs fit.
class TrafficMatrix {
public:
    /// Makes a matrix without traffic.
    explicit TrafficMatrix(int ranks = 0);
    /// Takes flows in any order and adds those of the same pair. Throws std::invalid_argument for a rank
    /// outside 0..ranks-1, and std::overflow_error if the sum of all bytes or of all messages exceeds 64
    /// bits. Cost: O(ranks + flows * log flows).
    TrafficMatrix(int ranks, std::vector<Flow> flows);
    /// Converts matrices as MPI_M_rootgather_data() returns them: row-major, ranks * ranks numbers each;
    /// `messages` may be empty.
    static TrafficMatrix from_dense(int ranks, std::span<const unsigned long> bytes,
                                    std::span<const unsigned long> messages = {});

    int ranks() const { return static_cast<int>(row_begin_.size()) - 1; }
    /// Returns all flows by sender, then receiver; each pair once.
    std::span<const Flow> flows() const { return flows_; }
    /// Returns the flows from `from`, by receiver.
    std::span<const Flow> row(int from) const;
    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t messages() const { return messages_; }
    bool operator==(const TrafficMatrix&) const = default;

private:
    std::vector<Flow> flows_;
    std::vector<std::size_t> row_begin_;  ///< first flow by sender; last entry: the end
    std::uint64_t bytes_ = 0;
    std::uint64_t messages_ = 0;
};

/// Returns a + b. Throws std::overflow_error.
std::uint64_t checked_sum(std::uint64_t a, std::uint64_t b);

}  // namespace strata::mapping
