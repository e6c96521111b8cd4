#include "strata/mapping/reorder.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <stdexcept>

#include "at.h"
#include "split.h"
#include "traffic_graph.h"

namespace strata::mapping {
namespace {

using topology::Group;
using topology::Hierarchy;

// Small matrices take milliseconds and allow several attempts.
constexpr std::size_t arcs_of_all_seeds = 100000;
constexpr std::size_t most_seeds = 4;

/// Assigns a process to every role. A role is a rank of the matrix.
class Assignment {
public:
    Assignment(const Hierarchy& hierarchy, Effort effort)
        : hierarchy_(hierarchy),
          effort_(effort),
          process_(at(hierarchy.ranks()), -1),
          scratch_(at(hierarchy.ranks()), -1),
          part_of_process_(at(hierarchy.ranks()), -1) {}

    std::vector<int> run(const TrafficGraph& graph) {
        std::vector<int> roles(process_.size());
        std::iota(roles.begin(), roles.end(), 0);
        descend(0, graph, roles);
        return std::move(process_);
    }

private:
    /// `roles[v]` is vertex v of `graph`; there are as many as the group has members.
    void descend(int index, const TrafficGraph& graph, const std::vector<int>& roles) {
        const Group& group = hierarchy_.groups[at(index)];
        if (group.children.empty()) {
            stay_if_possible(group.members, roles);
            return;
        }
        std::vector<int> sizes;
        for (const int child : group.children) {
            sizes.push_back(static_cast<int>(hierarchy_.groups[at(child)].members.size()));
        }
        sizes.insert(sizes.end(), group.direct.size(), 1);
        mark_parts(group);
        Parts parts = split(graph, sizes, effort_, home_parts(roles));
        keep_near(sizes, roles, parts);
        for (const int member : group.members) part_of_process_[at(member)] = -1;
        std::vector<std::vector<int>> vertices(sizes.size());
        for (std::size_t v = 0; v < parts.size(); ++v) {
            vertices[at(parts[v])].push_back(static_cast<int>(v));
        }
        for (std::size_t part = 0; part < sizes.size(); ++part) {
            if (part >= group.children.size()) {
                process_[at(roles[at(vertices[part].front())])] = group.direct[part - group.children.size()];
                continue;
            }
            std::vector<int> inside;
            for (const int vertex : vertices[part]) inside.push_back(roles[at(vertex)]);
            const TrafficGraph smaller = sizes[part] > 1 && !is_leaf(group.children[part])
                                             ? induced(graph, vertices[part], scratch_)
                                             : TrafficGraph();
            descend(group.children[part], smaller, inside);
        }
    }

    bool is_leaf(int index) const { return hierarchy_.groups[at(index)].children.empty(); }

    void mark_parts(const Group& group) {
        for (std::size_t i = 0; i < group.children.size(); ++i) {
            for (const int member : hierarchy_.groups[at(group.children[i])].members) {
                part_of_process_[at(member)] = static_cast<int>(i);
            }
        }
        for (std::size_t i = 0; i < group.direct.size(); ++i) {
            part_of_process_[at(group.direct[i])] = static_cast<int>(group.children.size() + i);
        }
    }

    /// Returns the present split; empty if some role comes from outside the group.
    Parts home_parts(const std::vector<int>& roles) const {
        Parts parts;
        for (const int role : roles) {
            if (part_of_process_[at(role)] < 0) return {};
            parts.push_back(part_of_process_[at(role)]);
        }
        return parts;
    }

    /// Parts of one size are interchangeable: each goes where most of its roles already are, so that
    /// little data moves.
    void keep_near(std::span<const int> sizes, const std::vector<int>& roles, Parts& parts) const {
        struct Overlap {
            int part, place, roles;
        };
        std::vector<std::pair<int, int>> pairs;
        for (std::size_t v = 0; v < parts.size(); ++v) {
            const int place = part_of_process_[at(roles[v])];
            if (place >= 0 && sizes[at(place)] == sizes[at(parts[v])]) pairs.emplace_back(parts[v], place);
        }
        std::sort(pairs.begin(), pairs.end());
        std::vector<Overlap> overlaps;
        for (const auto& [part, place] : pairs) {
            if (overlaps.empty() || overlaps.back().part != part || overlaps.back().place != place) {
                overlaps.push_back({part, place, 0});
            }
            ++overlaps.back().roles;
        }
        std::stable_sort(overlaps.begin(), overlaps.end(),
                         [](const Overlap& a, const Overlap& b) { return a.roles > b.roles; });
        std::vector<int> place_of(sizes.size(), -1);
        std::vector<char> taken(sizes.size(), 0);
        for (const Overlap& overlap : overlaps) {
            if (place_of[at(overlap.part)] >= 0 || taken[at(overlap.place)]) continue;
            place_of[at(overlap.part)] = overlap.place;
            taken[at(overlap.place)] = 1;
        }
        place_the_rest(sizes, place_of, taken);
        for (int& part : parts) part = place_of[at(part)];
    }

