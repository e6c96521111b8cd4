#include "component/levels/level_blocks.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "component/levels/level_work.h"

namespace strata::component {
namespace {

using algorithms::Arena;
using algorithms::Block;
using algorithms::ChunkDirection;
using algorithms::LevelRole;
using algorithms::LevelStage;
using algorithms::Task;
using Part = algorithms::LevelBlocks::Part;

/// The blocks of consecutive places, one after the other.
class Row {
public:
    Row(const algorithms::LevelBlocks& places, std::span<const Block> blocks, Part run, Arena& arena)
        : places_(places), blocks_(blocks), run_(run), starts_(arena.values<int>(places.order.size() + 1)) {
        for (int place = 0; place < static_cast<int>(places.order.size()); ++place) {
            starts_[static_cast<std::size_t>(place) + 1] =
                start(place) + static_cast<int>(block(place).bytes);
        }
        if (bytes(run) > 0) {
            memory_ = in_place();
            aside_ = memory_ == nullptr;
            memory_ = aside_ ? arena.take(static_cast<std::size_t>(bytes(run))) : memory_;
        }
    }

    int bytes(Part part) const { return start(part.first + part.count) - start(part.first); }
    /// Returns the offset of a part from the first byte of the row.
    int offset(Part part) const { return start(part.first) - start(run_.first); }
    std::byte* data(Part part) const { return memory_ + offset(part); }
    Part run() const { return run_; }

    /// fill() copies blocks into the row, empty() back, unless they lie there already.
    void fill(Part part) const { copy(part, true); }
    void empty(Part part) const { copy(part, false); }

private:
    int start(int place) const { return starts_[static_cast<std::size_t>(place)]; }
    const Block& block(int place) const {
        return blocks_[static_cast<std::size_t>(places_.order[static_cast<std::size_t>(place)])];
    }

    /// Returns the row's memory if its blocks already lie in order, else null.
    std::byte* in_place() const {
        std::byte* first = nullptr;
        for (int place = run_.first; place < run_.first + run_.count; ++place) {
            const Block& here = block(place);
            if (here.bytes == 0) {
                continue;
            }
            const int before = start(place) - start(run_.first);
            if (here.data == nullptr || (first != nullptr && here.data != first + before)) {
                return nullptr;
            }
            first = here.data - before;
        }
        return first;
    }

    void copy(Part part, bool into) const {
        for (int place = part.first; aside_ && place < part.first + part.count; ++place) {
            const Block& here = block(place);
            std::byte* const there = data({place, 1});
            if (here.bytes > 0 && here.data != nullptr) {
                std::memcpy(into ? there : here.data, into ? here.data : there, here.bytes);
            }
        }
    }

    const algorithms::LevelBlocks& places_;
    std::span<const Block> blocks_;
    Part run_;
    std::span<int> starts_;  ///< place -> bytes of all earlier blocks
    std::byte* memory_ = nullptr;
    bool aside_ = false;
};

/// A group's shares as arguments of the collectives with counts.
struct Counts {
    std::span<int> bytes;
    std::span<int> offsets;
};

class BlockWork final : public GroupWork {
public:
    BlockWork(LevelCall& call, const Row& row, bool equal, ChunkDirection flow, Arena& arena)
        : GroupWork(call), row_(row), equal_(equal), flow_(flow), arena_(arena) {}

    int start(const LevelStage& stage, std::size_t begin, std::size_t end) override {
        GroupCall& group = call_.at(stage.level);
        const auto& parts = call_.blocks().parts[static_cast<std::size_t>(stage.level)];
        switch (stage.role) {
            case LevelRole::up: return gather(group, parts);
            case LevelRole::across: return across(group, parts);
            case LevelRole::down:
                return flow_ == ChunkDirection::all ? bcast(group, group.down, begin, end)
                                                    : scatter(group, parts);
        }
        return OMPI_ERR_BAD_PARAM;
    }

private:
    using Parts = std::vector<Part>;

