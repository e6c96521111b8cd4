#include "plans.h"

#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "algorithms/planning/candidates.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/planning/planner.h"
#include "algorithms/report/hierarchy_dump.h"
#include "algorithms/report/plan_listing.h"
#include "job.h"
#include "plan_options.h"
#include "reading.h"
#include "rules_file.h"
#include "topology/nic_rails.h"
#include "topology/text.h"
#include "topology/text_file.h"

namespace strata::tool {
namespace {

using algorithms::Collective;
using algorithms::Operation;

/// Returns 0.5 for "50%".
double share(std::string text) {
    if (!text.empty() && text.back() == '%') text.pop_back();
    const auto percent = topology::whole_number<unsigned>(text);
    if (!percent || *percent > 10000) throw UsageError("candidates", "'" + text + "' is no percentage: 50%");
    return *percent / 100.0;
}

/// The input of the planner.
struct Facts {
    topology::Hierarchy hierarchy;
    int rails = 1;
    algorithms::PlanSettings settings;
};

Facts facts_of(const Options& options) {
    Facts facts;
    if (options.from_dump.empty()) {
        const Job job = make_job(options);
        facts.hierarchy = topology::build_hierarchy(job.records, job.spec);
        const auto rails = topology::nic_rails(facts.hierarchy, job.records, job.spec.election);
        facts.rails = std::max(1, rails.count());
    } else {
        const algorithms::DumpedJob job = reading("from-dump", [&] {
            return algorithms::parse_hierarchy_dump(topology::read_text_file(options.from_dump),
                                                    options.from_dump);
        });
        facts.hierarchy = job.hierarchy;
        facts.settings.links.set_eager_limits(job.network_eager_bytes, job.node_eager_bytes);
    }
    if (!options.rules.empty()) {
        facts.settings.rules = reading("rules", [&] {
            const std::string file = facts.settings.rules_file = rules_named(options.rules);
            return algorithms::parse_rules(topology::read_text_file(file, algorithms::longest_rules_file),
                                           file);
        });
        algorithms::set_links(facts.settings.links, facts.settings.rules.links);
    }
    return facts;
}

class Lister {
public:
    explicit Lister(const Options& options)
        : options_(options),
          facts_(facts_of(options)),
          planner_(facts_.hierarchy, facts_.settings, false, facts_.rails) {}

    algorithms::PlanListing list() {
        algorithms::ListingSpec spec{collectives(options_.op), 0, sizes(options_.sizes, "sizes")};
        if (!options_.root.empty()) {
            const auto root = topology::whole_number<int>(options_.root);
            if (!root || *root < 0 || *root >= facts_.hierarchy.ranks()) {
                throw UsageError("root", "'" + options_.root + "' is no rank from 0 to " +
                                             std::to_string(facts_.hierarchy.ranks() - 1));
            }
            spec.root = *root;
        }
        algorithms::PlanListing listing;
        listing.ranks = facts_.hierarchy.ranks();
        listing.rules_file = facts_.settings.rules_file;
        listing.network_eager_bytes = facts_.settings.links.network_eager_bytes();
        listing.node_eager_bytes = facts_.settings.links.node_eager_bytes();
        listing.links =
            algorithms::list_links(facts_.hierarchy, facts_.settings.links, facts_.settings.rules.links);
        listing.plans = algorithms::list_plans(
            facts_.hierarchy, spec,
            [this](const Operation& operation) {
                algorithms::Operation planned = planner_.with_root_of_class(operation);
                planned.on_boards = true;
                return planner_.lasting_plan(planned);
            },
            [this](Collective collective) { return planner_.bounds_of(collective); },
            [this](const Operation& operation, const algorithms::Plan& made) {
                return planner_.evaluate_delegation(planner_.with_root_of_class(operation), made);
            },
            [this](const Operation& operation, const algorithms::Plan& made) {
                return algorithms::fastest_by_components(facts_.hierarchy, facts_.settings.links, operation,
                                                         made);
            },
            [this](const Operation& operation) { return planner_.bound_us(operation); });
        if (!options_.candidates.empty()) add_candidates(listing, share(options_.candidates));
        return listing;
    }

private:
    /// Ignores rules: candidates are for comparison with them.
    void add_candidates(algorithms::PlanListing& listing, double within) const {
        for (algorithms::ListedPlan& listed : listing.plans) {
            listed.candidates =
                algorithms::candidate_plans(facts_.hierarchy, facts_.settings.links, {},
                                            {listed.collective, listed.from, listed.root}, within);
        }
    }

    const Options& options_;
    Facts facts_;
    algorithms::Planner planner_;
};

}  // namespace

std::string plans(const Options& options) {
    const bool json = format_of(options) == topology::PictureFormat::json;
    if (!json && format_of(options) != topology::PictureFormat::text) {
        throw UsageError("format", "--plans writes text or json");
    }
    const algorithms::PlanListing listing = Lister(options).list();
    if (json) return algorithms::plans_json(listing) + "\n";
    const bool screen = options.output.empty() && isatty(STDOUT_FILENO) == 1;
    return algorithms::listing_text(listing, screen && std::getenv("NO_COLOR") == nullptr);
}

}  // namespace strata::tool
