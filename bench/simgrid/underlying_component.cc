#include "underlying_component.h"

#include <deque>
#include <map>
#include <tuple>
#include <utility>

#include "smpi_transport.h"

namespace strata::simulation {
namespace {

using algorithms::MessageSchedule;
using algorithms::ScheduleStep;

/// Returns the bytes of every receive, by rank and step. Messages between two ranks match, channel by
/// channel, in the order of their steps.
std::vector<std::vector<std::size_t>> received_bytes(const MessageSchedule& schedule) {
    std::map<std::tuple<int, int, int>, std::deque<std::size_t>> sent;
    for (std::size_t rank = 0; rank < schedule.steps.size(); ++rank) {
        for (const ScheduleStep& step : schedule.steps[rank]) {
            if (step.to >= 0) sent[{static_cast<int>(rank), step.to, step.channel}].push_back(step.bytes);
        }
    }
    std::vector<std::vector<std::size_t>> received(schedule.steps.size());
    for (std::size_t rank = 0; rank < schedule.steps.size(); ++rank) {
        for (const ScheduleStep& step : schedule.steps[rank]) {
            received[rank].push_back(0);
            if (step.from < 0) continue;
            auto& queue = sent.at({step.from, static_cast<int>(rank), step.channel});
            received[rank].back() = queue.front();
            queue.pop_front();
        }
    }
    return received;
}

/// One rank's progress through its steps.
class StepRunner {
public:
    StepRunner(MPI_Comm comm, std::size_t eager_bytes, std::span<std::byte> memory)
        : comm_(comm), eager_bytes_(eager_bytes), memory_(memory) {}

    int run(std::span<const ScheduleStep> steps, std::span<const std::size_t> received,
            void (*combine)(std::size_t bytes)) {
        int code = MPI_SUCCESS;
        const auto keep = [&](int rc) { code = code == MPI_SUCCESS ? rc : code; };
        std::vector<MPI_Request> receives(steps.size() + 1, MPI_REQUEST_NULL);
        const auto ask = [&](std::size_t i) {
            if (i < steps.size() && steps[i].from >= 0 && receives[i] == MPI_REQUEST_NULL)
                keep(receive(steps[i], received[i], receives[i]));
        };
        for (std::size_t i = 0; i < steps.size() && code == MPI_SUCCESS; ++i) {
            const ScheduleStep& step = steps[i];
            ask(i);
            if (i + 1 < steps.size() && steps[i + 1].early) ask(i + 1);
            MPI_Request sent = MPI_REQUEST_NULL;
            if (step.to >= 0) keep(send(step, sent));
            if (step.waits) {
                keep(MPI_Wait(&sent, MPI_STATUS_IGNORE));
            } else {
                pending_.push_back(sent);
            }
            keep(MPI_Wait(&receives[i], MPI_STATUS_IGNORE));
            if (step.combined > 0) combine(step.combined);
        }
        keep(MPI_Waitall(static_cast<int>(pending_.size()), pending_.data(), MPI_STATUSES_IGNORE));
        return code;
    }

private:
    int send(const ScheduleStep& step, MPI_Request& request) {
        return MPI_Isend(memory_.data(), static_cast<int>(step.bytes), MPI_BYTE, step.to,
                         tag_of(step.channel, step.bytes, eager_bytes_), comm_, &request);
    }
    int receive(const ScheduleStep& step, std::size_t bytes, MPI_Request& request) {
        return MPI_Irecv(memory_.data() + memory_.size() / 2, static_cast<int>(bytes), MPI_BYTE, step.from,
                         tag_of(step.channel, bytes, eager_bytes_), comm_, &request);
    }

    MPI_Comm comm_;
    std::size_t eager_bytes_;
    std::span<std::byte> memory_;
    std::vector<MPI_Request> pending_;
};

}  // namespace

UnderlyingComponent::UnderlyingComponent(const algorithms::Operation& operation, int ranks) {
    for (MessageSchedule& schedule : algorithms::underlying_schedules(operation, ranks)) {
        std::vector<std::vector<std::size_t>> received = received_bytes(schedule);
        schedules_.push_back({std::move(schedule), std::move(received)});
    }
}

int UnderlyingComponent::perform(MPI_Comm comm, std::size_t eager_bytes, std::span<std::byte> memory,
                                 void (*combine)(std::size_t bytes)) const {
    int rank = 0;
    int code = MPI_Comm_rank(comm, &rank);
    for (const Schedule& schedule : schedules_) {
        if (code != MPI_SUCCESS) break;
        const auto own = static_cast<std::size_t>(rank);
        code = StepRunner(comm, eager_bytes, memory)
                   .run(schedule.messages.steps[own], schedule.received[own], combine);
    }
    return code;
}

}  // namespace strata::simulation
