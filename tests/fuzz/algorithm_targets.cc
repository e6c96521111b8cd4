#include <algorithm>

#include "algorithms/config/rules.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/planning/planner.h"
#include "algorithms/report/hierarchy_dump.h"
#include "algorithms/report/plan_listing.h"
#include "algorithms/report/usage.h"
#include "parsers.h"
#include "targets.h"
#include "topology/picture.h"

namespace strata::fuzz {
namespace {

using algorithms::Collective;
using topology::PictureFormat;

const std::vector<std::string> components{"basic", "sm", "tuned"};

/// One operation chosen by the input, so that all occur.
algorithms::Operation some_operation(std::string_view input, int ranks) {
    constexpr std::size_t sizes[] = {0, 8, 65536, std::size_t{1} << 26};
    const auto op = static_cast<Collective>(input.size() % algorithms::collective_count);
    algorithms::Operation operation;
    operation.collective = op;
    const bool sized = op != Collective::barrier && algorithms::traits_of(op).sized;
    if (sized) operation.bytes = sizes[input.size() / algorithms::collective_count % std::size(sizes)];
    if (algorithms::traits_of(op).rooted) operation.root = static_cast<int>(input.size()) % ranks;
    return operation;
}

void check_plan(const topology::Hierarchy& hierarchy, const algorithms::PlanSettings& settings,
                std::string_view input) {
    const algorithms::Planner planner(hierarchy, settings, false);
    algorithms::Operation operation = some_operation(input, hierarchy.ranks());
    if (!algorithms::traits_of(operation.collective).rooted) operation.root = planner.tree_root(false);
    const algorithms::Plan plan = planner.make_plan(planner.class_of(operation).representative);
    require(!plan.reason.empty(), "a plan has a reason");
    algorithms::list_links(hierarchy, settings.links, settings.rules.links);
}

std::string drawn(const topology::Hierarchy& hierarchy) {
    return topology::draw(hierarchy, PictureFormat::json);
}

}  // namespace

void check_pictures(const topology::Hierarchy& hierarchy) {
    for (const auto format : {PictureFormat::text, PictureFormat::dot, PictureFormat::svg}) {
        require(!topology::draw(hierarchy, format).empty(), "a hierarchy can be drawn");
    }
    topology::level_summary(hierarchy);
    const std::string dump = drawn(hierarchy);
    const algorithms::DumpedJob job = algorithms::parse_hierarchy_dump(dump, "dump.json");
    require(drawn(job.hierarchy) == dump, "a picture is read as it was written");
}

void rules(std::string_view input) {
    algorithms::PlanSettings settings;
    settings.rules = algorithms::parse_rules(input, "rules.json", components);
    must_not_throw([&] {
        algorithms::set_links(settings.links, settings.rules.links);
        for (const Collective op : algorithms::all_collectives()) {
            const auto bounds = algorithms::byte_bounds(algorithms::rules_for(settings.rules, op, 16));
            require(std::is_sorted(bounds.begin(), bounds.end()), "bounds of rules ascend");
        }
        check_plan(small_job(), settings, input);
    });
}

void level_methods(std::string_view input) {
    const auto methods = algorithms::parse_level_methods(input, components);
    must_not_throw([&] {
        const auto op = some_operation(input, 1).collective;
        algorithms::PlanSettings settings;
        algorithms::Overrides& overrides = settings.overrides[static_cast<std::size_t>(op)];
        overrides.methods = methods;
        if (algorithms::check(overrides, op).empty()) check_plan(small_job(), settings, input);
    });
}

void level_sizes(std::string_view input) {
    const auto sizes = algorithms::parse_level_sizes(input);
    must_not_throw([&] {
        algorithms::PlanSettings settings;
        for (algorithms::Overrides& overrides : settings.overrides) overrides.segments = sizes;
        check_plan(small_job(), settings, input);
    });
}

void hierarchy_dump(std::string_view input) {
    const algorithms::DumpedJob job = algorithms::parse_hierarchy_dump(input, "dump.json");
    must_not_throw([&] {
        constexpr int most_ranks = 64;
        if (job.hierarchy.ranks() > most_ranks) return;
        check_pictures(job.hierarchy);
        algorithms::PlanSettings settings;
        settings.links.set_eager_limits(job.network_eager_bytes, job.node_eager_bytes);
        check_plan(job.hierarchy, settings, input);
    });
}

void usage(std::string_view input) {
    algorithms::parse_choices(input, "dump.json");
    const auto use = algorithms::parse_usage(input, "dump.json");
    if (!use) return;
    must_not_throw([&] {
        algorithms::usage_text(*use, true);
        const std::string written = algorithms::usage_members(*use);
        const auto again = algorithms::parse_usage("{" + written + "}", "again.json");
        require(again && algorithms::usage_members(*again) == written, "usage is read as it was written");
    });
}

}  // namespace strata::fuzz
