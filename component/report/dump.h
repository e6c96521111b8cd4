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

/// Publishes the notes of this process's node for dump_hierarchy(). Call while components open.
void publish_notes(const topology::NodeNotes& notes);

/// Returns true on the process that writes the picture.
bool writes_dump(const Settings& settings);
/// Returns true if it also writes the calls at the end of the job: in text and JSON.
bool reports_usage(const Settings& settings);
/// Returns true on that process until the picture is written.
bool wants_dump(const Settings& settings);

/// Writes the picture for `coll_strata_dump` once per job: process 0 draws the first communicator for which
/// it builds a hierarchy. The file's ending chooses the format: .svg, .dot, .json, else text; "-" is standard
/// error. Text and JSON also list the choices. Cost: one look-up of notes per node.
void dump_hierarchy(ompi_communicator_t* comm, const Settings& settings, const topology::Hierarchy& hierarchy,
                    std::span<const topology::LocalityRecord> records,
                    const std::function<algorithms::PlanListing()>& choices);

/// At the end of the job adds the calls (job_usage()) in text and JSON: rewrites the file, or appends to a
/// stream.
void complete_dump();

}  // namespace strata::component
