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

// The plans of one communicator over operations and sizes, as data, text and JSON.
namespace strata::algorithms {

/// The link costs of a level, and the sources of the values.
struct ListedLink {
    topology::LevelKey level;
    LinkParameters link;
    Source latency, overhead, bandwidth, eager, parallel;
};

/// One choice, and the sizes for which it is the same.
struct ListedPlan {
    Collective collective = Collective::bcast;
    std::size_t from = 0;  ///< bytes; 0: not all ranks know the size
    std::size_t to = 0;    ///< the largest examined size with this choice
    int root = 0;
    Plan plan;                             ///< for `from`
    double predicted_to_us = 0;            ///< for `to`
    double forward_to_us = 0;              ///< for `to`
    std::optional<Delegation> delegation;  ///< for `from`: the plan that replaces it after enough calls
    std::vector<Plan> candidates;          ///< for `from`; empty unless requested
    double delegated_us = 0;               ///< for `from`: by_components(); 0: unknown
    double delegated_to_us = 0;            ///< for `to`
    double bound_us = 0;  ///< for `from`: Planner::bound_us(); 0: no link that matters has a given bandwidth
    double bound_to_us = 0;  ///< for `to`
};

struct PlanListing {
    int ranks = 0;
    std::string rules_file;
    std::size_t network_eager_bytes = 0;  ///< limits of the transports; 0: built in
    std::size_t node_eager_bytes = 0;
    std::vector<ListedLink> links;
    std::vector<ListedPlan> plans;
    std::string communicator = {};  ///< of these plans; empty: no job's
};

/// What to list.
struct ListingSpec {
    std::vector<Collective> collectives;
    int root = 0;  ///< of rooted operations; for the others the root is the topmost group's leader
    std::vector<std::size_t> sizes;  ///< one entry each; empty: ranges of equal choice from 8 B to 64 MiB
};
std::vector<Collective> all_collectives();

/// Returns the plan in force for an operation.
using PlanOf = std::function<Plan(const Operation&)>;
/// Returns the plan that replaces it after enough calls, if any.
using Delegator = std::function<std::optional<Delegation>(const Operation&, const Plan&)>;
/// Returns Planner::bound_us().
using BoundOf = std::function<double(const Operation&)>;
/// Returns fastest_by_components().
using ByComponents = std::function<std::optional<Plan>(const Operation&, const Plan&)>;

/// Examines powers of 8, the sizes where rules change (`bounds`: byte_bounds() of a collective's rules),
/// and powers of 2 between two sizes that differ. Cost: about 10 to 30 plans per collective.
std::vector<ListedPlan> list_plans(const topology::Hierarchy& hierarchy, const ListingSpec& spec,
                                   const PlanOf& plan_of,
                                   const std::function<std::vector<std::size_t>(Collective)>& bounds,
                                   const Delegator& delegator = {}, const ByComponents& by_components = {},
                                   const BoundOf& bound_of = {});

/// Returns the links of every level of `links`; `rules` give the sources.
std::vector<ListedLink> list_links(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                   const std::vector<LinkRule>& rules);

/// Returns "engine from FILE:3, segment of node from coll_strata_bcast_segsize" after `before`; empty if
/// everything is built in.
std::string sources_text(const Plan& plan, Collective collective, const std::string& rules_file,
                         const std::string& before = "");

/// Returns "; skips switch0, numa"; empty if the plan skips no level.
std::string skipped_text(const Plan& plan);

/// Returns "switch1 pipeline/60 KiB, node binomial; skips numa"; segments only if they cut `bytes`. Empty
/// for forward.
std::string levels_text(const Plan& plan, std::size_t bytes);

/// Returns a table of links and one of plans per collective. `colour`: for a terminal.
std::string listing_text(const PlanListing& listing, bool colour = false);

/// Returns
/// [{"collective":"bcast","bytes":8,"to_bytes":4096,"ranks":16,"root":0,"chosen":PLAN,"candidates":[PLAN]}],
/// where PLAN is {"engine":"tree","levels":[{"level":"node","algorithm":"binomial","segment":61440,...}],
/// "skipped":[{"level":"numa",...}],"predicted_us":12.5,"forward_us":20,"reason":"...",
/// "parameters":{"bcast_algorithm":"tree",...},...}. "delegated_us" is what components on all levels would
/// take, and "bound_us" what no algorithm can beat, if that is known.
/// If another plan replaces the chosen one, "delegation":{"calls":3,
/// "gain_us":40,"setup_us":110,"plan":PLAN} has that plan and the number of calls before it.
std::string plans_json(const PlanListing& listing);
/// Returns [{"level":"node","latency_us":1,...,"from":{"latency_us":SOURCE,...}}].
std::string links_json(const PlanListing& listing);
/// Returns both as the members "links" and "plans" of an object, with the transports' limits; for a job
/// also "plans_of", the communicator's name.
std::string listing_members(const PlanListing& listing);

}  // namespace strata::algorithms
