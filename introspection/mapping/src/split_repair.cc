#include <algorithm>
#include <queue>
#include <utility>

#include "at.h"
#include "connections.h"
#include "split.h"

namespace strata::mapping {
namespace {

/// A candidate to leave a part that is too large.
struct Move {
    double gain;
    int vertex;
    int to;
    /// Among equals the lowest vertex comes first.
    bool operator<(const Move& other) const {
        return std::pair(gain, -vertex) < std::pair(other.gain, -other.vertex);
    }
};

}  // namespace

void fill_exactly(const TrafficGraph& graph, std::span<const int> sizes, Parts& parts) {
    std::vector<int> room(sizes.begin(), sizes.end());
    for (const int part : parts) --room[at(part)];
    std::vector<int> open;  // parts with room, in descending order
    for (std::size_t part = sizes.size(); part-- > 0;) {
        if (room[part] > 0) open.push_back(static_cast<int>(part));
    }
    if (open.empty()) return;
    Connections connections(sizes.size());
    const auto best_move = [&](int vertex) {
        connections.look(graph, parts, vertex);
        const double own = connections.to(parts[at(vertex)]);
        Move move{-own, vertex, open.back()};
        for (const int part : connections.parts()) {
            if (room[at(part)] > 0 && connections.to(part) - own > move.gain) {
                move = {connections.to(part) - own, vertex, part};
            }
        }
        return move;
    };
    std::priority_queue<Move> moves;
    for (int v = 0; v < graph.vertices(); ++v) {
        if (room[at(parts[at(v)])] < 0) moves.push(best_move(v));
    }
    while (!open.empty()) {
        const Move move = moves.top();
        moves.pop();
        int& part = parts[at(move.vertex)];
        if (room[at(part)] >= 0) continue;  // its part is no longer too large
        const Move now = best_move(move.vertex);
        if (now.to != move.to || now.gain != move.gain) {  // its neighbours moved, or the target part is full
            moves.push(now);
            continue;
        }
        ++room[at(part)];
        part = move.to;
        --room[at(part)];
        while (!open.empty() && room[at(open.back())] == 0) open.pop_back();
    }
}

}  // namespace strata::mapping
