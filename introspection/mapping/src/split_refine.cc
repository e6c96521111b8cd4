#include <algorithm>
#include <utility>

#include "at.h"
#include "connections.h"
#include "split.h"

namespace strata::mapping {
namespace {

constexpr int most_passes = 8;
constexpr std::size_t looks_per_arc = 40;
constexpr std::size_t most_targets = 3;    // candidate parts per vertex
constexpr std::size_t most_partners = 96;  // candidate partners per part

/// Pairwise swaps between any two of many parts, after Kernighan and Lin.
class Refinement {
public:
    Refinement(const TrafficGraph& graph, std::span<const int> sizes, Parts& parts)
        : graph_(graph),
          parts_(parts),
          members_(sizes.size()),
          place_(parts.size()),
          mine_(sizes.size()),
          theirs_(sizes.size()),
          left_(looks_per_arc * (graph.arcs.size() + parts.size())) {
        for (int v = 0; v < graph.vertices(); ++v) {
            std::vector<int>& members = members_[at(parts[at(v)])];
            place_[at(v)] = members.size();
            members.push_back(v);
        }
    }

    void run() {
        for (int pass = 0; pass < most_passes && left_ > 0; ++pass) {
            bool changed = false;
            for (int v = 0; v < graph_.vertices() && left_ > 0; ++v) {
                if (improve(v)) changed = true;
            }
            if (!changed) return;
        }
    }

private:
    struct Swap {
        double gain = 0;
        int with = -1;
    };

    /// Returns true if v was swapped. In a swap with gain at least one of the vertices has more weight
    /// to the other's part than to its own, so it suffices to start from that one.
    bool improve(int v) {
        look(mine_, v);
        const double own = mine_.to(parts_[at(v)]);
        std::vector<std::pair<double, int>>& drawn = drawn_;
        drawn.clear();
        for (const int part : mine_.parts()) {
            if (part != parts_[at(v)] && mine_.to(part) > own) drawn.emplace_back(own - mine_.to(part), part);
        }
        const std::size_t targets = std::min(drawn.size(), most_targets);
        std::partial_sort(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(targets), drawn.end());
        Swap best;
        for (std::size_t i = 0; i < targets; ++i) {
            const Swap swap = best_partner(v, -drawn[i].first, drawn[i].second);
            if (swap.gain > best.gain) best = swap;
        }
        // Sums of weights in another order differ in the last digits.
        if (best.with < 0 || best.gain <= 1e-9 * (own + mine_.to(parts_[at(best.with)]))) return false;
        exchange(v, best.with);
        return true;
    }

    Swap best_partner(int v, double drawn, int part) {
        const std::vector<int>& members = members_[at(part)];
        const std::size_t count = std::min(members.size(), most_partners);
        const std::size_t first = members.size() > most_partners ? start_++ * most_partners : 0;
        Swap best;
        for (std::size_t i = 0; i < count && left_ > 0; ++i) {
            const int u = members[(first + i) % members.size()];
            look(theirs_, u);
            const double gain =
                drawn + theirs_.to(parts_[at(v)]) - theirs_.to(part) - 2 * weight_between(u, v);
            if (gain > best.gain) best = {gain, u};
        }
        return best;
    }

    double weight_between(int u, int v) const {
        const auto arcs = graph_.of(u);
        const auto found =
            std::lower_bound(arcs.begin(), arcs.end(), v, [](const Arc& arc, int to) { return arc.to < to; });
        return found != arcs.end() && found->to == v ? found->weight : 0;
    }

    void exchange(int u, int v) {
        std::swap(members_[at(parts_[at(u)])][place_[at(u)]], members_[at(parts_[at(v)])][place_[at(v)]]);
        std::swap(place_[at(u)], place_[at(v)]);
        std::swap(parts_[at(u)], parts_[at(v)]);
    }

    void look(Connections& connections, int vertex) {
        connections.look(graph_, parts_, vertex);
        left_ -= std::min(left_, graph_.of(vertex).size() + 1);
    }

    const TrafficGraph& graph_;
    Parts& parts_;
    std::vector<std::vector<int>> members_;
    std::vector<std::size_t> place_;  ///< position of a vertex among its part's members
    Connections mine_;
    Connections theirs_;
    std::vector<std::pair<double, int>> drawn_;
    std::size_t left_;       ///< remaining visits of arcs
    std::size_t start_ = 0;  ///< first partner: large parts are searched piecewise
};

}  // namespace

void refine(const TrafficGraph& graph, std::span<const int> sizes, Parts& parts) {
    Refinement(graph, sizes, parts).run();
}

}  // namespace strata::mapping
