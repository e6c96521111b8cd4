#include <algorithm>
#include <numeric>
#include <queue>

#include "split.h"

namespace strata::mapping {
namespace {

/// Grows parts one after the other.
class Growth {
public:
    explicit Growth(const TrafficGraph& graph)
        : graph_(graph), parts_(static_cast<std::size_t>(graph.vertices()), -1), tie_(parts_.size(), 0) {
        std::vector<double> total(parts_.size(), 0);
        for (int v = 0; v < graph.vertices(); ++v) {
            for (const Arc& arc : graph.of(v)) total[static_cast<std::size_t>(v)] += arc.weight;
        }
        by_weight_.resize(parts_.size());
        std::iota(by_weight_.begin(), by_weight_.end(), 0);
        std::stable_sort(by_weight_.begin(), by_weight_.end(), [&](int a, int b) {
            return total[static_cast<std::size_t>(a)] > total[static_cast<std::size_t>(b)];
        });
    }

    void grow(int part, int size) {
        std::priority_queue<Candidate> border;
        std::vector<int> touched;
        for (int grown = 0; grown < size; ++grown) {
            const int vertex = next(border);
            parts_[static_cast<std::size_t>(vertex)] = part;
            for (const Arc& arc : graph_.of(vertex)) {
                if (parts_[static_cast<std::size_t>(arc.to)] >= 0) continue;
                double& tie = tie_[static_cast<std::size_t>(arc.to)];
                if (tie == 0) touched.push_back(arc.to);
                tie += arc.weight;
                border.push({tie, arc.to});
            }
        }
        for (const int vertex : touched) tie_[static_cast<std::size_t>(vertex)] = 0;
    }

    Parts take() { return std::move(parts_); }

private:
    struct Candidate {
        double tie;
        int vertex;
        /// Among equals the lowest vertex comes first.
        bool operator<(const Candidate& other) const {
            return tie != other.tie ? tie < other.tie : vertex > other.vertex;
        }
    };

    int next(std::priority_queue<Candidate>& border) {
        while (!border.empty()) {
            const Candidate best = border.top();
            border.pop();
            const auto vertex = static_cast<std::size_t>(best.vertex);
            if (parts_[vertex] < 0 && tie_[vertex] == best.tie) return best.vertex;  // otherwise outdated
        }
        while (parts_[static_cast<std::size_t>(by_weight_[unused_])] >= 0) ++unused_;
        return by_weight_[unused_];
    }

    const TrafficGraph& graph_;
    Parts parts_;
    std::vector<double> tie_;  ///< weight of the arcs to the growing part
    std::vector<int> by_weight_;
    std::size_t unused_ = 0;
};

}  // namespace

Parts split_greedy(const TrafficGraph& graph, std::span<const int> sizes) {
    std::vector<int> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return sizes[static_cast<std::size_t>(a)] > sizes[static_cast<std::size_t>(b)];
    });
    Growth growth(graph);
    for (const int part : order) growth.grow(part, sizes[static_cast<std::size_t>(part)]);
    return growth.take();
}

}  // namespace strata::mapping