    /// Equal for all groups and ranks, so that all choose the same collective.
    bool uniform(const Parts& parts) const {
        return equal_ && std::all_of(parts.begin(), parts.end(),
                                     [&](const Part& part) { return part.count == parts.front().count; });
    }
    Part mine(const GroupCall& group, const Parts& parts) const {
        return parts[static_cast<std::size_t>(ompi_comm_rank(group.comm()))];
    }
    Part all(const Parts& parts) const {
        int ranks = 0;
        for (const Part& part : parts) {
            ranks += part.count;
        }
        return {parts.front().first, ranks};
    }
    Counts counts(const Parts& parts) const {
        const Counts made{arena_.values<int>(parts.size()), arena_.values<int>(parts.size())};
        for (std::size_t i = 0; i < parts.size(); ++i) {
            made.bytes[i] = row_.bytes(parts[i]);
            made.offsets[i] = row_.bytes({parts.front().first, parts[i].first - parts.front().first});
        }
        return made;
    }

    int gather(GroupCall& group, const Parts& parts) {
        ompi_datatype_t* const byte = &ompi_mpi_byte.dt;
        const Part own = mine(group, parts);
        const bool root = group.is_root();
        const void* const send = root ? MPI_IN_PLACE : row_.data(own);
        void* const receive = root ? row_.data(all(parts)) : nullptr;
        if (uniform(parts)) {
            return component::start<Collective::gather>(group, group.up, send, row_.bytes(own), byte, receive,
                                                        row_.bytes(own), byte, group.root);
        }
        const Counts shares = root ? counts(parts) : Counts{};
        return component::start<Collective::gatherv>(
            group, group.up, send, row_.bytes(own), byte, receive, compat::counts_of(shares.bytes.data()),
            compat::displacements_of(shares.offsets.data()), byte, group.root);
    }

    int scatter(GroupCall& group, const Parts& parts) {
        ompi_datatype_t* const byte = &ompi_mpi_byte.dt;
        const Part own = mine(group, parts);
        const bool root = group.is_root();
        const void* const send = root ? row_.data(all(parts)) : nullptr;
        void* const receive = root ? MPI_IN_PLACE : row_.data(own);
        if (uniform(parts)) {
            return component::start<Collective::scatter>(group, group.down, send, row_.bytes(own), byte,
                                                         receive, row_.bytes(own), byte, group.root);
        }
        const Counts shares = root ? counts(parts) : Counts{};
        return component::start<Collective::scatterv>(group, group.down, send,
                                                      compat::counts_of(shares.bytes.data()),
                                                      compat::displacements_of(shares.offsets.data()), byte,
                                                      receive, row_.bytes(own), byte, group.root);
    }

    int bcast(GroupCall& group, ompi_request_t*& pending, std::size_t begin, std::size_t end) {
        return component::start<Collective::bcast>(
            group, pending, static_cast<void*>(row_.data(row_.run()) + begin), static_cast<int>(end - begin),
            &ompi_mpi_byte.dt, group.root);
    }

    int across(GroupCall& group, const Parts& parts) {
        ompi_datatype_t* const byte = &ompi_mpi_byte.dt;
        void* const receive = row_.data(all(parts));
        const bool same = uniform(parts);
        if (exchanges(group, same)) {
            if (same) {
                // coll/tuned chooses by the send count even if MPI_IN_PLACE ignores it.
                const int own = row_.bytes(parts.front());
                return component::start<Collective::allgather>(
                    group, group.up, static_cast<const void*>(MPI_IN_PLACE), own, byte, receive, own, byte);
            }
            const Counts shares = counts(parts);
            return component::start<Collective::allgatherv>(
                group, group.up, static_cast<const void*>(MPI_IN_PLACE), 0, byte, receive,
                compat::counts_of(shares.bytes.data()), compat::displacements_of(shares.offsets.data()),
                byte);
        }
        // The method works with trees: gather, then broadcast.
        int rc = collecting_ ? OMPI_SUCCESS : gather(group, parts);
        collecting_ = true;
        if (rc == OMPI_SUCCESS) {
            rc = component::finish(group, group.up);
        }
        if (rc == algorithms::under_way) {
            return rc;
        }
        collecting_ = false;
        const auto bytes = static_cast<std::size_t>(row_.bytes(row_.run()));
        return rc != OMPI_SUCCESS ? rc : bcast(group, group.up, 0, bytes);
    }

