#include "topology/switch_graph.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

#include "topology/network_builder.h"
#include "topology/text.h"

namespace strata::topology {
namespace {

/// Limit on all joined names: a few lines can make names as long as the file, once per switch.
constexpr std::size_t most_name_bytes = std::size_t{64} << 20;

class TreeMaker {
public:
    explicit TreeMaker(const SwitchGraph& graph)
        : graph_(graph),
          height_(graph.switches.size(), unknown),
          parents_(graph.switches.size()),
          in_order_(graph.switches.size()),
          place_in_order_(graph.switches.size()) {}

    Network make() {
        for (int id = 0; id < static_cast<int>(graph_.switches.size()); ++id) {
            set_height(id, 0);
            for (const int child : graph_.switches[static_cast<std::size_t>(id)].children) {
                parents_[static_cast<std::size_t>(child)].push_back(id);
            }
        }
        set_order();
        std::map<std::vector<int>, int> known;
        for (const auto& [node, leaves] : graph_.leaves_of) {
            const auto [place, is_new] = known.try_emplace(leaves, -1);
            if (is_new) {
                std::vector<int> places;
                for (const int leaf : leaves) places.push_back(position_in(leaf));
                place->second = switch_of(std::move(places));
            }
            builder_.put(node, place->second);
        }
        return builder_.take();
    }

private:
    static constexpr int unknown = -1;
    static constexpr int in_progress = -2;

    /// `depth`: number of switches above this one on the current path.
    int set_height(int id, int depth) {
        int& height = height_[static_cast<std::size_t>(id)];
        if (height >= 0) return height;
        const SwitchGraph::Switch& own = graph_.switches[static_cast<std::size_t>(id)];
        if (height == in_progress)
            throw SwitchGraph::InvalidSwitch{id, "switch " + own.name + " is below itself"};
        int highest = 0;
        if (depth < most_switch_levels) {
            height = in_progress;
            for (const int child : own.children)
                highest = std::max(highest, set_height(child, depth + 1) + 1);
        }
        if (std::max(depth, highest) >= most_switch_levels) {
            throw SwitchGraph::InvalidSwitch{id, "more than " + std::to_string(most_switch_levels) +
                                                     " switches in a row at switch " + own.name};
        }
        return height = highest;
    }

    /// Sorts switches by height, then by name.
    void set_order() {
        std::iota(in_order_.begin(), in_order_.end(), 0);
        const auto key = [&](int id) {
            const auto i = static_cast<std::size_t>(id);
            return std::tuple<int, const std::string&>(height_[i], graph_.switches[i].name);
        };
        std::sort(in_order_.begin(), in_order_.end(), [&](int a, int b) { return key(a) < key(b); });
        for (std::size_t place = 0; place < in_order_.size(); ++place) {
            place_in_order_[static_cast<std::size_t>(in_order_[place])] = static_cast<int>(place);
        }
    }

    /// Returns the position of a switch in the order. Charges its name to the limit on time and memory.
    int position_in(int id) {
        const std::string& name = graph_.switches[static_cast<std::size_t>(id)].name;
        name_bytes_ += name.size() + 1;
        if (name_bytes_ > most_name_bytes) {
            throw SwitchGraph::InvalidSwitch{
                id, "the names of the switches above all leaf switches are longer than " +
                        std::to_string(most_name_bytes) + " bytes together: at switch " + quoted_text(name)};
        }
        return place_in_order_[static_cast<std::size_t>(id)];
    }

    /// Returns the tree's switch for the lowest of these switches, below all the others and everything
    /// above them; -1 for an empty list. Equal lists share one switch.
    int switch_of(std::vector<int> places) {
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        if (places.empty()) return -1;
        const auto [made, is_new] = made_.try_emplace(std::move(places), -1);
        if (!is_new) return made->second;
        const auto id_at = [&](int place) {
            return static_cast<std::size_t>(in_order_[static_cast<std::size_t>(place)]);
        };
        const int height = height_[id_at(made->first.front())];
        std::string names;
        std::vector<int> above;
        for (const int place : made->first) {
            const std::size_t id = id_at(place);
            if (height_[id] > height) {
                above.push_back(position_in(static_cast<int>(id)));
                continue;
            }
            names += (names.empty() ? "" : ",") + graph_.switches[id].name;
            for (const int parent : parents_[id]) above.push_back(position_in(parent));
        }
        const int parent = switch_of(std::move(above));
        const auto [id, is_first] = id_of_.try_emplace({parent, names}, -1);
        if (is_first) id->second = builder_.add(std::move(names), parent);
        return made->second = id->second;
    }

    const SwitchGraph& graph_;
    std::vector<int> height_;
    std::vector<std::vector<int>> parents_;
    std::vector<int> in_order_;        // ids
    std::vector<int> place_in_order_;  // by id
    std::size_t name_bytes_ = 0;
    std::map<std::vector<int>, int> made_;  // keyed by positions in the order
    NetworkBuilder builder_;
    std::map<std::pair<int, std::string>, int> id_of_;  // keyed by (parent, name)
};

}  // namespace

Network SwitchGraph::to_tree() const { return TreeMaker(*this).make(); }

}  // namespace strata::topology
