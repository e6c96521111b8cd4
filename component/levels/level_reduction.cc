#include "component/levels/level_reduction.h"

#include <algorithm>

#include "component/levels/level_work.h"
#include "component/openmpi/packed_datatype.h"

namespace strata::component {
namespace {

using algorithms::LevelRole;
using algorithms::LevelStage;

class ReductionWork final : public GroupWork {
public:
    ReductionWork(LevelCall& call, const Operands& operands, algorithms::Arena& arena)
        : GroupWork(call), operands_(operands) {
        ptrdiff_t lower = 0;
        ompi_datatype_get_extent(operands.datatype, &lower, &extent_);
        collected_ = operands.result_due ? static_cast<std::byte*>(operands.receive) : nullptr;
        for (int level = 0; level < call.levels(); ++level) {
            if (!call.member(level)) {
                continue;
            }
            deepest_ = level;
            collects_ = collects_ || call.at(level).is_root();
        }
        // Open MPI takes MPI_BOTTOM, which is null, for a missing receive buffer and loses the result.
        aside_ = operands.result_due && operands.receive == MPI_BOTTOM;
        if (aside_ || (collects_ && !operands.result_due)) {
            collected_ = take_elements(arena);
        }
        if (aside_ && operands.send == MPI_IN_PLACE) {
            copied_ = copy(collected_, operands.receive);
        }
    }

    /// Copies a result that was collected aside into the receive buffer.
    int deliver() { return aside_ ? copy(operands_.receive, collected_) : OMPI_SUCCESS; }

    int start(const LevelStage& stage, std::size_t begin, std::size_t end) override {
        if (copied_ != OMPI_SUCCESS) return copied_;
        GroupCall& group = call_.at(stage.level);
        const auto count = static_cast<int>(end - begin);
        switch (stage.role) {
            case LevelRole::up: return reduce(group, begin, count);
            case LevelRole::down:
                return component::start<Collective::bcast>(group, group.down,
                                                           static_cast<void*>(element(collected_, begin)),
                                                           count, operands_.datatype, group.root);
            case LevelRole::across: return across(group, begin, count);
        }
        return OMPI_ERR_BAD_PARAM;
    }

private:
    int copy(void* to, const void* from) const {
        const int rc = ompi_datatype_copy_content_same_ddt(
            operands_.datatype, static_cast<std::int32_t>(operands_.count), static_cast<char*>(to),
            static_cast<char*>(const_cast<void*>(from)));
        return rc < 0 ? OMPI_ERROR : OMPI_SUCCESS;
    }

    std::byte* element(const void* elements, std::size_t index) const {
        return static_cast<std::byte*>(const_cast<void*>(elements)) +
               static_cast<std::ptrdiff_t>(index) * extent_;
    }

    std::byte* take_elements(algorithms::Arena& arena) const {
        const ElementRoom room = room_for(operands_.datatype, static_cast<std::ptrdiff_t>(operands_.count));
        return arena.take(room.bytes) + room.base;
    }

    /// Returns this rank's contribution: its own data on its deepest level, else its combined data.
    const void* given(const GroupCall& group, std::size_t begin) const {
        const bool own = &group == &call_.at(deepest_);
        if (!own || operands_.send == MPI_IN_PLACE) {
            return element(collected_, begin);
        }
        return element(operands_.send, begin);
    }

    int reduce(GroupCall& group, std::size_t begin, int count) {
        const void* const send = given(group, begin);
        void* const receive = group.is_root() ? element(collected_, begin) : nullptr;
        return component::start<Collective::reduce>(
            group, group.up, group.is_root() && send == receive ? MPI_IN_PLACE : send, receive, count,
            operands_.datatype, operands_.op, group.root);
    }

    int across(GroupCall& group, std::size_t begin, int count) {
        if (exchanges(group)) {
            const void* send = given(group, begin);
            void* const receive = element(collected_, begin);
            if (send != receive && call_.levels() > 1) {
                // coll/libnbc chooses by MPI_IN_PLACE, and leaders use it: all ranks must use it.
                if (ompi_datatype_copy_content_same_ddt(operands_.datatype, count,
                                                        static_cast<char*>(receive),
                                                        static_cast<char*>(const_cast<void*>(send))) < 0) {
                    return OMPI_ERROR;
                }
                send = receive;
            }
            return component::start<Collective::allreduce>(group, group.up,
                                                           send == receive ? MPI_IN_PLACE : send, receive,
                                                           count, operands_.datatype, operands_.op);
        }
        // The method works with trees: reduce, then broadcast.
        int rc = collecting_ ? OMPI_SUCCESS : reduce(group, begin, count);
        collecting_ = true;
        if (rc == OMPI_SUCCESS) {
            rc = component::finish(group, group.up);
        }
        if (rc == algorithms::under_way) {
            return rc;
        }
        collecting_ = false;
        return rc != OMPI_SUCCESS ? rc
                                  : component::start<Collective::bcast>(
                                        group, group.up, static_cast<void*>(element(collected_, begin)),
                                        count, operands_.datatype, group.root);
    }

    static bool exchanges(const GroupCall& group) {
        if (group.by_component()) {
            return group.group->offers(Collective::allreduce);
        }
        return algorithms::info(group.method->algorithm).tasks.has(algorithms::LevelTask::allreduce);
    }

    Operands operands_;
    std::ptrdiff_t extent_ = 0;
    int deepest_ = 0;
    bool collects_ = false;
    bool aside_ = false;
    bool collecting_ = false;         ///< the reduction of reduction + broadcast runs
    int copied_ = OMPI_SUCCESS;       ///< error code of the copy to `collected_`
    std::byte* collected_ = nullptr;  ///< combined data, addressed as MPI does; the result if one is due
};

std::size_t elements_per_segment(const Operands& operands, std::size_t segment_bytes) {
    constexpr std::size_t most = std::size_t{1} << 30;
    const std::size_t bytes = segment_bytes == 0 ? most : std::min(segment_bytes, most);
    return std::max<std::size_t>(1, bytes / std::max<std::size_t>(1, packed_bytes(operands.datatype, 1)));
}

algorithms::Task run(LevelCall& call, Collective collective, Operands operands, std::size_t segment,
                     algorithms::Arena& arena) {
    ReductionWork work(call, operands, arena);
    const auto count = static_cast<std::size_t>(operands.count);
    const int rc = co_await by_levels(work, call, collective, count, segment, arena);
    co_return rc == OMPI_SUCCESS ? work.deliver() : rc;
}

}  // namespace

algorithms::Task reduce_by_levels(LevelCall& call, Collective collective, const Operands& operands,
                                  std::size_t segment_bytes, algorithms::Arena& arena) {
    return run(call, collective, operands, elements_per_segment(operands, segment_bytes), arena);
}

}  // namespace strata::component
