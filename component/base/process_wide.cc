#include "component/base/process_wide.h"

#include <mutex>
#include <type_traits>

namespace strata::component {
namespace {

std::mutex joining;
ProcessWideBase* youngest = nullptr;

}  // namespace

static_assert(std::is_trivially_destructible_v<ProcessWide<std::array<int, 1>>> &&
              std::is_trivially_destructible_v<std::mutex>);

ProcessWideBase::ProcessWideBase(Renew renew) noexcept : renew_(renew) {
    const std::lock_guard lock(joining);
    older_ = youngest;
    youngest = this;
}

void ProcessWideBase::renew_all() noexcept {
    const std::lock_guard lock(joining);
    for (ProcessWideBase* one = youngest; one != nullptr; one = one->older_) {
        one->renew_(*one);
    }
}

}  // namespace strata::component