    static bool exchanges(const GroupCall& group, bool same) {
        const Collective op = same ? Collective::allgather : Collective::allgatherv;
        if (group.by_component()) {
            return group.group->offers(op);
        }
        const auto tasks = algorithms::info(group.method->algorithm).tasks;
        // An algorithm that requires equal shares still shows that the user wants an exchange.
        return tasks.has(algorithms::LevelTask::allgather) || tasks.has(algorithms::LevelTask::allgatherv);
    }

    const Row& row_;
    bool equal_;
    ChunkDirection flow_;
    Arena& arena_;
    bool collecting_ = false;  ///< the gather of gather + broadcast runs
};

Part place_of(const LevelCall& call, int rank) {
    const auto& order = call.blocks().order;
    return {static_cast<int>(std::find(order.begin(), order.end(), rank) - order.begin()), 1};
}

/// Returns the widest run of places that passes through this rank.
Part widest(LevelCall& call, ChunkDirection flow, int rank) {
    const auto& places = call.blocks();
    if (flow == ChunkDirection::all) {
        return {0, static_cast<int>(places.order.size())};
    }
    Part run = place_of(call, rank);
    for (int level = 0; level < call.levels(); ++level) {
        if (!call.member(level) || !call.at(level).is_root()) {
            continue;
        }
        for (const Part& part : places.parts[static_cast<std::size_t>(level)]) {
            const int end = std::max(run.first + run.count, part.first + part.count);
            run.first = std::min(run.first, part.first);
            run.count = end - run.first;
        }
    }
    return run;
}

Task run(LevelCall& call, std::span<Block> blocks, bool equal, ChunkDirection flow, int root, int rank,
         std::size_t segment_bytes, Arena& arena) {
    const Row row(call.blocks(), blocks, widest(call, flow, rank), arena);
    if (row.bytes({0, static_cast<int>(blocks.size())}) == 0) {
        co_return OMPI_SUCCESS;
    }
    if (flow != ChunkDirection::from_root) {
        row.fill(place_of(call, rank));
    } else if (rank == root) {
        row.fill(row.run());
    }
    BlockWork work(call, row, equal, flow, arena);
    const int levels = call.levels();
    const algorithms::LevelStages stages(
        {.up = flow != ChunkDirection::from_root, .down = flow != ChunkDirection::to_root}, levels);
    // Blocks go down only after all have arrived, so only the way down has segments.
    const int cut = flow == ChunkDirection::all ? levels : stages.count();
    const auto bytes = static_cast<std::size_t>(row.bytes(row.run()));
    Task whole = algorithms::run_levels(work, stages, 0, cut, 1, 0, arena);
    Task down = cut == stages.count()
                    ? Task(0)
                    : algorithms::run_levels(work, stages, cut, stages.count(), bytes, segment_bytes, arena);
    int rc = co_await whole;
    if (rc == OMPI_SUCCESS) {
        rc = co_await down;
    }
    if (rc == OMPI_SUCCESS && flow == ChunkDirection::from_root) {
        if (rank != root) {  // the root's blocks are the send buffer, which is read-only
            row.empty(place_of(call, rank));
        }
    } else if (rc == OMPI_SUCCESS && (flow == ChunkDirection::all || rank == root)) {
        row.empty(row.run());
    }
    co_return rc;
}

}  // namespace

bool fits_levels(std::span<const Block> blocks) {
    std::size_t bytes = 0;
    for (const Block& block : blocks) {
        bytes += block.bytes;
    }
    // Open MPI's algorithms round up to a multiple of the group's size, in int.
    return bytes + blocks.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
}

Task move_by_levels(LevelCall& call, std::span<Block> blocks, bool equal, ChunkDirection flow, int root,
                    int rank, std::size_t segment_bytes, Arena& arena) {
    return run(call, blocks, equal, flow, root, rank, segment_bytes, arena);
}

}  // namespace strata::component
