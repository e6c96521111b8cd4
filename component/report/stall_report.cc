#include "component/report/stall_report.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "component/base/collectives.h"
#include "component/openmpi/messages.h"

namespace strata::component {
namespace {

constexpr std::size_t most_named = 8;  // ranks

thread_local WatchedCall* innermost = nullptr;

int check_calls() {
    if (innermost != nullptr) innermost->check();
    return 0;  // no event of Open MPI's
}

std::string list_of(const std::vector<int>& ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size() && i < most_named; ++i) {
        text += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
    }
    const std::size_t more = ranks.size() - std::min(ranks.size(), most_named);
    return text + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

}  // namespace

void start_stall_reports(int seconds) {
    WatchedCall::first_report = std::chrono::seconds(seconds);
    if (seconds > 0) opal_progress_register(check_calls);
}

void stop_stall_reports() noexcept {
    if (WatchedCall::first_report.count() > 0) opal_progress_unregister(check_calls);
    WatchedCall::first_report = {};
}

void WatchedCall::enter(const What& what) {
    what_ = what;
    start_ = std::chrono::steady_clock::now();
    due_ = first_report;
    outer_ = innermost;
    innermost = this;
}

void WatchedCall::leave() noexcept { innermost = outer_; }

void WatchedCall::check() {
    const auto waited =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_);
    if (waited >= due_) {
        due_ = 2 * waited;
        try_to([&] { report(waited); });
    }
    if (outer_ != nullptr) outer_->check();
}

/// Returns what the call waits for; empty: nothing.
std::string WatchedCall::awaited() const {
    if (what_.boards == nullptr) return "messages";
    const std::vector<int> late = what_.boards->late();
    return late.empty() ? "" : list_of(late);
}

void WatchedCall::report(std::chrono::seconds waited) const {
    const std::string late = awaited();
    if (late.empty()) return;
    const auto collective = static_cast<std::size_t>(what_.operation->collective);
    opal_output(
        0,
        "coll:strata: stalled: %s, rank %d of %d (process %ld on node %s): %s of %zu bytes, call %llu "
        "of engines there (%s), has waited %lld s for %s",
        compat::name_of(what_.comm), ompi_comm_rank(what_.comm), ompi_comm_size(what_.comm),
        static_cast<long>(getpid()), compat::own_node().c_str(),
        std::string(collective_names[collective]).c_str(), what_.operation->bytes,
        static_cast<unsigned long long>(what_.number), std::string(what_.stage).c_str(),
        static_cast<long long>(waited.count()), late.c_str());
}

}  // namespace strata::component
