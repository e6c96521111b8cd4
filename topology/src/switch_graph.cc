#include "switch_graph.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "network_builder.h"

namespace strata::topology {
namespace {

class TreeMaker {
public:
    explicit TreeMaker(const SwitchGraph& graph)
        : graph_(graph), height_(graph.switches.size(), unknown), parents_(graph.switches.size()) {}

    Network make() {
        for (int id = 0; id < static_cast<int>(graph_.switches.size()); ++id) {
            set_height(id, 0);
            for (const int child : graph_.switches[static_cast<std::size_t>(id)].children) {
                parents_[static_cast<std::size_t>(child)].push_back(id);
            }
        }
        std::map<std::vector<int>, int> known;
        for (const auto& [node, leaves] : graph_.leaves_of) {
            const auto [place, is_new] = known.try_emplace(leaves, -1);
            if (is_new) place->second = place_above(leaves);
            builder_.put(node, place->second);
        }
        return builder_.take();
    }

private:
    static constexpr int unknown = -1;
    static constexpr int in_progress = -2;

    /// `depth`: switches above this one on the way here.
    int set_height(int id, int depth) {
        int& height = height_[static_cast<std::size_t>(id)];
        if (height >= 0) return height;
        const SwitchGraph::Switch& own = graph_.switches[static_cast<std::size_t>(id)];
        if (height == in_progress)
            throw SwitchGraph::Misplaced{id, "switch " + own.name + " is below itself"};
        int highest = 0;
        if (depth < most_switch_levels) {
            height = in_progress;
            for (const int child : own.children)
                highest = std::max(highest, set_height(child, depth + 1) + 1);
        }
        if (std::max(depth, highest) >= most_switch_levels) {
            throw SwitchGraph::Misplaced{id, "more than " + std::to_string(most_switch_levels) +
                                                 " switches in a row at switch " + own.name};
        }
        return height = highest;
    }

    /// The lowest switch of the tree above nodes that hang on just these leaf switches.
    int place_above(const std::vector<int>& leaves) {
        std::map<int, std::set<std::string>, std::greater<>> names;  // height -> switches there
        std::vector<int> pending = leaves;
        std::set<int> seen(leaves.begin(), leaves.end());
        while (!pending.empty()) {
            const auto id = static_cast<std::size_t>(pending.back());
            pending.pop_back();
            names[height_[id]].insert(graph_.switches[id].name);
            for (const int parent : parents_[id]) {
                if (seen.insert(parent).second) pending.push_back(parent);
            }
        }
        int above = -1;
        for (const auto& [height, group] : names) {
            std::string name;
            for (const std::string& one : group) name += (name.empty() ? "" : ",") + one;
            const auto [id, is_new] = id_of_.try_emplace({above, name}, -1);
            if (is_new) id->second = builder_.add(name, above);
            above = id->second;
        }
        return above;
    }

    const SwitchGraph& graph_;
    std::vector<int> height_;
    std::vector<std::vector<int>> parents_;
    NetworkBuilder builder_;
    std::map<std::pair<int, std::string>, int> id_of_;  // below which switch, name
};

}  // namespace

Network SwitchGraph::to_tree() const { return TreeMaker(*this).make(); }

}  // namespace strata::topology
