#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/base/collective.h"
#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/rules.h"
#include "algorithms/planning/delegation.h"
#include "topology/hierarchy.h"

// The plans of one communicator over operations and sizes, as data, for people and for programs.
namespace strata::algorithms {

/// What a level's links are taken to cost, and who says so.
struct ListedLink {
    topology::LevelKey level;
    LinkParameters link;
    Source latency, overhead, bandwidth, eager, parallel;
};

/// One choice, and the sizes for which it is the same.
struct ListedPlan {
    Collective collective = Collective::bcast;
    std::size_t from = 0;  ///< bytes; 0 where the operation has none that all ranks know
    std::size_t to = 0;    ///< the largest size looked at with this choice
    int root = 0;
    Plan plan;                             ///< of `from`
    double predicted_to_us = 0;            ///< of `to`
    double forward_to_us = 0;              ///< of `to`
    std::optional<Delegation> delegation;  ///< of `from`: what takes its place when it has been used often
    std::vector<Plan> candidates;          ///< of `from`, where somebody asked for them
};

struct PlanListing {
    int ranks = 0;
    std::string rules_file;
    std::size_t network_eager_bytes = 0;  ///< limits of the transports; 0: built in
    std::size_t node_eager_bytes = 0;
    std::vector<ListedLink> links;
    std::vector<ListedPlan> plans;
    std::string communicator = {};  ///< whose plans; empty: of no job
};

/// What to list.
struct ListingSpec {
    std::vector<Collective> collectives;
    int root = 0;                    ///< of operations that have one; the others begin at the top's leader
    std::vector<std::size_t> sizes;  ///< each apart; empty: ranges of equal choice from 8 B to 64 MiB
};
std::vector<Collective> all_collectives();

/// The plan in force for an operation.
using PlanOf = std::function<Plan(const Operation&)>;
/// What takes the place of that plan, if anything.
using Delegator = std::function<std::optional<Delegation>(const Operation&, const Plan&)>;

/// Looks at powers of 8 and where `bounds` (byte_bounds() of a collective's rules) change, and between two
/// that differ at powers of 2. Cost: some 10 to 30 plans per collective.
std::vector<ListedPlan> list_plans(const topology::Hierarchy& hierarchy, const ListingSpec& spec,
                                   const PlanOf& plan_of,
                                   const std::function<std::vector<std::size_t>(Collective)>& bounds,
                                   const Delegator& delegator = {});

/// Of every level, as `links` has them, of which `rules` made some.
std::vector<ListedLink> list_links(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                   const std::vector<LinkRule>& rules);

/// "engine from FILE:3, segment of node from coll_strata_bcast_segsize" behind `before`; empty where
/// everything is built in.
std::string sources_text(const Plan& plan, Collective collective, const std::string& rules_file,
                         const std::string& before = "");

/// "; skips switch0, numa"; empty where a plan skips no level.
std::string skipped_text(const Plan& plan);

/// "switch1 pipeline/60 KiB, node binomial; skips numa"; segments where they cut `bytes`. Empty for forward.
std::string levels_text(const Plan& plan, std::size_t bytes);

/// A table of links and one of plans for each collective. `colour`: for a terminal.
std::string listing_text(const PlanListing& listing, bool colour = false);

/// [{"collective":"bcast","bytes":8,"to_bytes":4096,"ranks":16,"root":0,"chosen":PLAN,"candidates":[PLAN]}],
/// where PLAN is {"engine":"tree","levels":[{"level":"node","algorithm":"binomial","segment":61440,...}],
/// "skipped":[{"level":"numa",...}],"predicted_us":12.5,"forward_us":20,"reason":"...",
/// "parameters":{"bcast_algorithm":"tree",...},...}. Where another plan takes the chosen one's place,
/// "delegation":{"calls":3, "gain_us":40,"setup_us":110,"plan":PLAN} tells which, and after how many calls.
std::string plans_json(const PlanListing& listing);
/// [{"level":"node","latency_us":1,...,"from":{"latency_us":SOURCE,...}}].
std::string links_json(const PlanListing& listing);
/// Both as members of an object, "links" and "plans", and the transports' limits; of a job also "plans_of":
/// the communicator's name.
std::string listing_members(const PlanListing& listing);

}  // namespace strata::algorithms
