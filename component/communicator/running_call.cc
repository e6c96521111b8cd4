#include "component/communicator/running_call.h"

#include <utility>

namespace strata::component {

PmlTransport& Transports::lease_other() {
    if (idle_.empty()) {
        idle_.reserve(others_.size() + 1);
        others_.push_back(std::make_unique<PmlTransport>(comm_, counters_));
        return *others_.back();
    }
    PmlTransport& transport = *idle_.back();
    idle_.pop_back();
    return transport;
}

RunningCall::RunningCall(Transports& transports, const algorithms::Routing& routing, PlanInUse& planned,
                         const algorithms::Operation& operation, AimedLevels levels,
                         algorithms::Boards* boards)
    : lease_(transports),
      transport_(lease_.transport),
      routing_(routing),
      planned_(&planned),
      operation_(operation),
      boards_(boards) {
    if (levels.communicators != nullptr) {
        levels_.emplace(std::move(levels), *planned.plan, scratch_.arena);
        by_levels_ = true;
    }
    transport_.start_call();
    use(planned);
}

RunningCall::~RunningCall() {
    --planned_->routes.users;
    if (!transport_.has_begun()) {
        planned_->uncount_call();
    }
    if (succeeded_) {
        return;
    }
    transport_.abandon();
    if (levels_) {
        levels_->abandon();
    }
    if (transport_.left_messages() || (levels_ && levels_->left_messages())) {
        scratch_.arena.abandon();
    }
}

void RunningCall::use(PlanInUse& planned) {
    planned_ = &planned;
    ++planned_->routes.users;
    planned_->count_call();
}

void RunningCall::change_to(PlanInUse& planned) {
    --planned_->routes.users;
    planned_->uncount_call();
    use(planned);
    by_levels_ = false;
}

int RunningCall::end(int rc) {
    if (rc == OMPI_SUCCESS && levels_) {
        rc = levels_->noted_error();
    }
    rc = rc != OMPI_SUCCESS ? rc : transport_.noted_error();
    succeeded_ = rc == OMPI_SUCCESS;
    return rc;
}

}  // namespace strata::component
