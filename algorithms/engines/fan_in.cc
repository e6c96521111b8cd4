#include "algorithms/engines/fan_in.h"

#include <algorithm>
#include <cstring>

namespace strata::algorithms {

FanIn::FanIn(StreamTable& table, const ReductionLinks& links, const Segments& segments, ReduceBuffers buffers,
             Reduction& reduction, Arena& arena, int window, std::pmr::memory_resource* pool)
    : table_(table),
      segments_(segments),
      buffers_(buffers),
      reduction_(reduction),
      order_(links),
      shared_(buffers.result != nullptr && buffers.result->data() == buffers.own.data()),
      operands_(order_.count(), pool) {
    const bool root = links.parent.peer < 0;
    if (!root) {
        // First, so that its completed sends are seen before more is combined.
        parent_stream_ = table.add(links.parent.peer, segments, links.parent.in_flight(window));
    }
    for (std::size_t child = 0; child < links.children.size(); ++child) {
        const TreeLinks::Edge& edge = links.children[child];
        const int stream = table.add(edge.peer, segments, edge.in_flight(window));
        operands_[order_.of_child(child)].stream = stream;
        first_child_ = child == 0 ? stream : first_child_;
        last_stream_ = stream + 1;
    }
    first_stream_ = root ? first_child_ : parent_stream_;
    last_stream_ = std::max(last_stream_, parent_stream_ + 1);
    for (std::size_t index = 0; index < operands_.size(); ++index) {
        place(index, root ? buffers.result->data() : nullptr, arena, slots_of(links, index, window));
    }
    if (order_.own() == 0) {
        // No operand is combined into it; it is produced when it is read.
        operands_.front().arrived = segments.count();
        operands_.front().combined = segments.count();
    }
}

/// Returns the number of slots of an operand in the arena.
std::size_t FanIn::slots_of(const ReductionLinks& links, std::size_t index, int window) const {
    if (index != order_.own()) {
        window = std::max(window, links.children[index < order_.own() ? index : index - 1].window);
    }
    if (index < order_.last()) return static_cast<std::size_t>(std::max(1, window));
    return 2 * static_cast<std::size_t>(std::max({1, window, links.parent.window}));
}

void FanIn::place(std::size_t index, std::byte* result, Arena& arena, std::size_t slots) {
    Operand& operand = operands_[index];
    operand.memory = order_.place(index, buffers_.own.data(), result, shared_);
    if (operand.memory != nullptr) {
        operand.slots = segments_.count();
        operand.stride = segments_.each();
        return;
    }
    operand.slots = std::min(slots, segments_.count());
    operand.stride = Arena::rounded(segments_.each());
    operand.memory = arena.take(operand.slots * operand.stride);
}

int FanIn::start() {
    int code = 0;
    for (std::size_t index = 0; index < operands_.size() && code == 0; ++index) {
        code = post(index);
    }
    code = code == 0 ? look_ahead() : code;
    return code == 0 ? pass_on() : code;
}

int FanIn::produce(std::size_t segment) {
    if (segment < produced_) {
        return 0;
    }
    produced_ = segment + 1;
    return buffers_.own.produce(segments_.end(segment));
}

int FanIn::look_ahead() {
    const std::size_t own = order_.own();
    std::size_t next = operands_[own].combined;
    if (own == 0) {
        next = operands_.size() > 1 ? operands_[1].combined : table_.next(parent_stream_);
    }
    return next < segments_.count() ? produce(next) : 0;
}

/// Returns the number of segments, from the first, whose slots in this operand are free again.
std::size_t FanIn::released(std::size_t index) const {
    if (index < order_.last()) {
        return operands_[index + 1].combined;
    }
    return is_root() ? operands_[index].combined : table_.finished(parent_stream_);
}

std::size_t FanIn::own_released() const {
    const Operand& own = operands_[order_.own()];
    return own.memory == buffers_.own.data() ? released(order_.own()) : own.combined;
}

/// Returns true if the next segment can be combined into this operand.
bool FanIn::combinable(std::size_t index) const {
    const Operand& operand = operands_[index];
    if (operand.combined == segments_.count() ||
        (index > 0 && operands_[index - 1].combined <= operand.combined)) {
        return false;
    }
    return operand.stream >= 0 ? operand.arrived > operand.combined
                               : operand.combined < released(index) + operand.slots;
}

/// Combines one segment into this operand, which frees its slot in the operand before.
int FanIn::combine(std::size_t index) {
    Operand& operand = operands_[index];
    const std::size_t segment = operand.combined;
    const std::size_t bytes = segments_.size_of(segment);
    std::byte* const right = address(operand, segment);
    int code = 0;
    if (index == order_.own()) {
        code = produce(segment);
        if (code == 0 && operand.memory != buffers_.own.data()) {
            std::memcpy(right, buffers_.own.data() + segments_.begin(segment), bytes);
        }
    }
    if (index > 0 && code == 0) {
        if (index - 1 == order_.own()) {
            code = produce(segment);
        }
        if (code == 0) {
            code = reduction_.combine(address(operands_[index - 1], segment), right, bytes);
        }
    }
    ++operand.combined;
    if (index > 0 && code == 0) {
        code = post(index - 1);
    }
    if (index < order_.last() || code != 0) {
        return code;
    }
    if (!is_root()) {
        return pass_on();
    }
    std::byte* const result = buffers_.result->data() + segments_.begin(segment);
    if (right != result) {
        std::memcpy(result, right, bytes);
    }
    return post(index);
}

/// Combines into this operand the segments that have arrived, each as far up the operands as possible.
int FanIn::advance(std::size_t first) {
    while (combinable(first)) {
        const std::size_t segment = operands_[first].combined;
        for (std::size_t index = first;
             index < operands_.size() && operands_[index].combined == segment && combinable(index); ++index) {
            if (const int code = combine(index); code != 0) {
                return code;
            }
        }
    }
    return 0;
}

/// Posts a child's receives as far as slots are free.
int FanIn::post(std::size_t index) {
    const Operand& operand = operands_[index];
    int code = 0;
    while (code == 0 && operand.stream >= 0 && table_.may_start(operand.stream) &&
           table_.next(operand.stream) < released(index) + operand.slots) {
        code = table_.receive_next(operand.stream, address(operand, table_.next(operand.stream)));
    }
    return code;
}

/// Sends combined segments to the parent; produced ones if there is nothing to combine.
int FanIn::pass_on() {
    const Operand& last = operands_.back();
    int code = 0;
    while (code == 0 && !is_root() && table_.may_start(parent_stream_) &&
           table_.next(parent_stream_) < last.combined) {
        const std::size_t segment = table_.next(parent_stream_);
        code = operands_.size() == 1 ? produce(segment) : 0;
        if (code == 0) {
            code = table_.send_next(parent_stream_, address(last, segment));
        }
    }
    return code;
}

int FanIn::completed(int stream) {
    int code = 0;
    if (stream == parent_stream_) {
        code = pass_on();
        code = code == 0 ? post(order_.last()) : code;
    } else {
        const std::size_t index = order_.of_child(static_cast<std::size_t>(stream - first_child_));
        operands_[index].arrived = table_.finished(stream);
        code = post(index);
        code = code == 0 ? advance(index) : code;
    }
    // The copy of this rank's contribution may wait for a free slot; no message of its own announces one.
    return code == 0 && order_.own() > 0 ? advance(order_.own()) : code;
}

}  // namespace strata::algorithms
