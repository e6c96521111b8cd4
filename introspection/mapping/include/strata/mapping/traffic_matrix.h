#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strata::mapping {

/// What one rank sent another.
struct Flow {
    int from = 0;
    int to = 0;
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;  ///< 0 where only bytes are known
    bool operator==(const Flow&) const = default;
};

/// Who sent how much to whom, as a monitored run shows it: rows are senders. Only pairs with any traffic are
/// kept, so that 65,536 ranks with a few million pairs fit.
class TrafficMatrix {
public:
    /// Without traffic.
    explicit TrafficMatrix(int ranks = 0);
    /// Flows in any order; those of the same pair are added. Throws std::invalid_argument for a rank outside
    /// 0..ranks-1 and std::overflow_error where all bytes or all messages do not fit 64 bits together. Cost:
    /// O(ranks + flows * log flows).
    TrafficMatrix(int ranks, std::vector<Flow> flows);
    /// From matrices as MPI_M_rootgather_data() gives them: row-major, ranks * ranks numbers each; `messages`
    /// may be empty.
    static TrafficMatrix from_dense(int ranks, std::span<const unsigned long> bytes,
                                    std::span<const unsigned long> messages = {});

    int ranks() const { return static_cast<int>(row_begin_.size()) - 1; }
    /// By sender, then receiver; no pair twice.
    std::span<const Flow> flows() const { return flows_; }
    /// What `from` sent, by receiver.
    std::span<const Flow> row(int from) const;
    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t messages() const { return messages_; }
    bool operator==(const TrafficMatrix&) const = default;

private:
    std::vector<Flow> flows_;
    std::vector<std::size_t> row_begin_;  ///< by sender, and the end
    std::uint64_t bytes_ = 0;
    std::uint64_t messages_ = 0;
};

/// a + b. Throws std::overflow_error.
std::uint64_t checked_sum(std::uint64_t a, std::uint64_t b);

}  // namespace strata::mapping
