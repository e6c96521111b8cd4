#pragma once
#include <vector>

#include "traffic_graph.h"

namespace strata::mapping {

/// The weight of one vertex's arcs to each part.
class Connections {
public:
    explicit Connections(std::size_t parts) : weight_(parts, 0) {}

    void look(const TrafficGraph& graph, const std::vector<int>& part_of, int vertex) {
        for (const int part : parts_) weight_[static_cast<std::size_t>(part)] = 0;
        parts_.clear();
        for (const Arc& arc : graph.of(vertex)) {
            const int part = part_of[static_cast<std::size_t>(arc.to)];
            double& weight = weight_[static_cast<std::size_t>(part)];
            if (weight == 0) parts_.push_back(part);
            weight += arc.weight;
        }
    }
    double to(int part) const { return weight_[static_cast<std::size_t>(part)]; }
    /// Returns the parts with any arc, by first neighbour.
    const std::vector<int>& parts() const { return parts_; }

private:
    std::vector<double> weight_;
    std::vector<int> parts_;
};

}  // namespace strata::mapping
