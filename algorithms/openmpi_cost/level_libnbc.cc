// What coll/libnbc makes of a task (level_patterns.h).
#include <algorithm>

#include "algorithms/openmpi_cost/level_patterns.h"
#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

constexpr int linear_up_to = 4;               // ranks of a broadcast
constexpr std::size_t short_bytes = 65536;    // below: no pieces, and an allreduce by trees
constexpr std::size_t longer_bytes = 524288;  // from here on longer pieces
constexpr std::size_t short_piece = 8192;     // of chains
constexpr std::size_t longer_piece = 32768;

std::size_t pieces_of(std::size_t bytes, std::size_t piece) { return (bytes + piece - 1) / piece; }

/// At least a message from every rank for each piece.
bool is_too_long(int ranks, std::size_t pieces) {
    return pieces > most_level_messages / static_cast<std::size_t>(ranks);
}

/// Down a chain in pieces: each is passed on while the next one comes.
std::optional<MessageSchedule> chain_bcast(int ranks, std::size_t bytes, int root, std::size_t piece) {
    const std::size_t pieces = pieces_of(bytes, piece);
    if (is_too_long(ranks, pieces)) return std::nullopt;
    MessageSchedule program(ranks);
    const std::size_t each = block_bytes(bytes, static_cast<int>(pieces));
    for (int v = 0; v < ranks; ++v) {
        auto& steps = program.steps[(root + v) % ranks];
        const int before = v == 0 ? -1 : (root + v - 1) % ranks;
        const int after = v + 1 == ranks ? -1 : (root + v + 1) % ranks;
        if (before >= 0) steps.push_back({.from = before});
        for (std::size_t p = 0; p < pieces; ++p) {
            const int more = p + 1 < pieces ? before : -1;
            if (after >= 0 || more >= 0) steps.push_back({after, after < 0 ? 0 : each, more});
        }
    }
    return program;
}

/// Up a chain in pieces, one after the other.
std::optional<MessageSchedule> chain_reduce(int ranks, std::size_t bytes, int root, std::size_t piece) {
    const std::size_t pieces = pieces_of(bytes, piece);
    if (is_too_long(ranks, pieces)) return std::nullopt;
    MessageSchedule program(ranks);
    const std::size_t each = block_bytes(bytes, static_cast<int>(pieces));
    for (int v = 0; v < ranks; ++v) {
        const int own = (root + v) % ranks;
        for (std::size_t p = 0; p < pieces; ++p) {
            if (v + 1 < ranks) program.receive(own, (root + v + 1) % ranks, each);
            if (v > 0) program.send(own, (root + v - 1) % ranks, each);
        }
    }
    return program;
}

std::optional<MessageSchedule> bcast(const GroupTask& task) {
    using enum Algorithm;
    if (task.ranks <= linear_up_to || task.bytes < short_bytes) {
        const Algorithm algorithm = task.ranks <= linear_up_to ? linear : binomial;
        return program_of({LevelTask::bcast, algorithm, task.bytes, task.root}, task.ranks);
    }
    return chain_bcast(task.ranks, task.bytes, task.root,
                       task.bytes < longer_bytes ? short_piece : longer_piece);
}

std::optional<MessageSchedule> reduce(const GroupTask& task) {
    const std::size_t elements = task.bytes / tuned_element_bytes;
    const bool halves = elements >= static_cast<std::size_t>(whole_power(task.ranks));
    if (!task.rank_order && task.ranks > 2 && halves) {
        return halving_reduce_program(task.ranks, task.bytes, task.root);
    }
    if (task.rank_order || task.ranks > linear_up_to || task.bytes < short_bytes) {
        return program_of({LevelTask::reduce, Algorithm::binomial, task.bytes, task.root}, task.ranks);
    }
    return chain_reduce(task.ranks, task.bytes, task.root, short_piece);
}

MessageSchedule allreduce(const GroupTask& task) {
    if (task.ranks < linear_up_to || task.bytes < short_bytes || task.rank_order || task.in_place) {
        return then(program_of({LevelTask::reduce, Algorithm::binomial, task.bytes}, task.ranks),
                    program_of({LevelTask::bcast, Algorithm::binomial, task.bytes}, task.ranks));
    }
    return allreduce_program(Algorithm::rabenseifner, task.ranks, task.bytes);
}

/// Everybody's block straight to everybody, all at once.
MessageSchedule allgather(const std::vector<std::size_t>& parts) {
    const int ranks = static_cast<int>(parts.size());
    MessageSchedule program(ranks);
    for (int r = 0; r < ranks; ++r) {
        for (int i = 1; i < ranks; ++i) {
            program.steps[r].push_back({.to = (r + i) % ranks, .bytes = parts[r], .waits = false});
        }
        for (int i = 1; i < ranks; ++i) program.receive(r, (r + ranks - i) % ranks);
    }
    return program;
}

}  // namespace

MessageSchedule gatherv_program(const std::vector<std::size_t>& parts, int root) {
    const int ranks = static_cast<int>(parts.size());
    MessageSchedule program(ranks);
    for (int r = 0; r < ranks; ++r) {
        if (r == root || parts[r] == 0) continue;
        program.send(r, root, parts[r]);
        program.receive(root, r);
    }
    return program;
}

MessageSchedule scatterv_program(const std::vector<std::size_t>& parts, int root, bool waits) {
    const int ranks = static_cast<int>(parts.size());
    MessageSchedule program(ranks);
    for (int r = 0; r < ranks; ++r) {
        if (r == root || parts[r] == 0) continue;
        program.steps[root].push_back({.to = r, .bytes = parts[r], .waits = waits});
        program.receive(r, root);
    }
    return program;
}

std::optional<MessageSchedule> libnbc_program(const GroupTask& task) {
    const std::size_t block = block_bytes(task.bytes, task.ranks);
    const std::vector<std::size_t> parts =
        task.parts.empty() ? std::vector<std::size_t>(static_cast<std::size_t>(task.ranks), block)
                           : task.parts;
    switch (task.task) {
        case LevelTask::bcast: return bcast(task);
        case LevelTask::reduce: return reduce(task);
        case LevelTask::allreduce: return allreduce(task);
        case LevelTask::allgather:
        case LevelTask::allgatherv: return allgather(parts);
        case LevelTask::gather: return gatherv_program(parts, task.root);
        case LevelTask::scatter: return scatterv_program(parts, task.root, false);
        case LevelTask::barrier: break;
    }
    return barrier_program(Algorithm::bruck, task.ranks);
}

}  // namespace strata::algorithms