    static void place_the_rest(std::span<const int> sizes, std::vector<int>& place_of,
                               const std::vector<char>& taken) {
        const auto by_size = [&](int a, int b) { return sizes[at(a)] < sizes[at(b)]; };
        std::vector<int> parts, places;
        for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
            if (place_of[at(i)] < 0) parts.push_back(i);
            if (!taken[at(i)]) places.push_back(i);
        }
        // Both sides have equally many of every size, because all pairs so far have equal sizes.
        std::stable_sort(parts.begin(), parts.end(), by_size);
        std::stable_sort(places.begin(), places.end(), by_size);
        for (std::size_t i = 0; i < parts.size(); ++i) place_of[at(parts[i])] = places[i];
    }

    void stay_if_possible(const std::vector<int>& members, const std::vector<int>& roles) {
        std::vector<int> movers;
        std::vector<int> free;
        for (const int role : roles) {
            if (std::binary_search(members.begin(), members.end(), role)) {
                process_[at(role)] = role;
            } else {
                movers.push_back(role);
            }
        }
        for (const int member : members) {
            if (process_[at(member)] != member) free.push_back(member);
        }
        for (std::size_t i = 0; i < movers.size(); ++i) process_[at(movers[i])] = free[i];
    }

    const Hierarchy& hierarchy_;
    Effort effort_;
    std::vector<int> process_;  ///< by role
    std::vector<int> scratch_;
    /// For the group being split: process -> position of the child that contains it, or of the direct
    /// rank after all children; -1 outside.
    std::vector<int> part_of_process_;
};

std::string percent(double part) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * part);
    return text;
}

}  // namespace

bool is_built_in(Engine engine) { return engine == Engine::greedy || !scotch_version().empty(); }

std::string engine_version() {
    return is_built_in(Engine::scotch) ? scotch_version() : "greedy (built without Scotch)";
}

Reordering plan_reordering(const TrafficMatrix& traffic, const Hierarchy& hierarchy,
                           const ReorderOptions& options) {
    check_same_ranks(traffic, hierarchy);
    const Engine engine =
        options.engine.value_or(is_built_in(Engine::scotch) ? Engine::scotch : Engine::greedy);
    if (!is_built_in(engine)) throw std::invalid_argument("built without Scotch; known engines: greedy");
    const TrafficGraph graph = graph_of(traffic, options.costs.message_bytes);
    const std::size_t seeds =
        std::clamp<std::size_t>(arcs_of_all_seeds / (graph.arcs.size() + 1), 1, most_seeds);
    const std::vector<int> process = Assignment(hierarchy, {engine, static_cast<int>(seeds)}).run(graph);
    Reordering result;
    result.permutation = inverse_permutation(process, hierarchy.ranks());
    result.before = estimate(traffic, hierarchy, {}, options.costs);
    result.after = estimate(traffic, hierarchy, result.permutation, options.costs);
    const double saved = result.before.seconds > 0 ? 1 - result.after.seconds / result.before.seconds : 0;
    result.applied = saved >= options.margin && saved > 0 && result.after.distance <= result.before.distance;
    if (result.applied) {
        result.why = "a new order saves " + percent(saved) + " of the estimated time";
        return result;
    }
    std::iota(result.permutation.begin(), result.permutation.end(), 0);
    result.why = saved > 0 ? "the old order stays: the best new one saves " + percent(saved) +
                                 " of the estimated time, less than " + percent(options.margin)
                           : "the old order stays: no better one was found";
    return result;
}

std::vector<int> reorder(const TrafficMatrix& traffic, const Hierarchy& hierarchy,
                         const ReorderOptions& options) {
    return plan_reordering(traffic, hierarchy, options).permutation;
}

}  // namespace strata::mapping
