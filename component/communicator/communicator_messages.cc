// The log of a communicator's decisions (coll_strata_verbose): 1 choices and ignored values, 2 also reasons.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "algorithms/report/choice_text.h"
#include "component/communicator/communicator_state.h"
#include "component/openmpi/known_components.h"
#include "component/openmpi/messages.h"

namespace strata::component {
namespace {

void list(std::string& names, std::string_view name) {
    names += (names.empty() ? "" : ", ") + std::string(name);
}

/// Adds the sources of rules whose level the hierarchy lacks to `lacking`, by name of the level.
template <class Rule>
void add_absent(const std::vector<Rule>& rules, const std::vector<topology::LevelKey>& levels,
                const std::string& parameter, std::map<std::string, std::string>& lacking) {
    for (const Rule& rule : rules) {
        if (!rule.level || std::ranges::any_of(levels, [&](auto key) { return rule.level->matches(key); })) {
            continue;
        }
        list(lacking[algorithms::source_text(rule.source, parameter, {})],
             topology::name_of({rule.level->kind, rule.level->height.value_or(0)}));
    }
}

}  // namespace

bool CommunicatorState::writes_log(int verbosity) const {
    return settings_.verbose >= verbosity && ompi_comm_rank(comm_) == 0;
}

/// Writes "coll:strata: SUBJECT, MPI_COMM_WORLD, 8 ranks: TEXT".
void CommunicatorState::log(const std::string& subject, const std::string& text) const {
    opal_output(0, "coll:strata: %s, %s, %d ranks: %s", subject.c_str(), compat::name_of(comm_), ranks(),
                text.c_str());
}

/// Returns the component to which calls pass through as predicted.
std::string CommunicatorState::underlying(Collective op) const {
    const bool replaced = (predicted_mask_ >> static_cast<int>(op) & 1) != 0;
    return replaced ? "tuned" : underlying_component(comm_, op);
}

void CommunicatorState::explain(const algorithms::Operation& operation,
                                const algorithms::Plan& plan) const noexcept {
    if (!writes_log(1)) {
        return;
    }
    try_to([&] {
        const Collective op = operation.collective;
        std::string subject(algorithms::name_of(op));
        if (operation.bytes > 0) {
            const auto& bounds = planner().bounds_of(op);
            const auto next = std::ranges::upper_bound(bounds, operation.bytes);
            const std::size_t below = algorithms::size_class(operation.bytes).largest + 1;
            subject +=
                ' ' + algorithms::size_range_text(planner().class_of(operation).representative.bytes,
                                                  next == bounds.end() ? below : std::min(below, *next));
        }
        log(subject, algorithms::choice_text(plan, underlying(op)));
        report_ignored_methods(operation, plan);
        if (!writes_log(2)) {
            return;
        }
        opal_output(0, "coll:strata: why: %s %s: %s", compat::name_of(comm_),
                    algorithms::operation_text(operation).c_str(),
                    algorithms::details_text(plan, op, settings_.rules_file).c_str());
        if (const std::string times = engine_times(operation); !times.empty()) {
            log("candidates for " + subject,
                times + ", fallback " + algorithms::number_text(plan.forward_us) + " us");
        }
    });
}

/// Logs level algorithms, segments and the node engine that the user asked for on a communicator where they
/// are not used: once per collective, not per plan.
void CommunicatorState::report_ignored_methods(const algorithms::Operation& operation,
                                               const algorithms::Plan& plan) const {
    using enum algorithms::Engine;
    const algorithms::Overrides& asked = settings_.of(operation.collective);
    const bool no_boards = asked.engine == node && plan.engine != node;
    const bool no_levels = plan.engine == node && !(asked.methods.empty() && asked.segments.empty());
    const bool no_methods = plan.engine == forward && asked.engine == automatic && !asked.methods.empty();
    if ((!no_boards && !no_levels && !no_methods) || !passed_.takes_message(operation.collective)) {
        return;
    }
    const std::string op(algorithms::name_of(operation.collective));
    const auto report = [&](const algorithms::Source& source, const char* parameter, const std::string& why) {
        log("no effect", algorithms::source_text(source, op + parameter, {}) + why);
    };
    if (no_boards) {
        constexpr std::string_view mark = "by the node engine: ";
        const std::size_t found = plan.reason.find(mark);
        report(asked.engine_source, "_algorithm",
               " node: " + plan.reason.substr(found == std::string::npos ? 0 : found + mark.size()));
        return;
    }
    if (!asked.methods.empty()) {
        report(asked.methods.front().source, "_level_algorithms",
               no_levels ? ": the node engine has no levels"
                         : ": " + plan.reason + "; " + op + "_algorithm tree or levels enforces it");
    }
    if (no_levels && !asked.segments.empty())
        report(asked.segments.front().source, "_segsize", ": the node engine has no segments");
}

/// Logs the levels that the user's parameters name and MPI_COMM_WORLD, or a communicator with keys of its
/// own, lacks.
void CommunicatorState::report_absent_levels() const {
    if (!writes_log(1) || (comm_ != &ompi_mpi_comm_world.comm && own_ == nullptr)) {
        return;
    }
    const std::vector<topology::LevelKey> levels = hierarchy().levels();
    std::map<std::string, std::string> lacking;  // by parameter
    for (const Collective op : algorithms::all_collectives()) {
        const std::string name(algorithms::name_of(op));
        add_absent(settings_.of(op).methods, levels, name + "_level_algorithms", lacking);
        add_absent(settings_.of(op).segments, levels, name + "_segsize", lacking);
    }
    std::string known;
    for (const topology::LevelKey level : levels) list(known, topology::name_of(level));
    for (const auto& [parameter, names] : lacking) {
        log("no effect", parameter + " for " + names + ": the levels here are " + known);
    }
}

/// Logs that all ranks have agreed, and the levels with their number of groups.
void CommunicatorState::report_agreement() const {
    if (!writes_log(2)) {
        return;
    }
    std::string levels;
    for (const topology::LevelKey level : hierarchy().levels()) {
        const auto groups = std::ranges::count(hierarchy().groups, level, &topology::Group::level);
        list(levels, topology::name_of(level) + " (" + std::to_string(groups) +
                         (groups > 1 ? " groups)" : " group)"));
    }
    log("agreement", "plugin, parameters and plans are equal on all ranks; levels: " + levels);
}

void CommunicatorState::report_all_passed(ForwardReason reason) const {
    if (writes_log(1)) {
        log("all collectives", std::string("passed through: ") + explanation(reason));
    }
}

/// Logs the collectives that pass through at every size: they have no plans to log.
void CommunicatorState::report_passed_collectives() const {
    if (!writes_log(1) || passed_.all_are_passed(ForwardReason::no_hierarchy)) {
        return;
    }
    std::map<std::string_view, std::string> names;  // by reason
    for (const Collective op : algorithms::all_collectives()) {
        const auto& because = passed_.because(op);
        const char* const reason = because ? explanation(*because) : passed_.passed_at_every_size(op);
        if (reason != nullptr) {
            list(names[reason], algorithms::name_of(op));
        }
    }
    for (const auto& [reason, all] : names) {
        log(all, "passed through: " + std::string(reason));
    }
}

void CommunicatorState::report_handed_back(std::uint32_t collectives) const noexcept {
    if (collectives == 0 || !writes_log(2)) {
        return;
    }
    try_to([&] {
        std::string names;
        for (const Collective op : algorithms::all_collectives()) {
            if ((collectives >> static_cast<int>(op) & 1) != 0) {
                list(names, algorithms::name_of(op));
            }
        }
        log(names, "slots handed back, calls no longer counted");
    });
}

void CommunicatorState::report_predicted() {
    if (!std::exchange(predicted_is_reported_, true) && writes_log(2)) {
        opal_output(0,
                    "coll:strata: %s: calls passed through as predicted go to tuned, not to han: "
                    "coll_han_priority is not set",
                    compat::name_of(comm_));
    }
}

}  // namespace strata::component
