#include "algorithms/report/choice_text.h"

#include <utility>
#include <vector>

#include "algorithms/report/plan_listing.h"
#include "algorithms/report/text_table.h"
#include "topology/text.h"

namespace strata::algorithms {
namespace {

/// Consecutive levels with the same method.
struct Run {
    std::string method;
    std::vector<std::string> levels;
};

std::vector<Run> runs_of(const Plan& plan) {
    std::vector<Run> runs;
    for (const LevelPlan& level : plan.levels) {
        std::string method = name_of(level.method);
        if (runs.empty() || runs.back().method != method) runs.push_back({std::move(method), {}});
        runs.back().levels.push_back(topology::name_of(level.level));
    }
    return runs;
}

std::string run_text(const Run& run) {
    std::string text = run.method + " on ";
    for (std::size_t l = 0; l < run.levels.size(); ++l) text += (l > 0 ? "/" : "") + run.levels[l];
    return text;
}

}  // namespace

std::string size_range_text(std::size_t from, std::size_t below) {
    if (below <= from + 1) return bytes_text(from);
    std::size_t unit = std::size_t{1} << 30;
    while (from % unit != 0 || below % unit != 0) unit >>= 10;
    return std::to_string(from / unit) + "-" + std::to_string(below / unit) + bytes_text(unit).substr(1);
}

std::string shape_text(const Plan& plan) {
    const std::vector<Run> runs = runs_of(plan);
    if (runs.size() == 1 && runs.front().levels.size() > 1 && plan.skipped.empty())
        return runs.front().method + " on all levels";
    if (runs.size() == 2 && runs.front().levels.size() == 1 && runs.back().levels.size() > 1)
        return run_text(runs.front()) + ", " + runs.back().method + " below";
    std::string text;
    for (const Run& run : runs) text += (text.empty() ? "" : ", ") + run_text(run);
    return text;
}

std::string choice_text(const Plan& plan, const std::string& underlying) {
    const auto time = [](double us) { return us > 0 ? number_text(us) : "unknown"; };
    if (plan.engine == Engine::forward) {
        return "passed through" + (underlying.empty() ? "" : " to " + underlying) +
               (plan.forward_us > 0 ? ", predicted " + time(plan.forward_us) + " us" : "");
    }
    const std::string rails = plan.rails > 1 ? std::to_string(plan.rails) + " NICs, each " : "";
    const std::string shape = plan.engine == Engine::node ? "" : " (" + rails + shape_text(plan) + ")";
    return std::string(name_of(plan.engine)) + shape + ", predicted " + time(plan.predicted_us) +
           ", fallback " + time(plan.forward_us) + " us";
}

std::string operation_text(const Operation& operation) {
    const CollectiveTraits& traits = traits_of(operation.collective);
    std::string text(name_of(operation.collective));
    if (operation.bytes > 0) text += " of " + std::to_string(operation.bytes) + " bytes";
    if (traits.rooted) text += (traits.up ? " to rank " : " from rank ") + std::to_string(operation.root);
    return text;
}

std::string outline(const Plan& plan) {
    std::string text(name_of(plan.engine));
    if (plan.engine == Engine::forward || plan.engine == Engine::node) return text;
    text += " (";
    for (std::size_t l = 0; l < plan.levels.size(); ++l) {
        const LevelPlan& level = plan.levels[l];
        text += (l > 0 ? ", " : "") + topology::name_of(level.level) + ' ' + name_of(level.method);
        if (level.segment_bytes > 0) text += '/' + std::to_string(level.segment_bytes);
    }
    text += skipped_text(plan) + ')';
    return plan.rails > 1 ? text + " in " + std::to_string(plan.rails) + " rails" : text;
}

std::string details_text(const Plan& plan, Collective collective, const std::string& rules_file) {
    const auto time = [](double us) { return topology::number_text(us, 6) + " us"; };
    std::string text = outline(plan);
    text += plan.predicted_us > 0 ? ", predicted " + time(plan.predicted_us) : ", not predicted";
    if (plan.forward_us > 0) text += ", fallback " + time(plan.forward_us);
    return text + ": " + plan.reason + sources_text(plan, collective, rules_file, "; ");
}

}  // namespace strata::algorithms
