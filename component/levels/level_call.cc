#include "component/levels/level_call.h"

#include <algorithm>
#include <utility>

namespace strata::component {

LevelCall::LevelCall(AimedLevels levels, const algorithms::Plan& plan, algorithms::Arena& arena)
    : levels_(std::move(levels)),
      groups_(arena.values<GroupCall>(static_cast<std::size_t>(levels_.communicators->levels()))) {
    for (int level = 0; level < this->levels(); ++level) {
        GroupCall& call = at(level);
        call.group = &levels_.communicators->at(level);
        if (call.group->comm != nullptr) {
            call.method = &plan.at(call.group->key).method;
            call.root = levels_.aim->roots[static_cast<std::size_t>(level)];
        }
    }
}

int LevelCall::noted_error() const {
    const bool truncated =
        std::any_of(groups_.begin(), groups_.end(), [](const GroupCall& group) { return group.truncated; });
    return truncated ? MPI_ERR_TRUNCATE : OMPI_SUCCESS;
}

void LevelCall::abandon() noexcept {
    for (GroupCall& group : groups_) {
        left_messages_ = left_messages_ || std::exchange(group.inside, false);
        for (ompi_request_t** pending : {&group.up, &group.down}) {
            if (*pending != nullptr) {
                left_messages_ = ompi_request_free(pending) != OMPI_SUCCESS || left_messages_;
                *pending = nullptr;
            }
        }
    }
}

}  // namespace strata::component
