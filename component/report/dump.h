#pragma once
#include <functional>
#include <span>
#include <string>

#include "algorithms/base/plan.h"
#include "algorithms/report/plan_listing.h"
#include "component/openmpi/ompi_compat.h"
#include "component/settings/settings.h"
#include "topology/hierarchy.h"
#include "topology/node_notes.h"

namespace strata::component {

/// Publishes what a picture says about this process's node; dump_hierarchy() reads it. Call while components
/// open.
void publish_notes(const topology::NodeNotes& notes);

/// True on the process that writes the picture.
bool writes_dump(const Settings& settings);
/// True where it also tells, at the end, what was done: in text and JSON.
bool reports_usage(const Settings& settings);
/// True on the process that writes the picture as long as it has not.
bool wants_dump(const Settings& settings);

/// Writes the picture that `coll_strata_dump` asks for, once per job: process 0 draws the first communicator
/// for which it builds a hierarchy, with one look-up of the notes per node. The file's ending chooses the
/// format: .svg, .dot, .json, else text; "-" is standard error. Text and JSON tell the choices, too.
void dump_hierarchy(ompi_communicator_t* comm, const Settings& settings, const topology::Hierarchy& hierarchy,
                    std::span<const topology::LocalityRecord> records,
                    const std::function<algorithms::PlanListing()>& choices);

/// At the end of the job: text and JSON tell also what was done (job_usage()), beside the picture in the
/// file, or behind it on standard error.
void complete_dump();

/// "tree (switch1 pipeline/61440, node binomial/8192)".
std::string outline(const algorithms::Plan& plan);

/// "tree (switch1 pipeline/61440, node binomial/8192), predicted 170.2 us, forward 850.1 us: reason; segment
/// of node from /etc/rules.json:12".
std::string describe(const algorithms::Plan& plan, Collective collective, const std::string& rules_file);

}  // namespace strata::component
