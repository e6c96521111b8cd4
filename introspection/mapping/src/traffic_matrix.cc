#include "strata/mapping/traffic_matrix.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

namespace strata::mapping {

std::uint64_t checked_sum(std::uint64_t a, std::uint64_t b) {
    if (a > std::numeric_limits<std::uint64_t>::max() - b) {
        throw std::overflow_error("all numbers together do not fit 64 bits");
    }
    return a + b;
}

TrafficMatrix::TrafficMatrix(int ranks) : TrafficMatrix(ranks, {}) {}

TrafficMatrix::TrafficMatrix(int ranks, std::vector<Flow> flows) : flows_(std::move(flows)) {
    if (ranks < 0) throw std::invalid_argument("a matrix cannot have " + std::to_string(ranks) + " ranks");
    for (const Flow& flow : flows_) {
        for (const int rank : {flow.from, flow.to}) {
            if (rank < 0 || rank >= ranks) {
                throw std::invalid_argument("rank " + std::to_string(rank) + " is not one of " +
                                            std::to_string(ranks));
            }
        }
        bytes_ = checked_sum(bytes_, flow.bytes);
        messages_ = checked_sum(messages_, flow.messages);
    }
    std::erase_if(flows_, [](const Flow& flow) { return flow.bytes == 0 && flow.messages == 0; });
    const auto before = [](const Flow& a, const Flow& b) {
        return std::tie(a.from, a.to) < std::tie(b.from, b.to);
    };
    if (!std::is_sorted(flows_.begin(), flows_.end(), before)) {
        std::sort(flows_.begin(), flows_.end(), before);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
        if (kept > 0 && flows_[kept - 1].from == flows_[i].from && flows_[kept - 1].to == flows_[i].to) {
            flows_[kept - 1].bytes += flows_[i].bytes;  // cannot overflow: the sum of all fits
            flows_[kept - 1].messages += flows_[i].messages;
        } else {
            flows_[kept++] = flows_[i];
        }
    }
    flows_.resize(kept);
    row_begin_.assign(static_cast<std::size_t>(ranks) + 1, 0);
    for (const Flow& flow : flows_) ++row_begin_[static_cast<std::size_t>(flow.from) + 1];
    for (std::size_t i = 1; i < row_begin_.size(); ++i) row_begin_[i] += row_begin_[i - 1];
}

TrafficMatrix TrafficMatrix::from_dense(int ranks, std::span<const unsigned long> bytes,
                                        std::span<const unsigned long> messages) {
    const std::size_t n = ranks < 0 ? 0 : static_cast<std::size_t>(ranks);
    if (bytes.size() != n * n || (!messages.empty() && messages.size() != n * n)) {
        throw std::invalid_argument("a matrix of " + std::to_string(n) + " ranks has " +
                                    std::to_string(n * n) + " numbers");
    }
    std::vector<Flow> flows;
    for (std::size_t i = 0; i < n * n; ++i) {
        const unsigned long count = messages.empty() ? 0 : messages[i];
        if (bytes[i] == 0 && count == 0) continue;
        flows.push_back({static_cast<int>(i / n), static_cast<int>(i % n), bytes[i], count});
    }
    return TrafficMatrix(ranks, std::move(flows));
}

std::span<const Flow> TrafficMatrix::row(int from) const {
    const auto begin = row_begin_[static_cast<std::size_t>(from)];
    const auto end = row_begin_[static_cast<std::size_t>(from) + 1];
    return std::span(flows_).subspan(begin, end - begin);
}

}  // namespace strata::mapping
