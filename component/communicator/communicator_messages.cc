// The log of a communicator's decisions (coll_strata_verbose).
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "component/communicator/communicator_state.h"
#include "component/openmpi/messages.h"
#include "component/report/dump.h"

namespace strata::component {
namespace {

void list(std::string& names, std::size_t op) {
    names += (names.empty() ? "" : ", ") + std::string(collective_names[op]);
}

}  // namespace

bool CommunicatorState::writes_log() const { return settings_.verbose >= 1 && ompi_comm_rank(comm_) == 0; }

void CommunicatorState::explain(const algorithms::Operation& operation,
                                const algorithms::Plan& plan) const noexcept {
    if (!writes_log()) {
        return;
    }
    try_to([&] {
        const std::string name(algorithms::collective_names[static_cast<int>(operation.collective)]);
        opal_output(0, "coll:strata: %s %s of %zu bytes from rank %d: %s", comm_->c_name, name.c_str(),
                    operation.bytes, operation.root,
                    describe(plan, operation.collective, settings_.rules_file).c_str());
    });
}

void CommunicatorState::report_all_passed(ForwardReason reason) const {
    if (writes_log()) {
        opal_output(0, "coll:strata: %s: all calls are passed through to the underlying component: %s",
                    comm_->c_name, explanation(reason));
    }
}

/// Logs the collectives that pass through at every size: their plans are not logged one by one.
void CommunicatorState::report_passed_collectives() const {
    if (!writes_log()) {
        return;
    }
    std::map<std::string_view, std::string> names;  // by reason
    for (std::size_t op = 0; op < collective_names.size(); ++op) {
        const auto collective = static_cast<Collective>(op);
        const char* const reason = passed_.passed_at_every_size(collective);
        if (reason != nullptr && passed_.for_good(collective) == ForwardReason::model) {
            list(names[reason], op);
        }
    }
    for (const auto& [reason, all] : names) {
        opal_output(0, "coll:strata: %s: %s of any size are passed through to the underlying component: %s",
                    comm_->c_name, all.c_str(), reason.data());
    }
}

void CommunicatorState::report_handed_back(std::uint32_t collectives) const noexcept {
    if (collectives == 0 || !writes_log()) {
        return;
    }
    try_to([&] {
        std::string names;
        for (std::size_t op = 0; op < collective_names.size(); ++op) {
            if ((collectives >> op & 1) != 0) {
                list(names, op);
            }
        }
        opal_output(0, "coll:strata: %s: slots handed back, calls no longer counted: %s", comm_->c_name,
                    names.c_str());
    });
}

void CommunicatorState::report_predicted() {
    if (!std::exchange(predicted_is_reported_, true) && writes_log()) {
        opal_output(0,
                    "coll:strata: %s: calls passed through as predicted go to tuned, not to han: "
                    "coll_han_priority is not set",
                    comm_->c_name);
    }
}

}  // namespace strata::component
