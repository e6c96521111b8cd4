#include <algorithm>

#include "algorithms/report/plan_listing.h"
#include "algorithms/report/text_table.h"

namespace strata::algorithms {
namespace {

std::string link_sources(const ListedLink& link, const std::string& rules_file) {
    std::string text;
    const auto add = [&](const Source& source, const char* what) {
        if (source.origin == Origin::model) return;
        text += (text.empty() ? "" : ", ") + std::string(what) + " from " +
                source_text(source, "rules", rules_file);
    };
    add(link.latency, "latency");
    add(link.overhead, "overhead");
    add(link.bandwidth, "bandwidth");
    add(link.eager, "eager limit");
    add(link.parallel, "parallel");
    return text.empty() ? "built in" : text;
}

std::string links_text(const PlanListing& listing, bool colour) {
    Table table({"level", "latency us", "overhead us", "MB/s", "parallel", "eager limit", "from"}, colour);
    for (const ListedLink& link : listing.links) {
        table.add({topology::name_of(link.level), number_text(link.link.latency_us),
                   number_text(link.link.overhead_us), number_text(link.link.bytes_per_us),
                   number_text(link.link.parallel), bytes_text(link.link.eager_bytes),
                   link_sources(link, listing.rules_file)});
    }
    return table.text();
}

std::string time_text(double from, double to) {
    return from > 0 ? span_text(number_text(from), number_text(to)) : "?";
}

std::string delegated_text(const ListedPlan& listed) {
    if (listed.delegated_us <= 0) return {};
    return listed.delegated_to_us > 0 ? time_text(listed.delegated_us, listed.delegated_to_us)
                                      : number_text(listed.delegated_us);
}

std::string bound_text(const ListedPlan& listed) {
    return listed.bound_us > 0 ? time_text(listed.bound_us, listed.bound_to_us) : std::string();
}

/// What the bounds mean, or why there are none.
std::string about_bounds(const PlanListing& listing) {
    if (std::ranges::any_of(listing.plans, [](const ListedPlan& one) { return one.bound_us > 0; })) {
        return "  bound us: no algorithm takes less time on links of the given bandwidths. It counts\n"
               "  bandwidth only, so it means nothing for short messages.\n";
    }
    const bool guessed = std::ranges::all_of(
        listing.links, [](const ListedLink& link) { return link.bandwidth.origin == Origin::model; });
    return guessed && !listing.plans.empty() ? "  No bound us: all bandwidths are built in. Give them by a "
                                               "preset, a rules file or bench/tune.\n"
                                             : "";
}

constexpr const char* why_not_faster =
    "  Candidates with a shorter prediction than the choice: rules come before predictions, the search "
    "tries\n"
    "  fewer variants than this list, and between nodes it takes the plan that is good for a range of link\n"
    "  speeds. Measure them with bench/tune.\n";

/// Returns true if the table shows a candidate's time as shorter than the choice's.
bool has_faster_candidate(const ListedPlan& listed) {
    const bool ours = listed.plan.engine != Engine::forward;
    const double chosen_us = ours ? listed.plan.predicted_us : listed.plan.forward_us;
    return std::ranges::any_of(listed.candidates, [&](const Plan& candidate) {
        return candidate.predicted_us > 0 && candidate.predicted_us < chosen_us &&
               number_text(candidate.predicted_us) != number_text(chosen_us);
    });
}

void add_rows(Table& table, const ListedPlan& listed, const std::string& rules_file) {
    const Plan& plan = listed.plan;
    const bool ours = plan.engine != Engine::forward;
    const std::string size =
        listed.from == 0 ? "any" : span_text(bytes_text(listed.from), bytes_text(listed.to));
    table.add({size, std::string(name_of(plan.engine)), levels_text(plan, listed.to),
               ours ? time_text(plan.predicted_us, listed.predicted_to_us) : "",
               time_text(plan.forward_us, listed.forward_to_us), delegated_text(listed), bound_text(listed),
               plan.reason},
              paint_of(plan.engine), sources_text(plan, listed.collective, rules_file));
    if (listed.delegation) {
        const Delegation& later = *listed.delegation;
        table.add(
            {"", std::string(name_of(later.plan.engine)), levels_text(later.plan, listed.to),
             number_text(later.plan.predicted_us), "", "", "",
             "after " + std::to_string(later.first_call) + " calls: saves " + number_text(later.gain_us) +
                 " us each, its communicators take " + number_text(later.setup_us) + " us"},
            paint_of(later.plan.engine));
    }
    for (const Plan& candidate : listed.candidates) {
        const bool ours = candidate.engine != Engine::forward;
        table.add({"", std::string(name_of(candidate.engine)), ours ? levels_text(candidate, listed.to) : "",
                   ours ? time_text(candidate.predicted_us, candidate.predicted_us) : "",
                   ours ? "" : number_text(candidate.forward_us), "", "", "candidate: " + candidate.reason},
                  paint_of(candidate.engine));
    }
}

}  // namespace

std::string levels_text(const Plan& plan, std::size_t bytes) {
    if (plan.engine == Engine::forward) return {};
    std::string text;
    for (const LevelPlan& level : plan.levels) {
        text += (text.empty() ? "" : ", ") + topology::name_of(level.level) + " " + name_of(level.method);
        const bool cut = level.segment_bytes != 0 && (bytes == 0 || level.segment_bytes < bytes);
        if (cut) text += "/" + bytes_text(level.segment_bytes);
    }
    text += skipped_text(plan);
    if (plan.rails > 1) text += ", " + std::to_string(plan.rails) + " rails";
    return text;
}

std::string listing_text(const PlanListing& listing, bool colour) {
    std::string text = heading("links of each level in the cost model", colour);
    text += links_text(listing, colour) + about_bounds(listing);
    for (std::size_t i = 0; i < listing.plans.size();) {
        const ListedPlan& first = listing.plans[i];
        const CollectiveTraits traits = traits_of(first.collective);
        const bool blocks = traits.blocks && traits.sized;
        text += "\n" + heading(std::string(name_of(first.collective)) +
                                   (traits.rooted ? (traits.up ? " to rank " : " from rank ") +
                                                        std::to_string(first.root)
                                                  : std::string()) +
                                   (blocks ? ", bytes of all blocks together" : ""),
                               colour);
        Table table({"size", "engine", "levels and segments", "predicted us", "forward us", "delegated us",
                     "bound us", "why"},
                    colour);
        bool faster = false;
        for (; i < listing.plans.size() && listing.plans[i].collective == first.collective; ++i) {
            add_rows(table, listing.plans[i], listing.rules_file);
            faster = faster || has_faster_candidate(listing.plans[i]);
        }
        text += table.text();
        if (faster) text += why_not_faster;
    }
    return text;
}

}  // namespace strata::algorithms
