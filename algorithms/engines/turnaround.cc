#include "algorithms/engines/turnaround.h"

#include <algorithm>
#include <limits>

namespace strata::algorithms {

Turnaround::Turnaround(StreamTable& table, const ReductionLinks& links, ReduceBuffers buffers,
                       Reduction& reduction, Arena& arena, const Segments& segments, int window,
                       std::pmr::memory_resource* pool)
    : table_(table),
      result_(*buffers.result),
      segments_(segments),
      shared_(buffers.own.data() == result_.data()),
      up_(table, links, segments, buffers, reduction, arena, window, pool),
      down_(table, result_.data()) {
    if (links.parent.peer >= 0) {
        from_parent_.emplace(table, links.parent.peer, segments, links.parent.in_flight(window),
                             result_.data());
    }
    for (const TreeLinks::Edge& edge : widest_first(links.children, arena)) {
        down_.add(edge.peer, segments, edge.in_flight(window));
    }
}

int Turnaround::start() {
    const int code = up_.start();
    return code == 0 ? receive() : code;
}

/// If `own` and `result` share their memory, a final segment may be received only after that of `own` was
/// read for the last time; a send that has reached the parent may still be incomplete here.
int Turnaround::receive() {
    if (!from_parent_) {
        return 0;
    }
    return from_parent_->post(shared_ ? up_.own_released() : std::numeric_limits<std::size_t>::max());
}

int Turnaround::step() {
    int code = 0;
    // Final segments first: other ranks wait for them, and sending them on takes no time.
    if (from_parent_) {
        code = receive();
        code = code == 0 ? down_.feed(available()) : code;
    }
    for (const int stream : table_.completed()) {
        code = code == 0 && up_.owns(stream) ? up_.completed(stream) : code;
    }
    if (code == 0) {
        code = up_.look_ahead();
    }
    if (code == 0) {
        code = from_parent_ ? receive() : down_.feed(available());
    }
    if (code == 0 && available() > consumed_) {
        consumed_ = available();
        code = result_.consume(consumed_);
    }
    return code;
}

}  // namespace strata::algorithms
