#pragma once
#include "component/base/failure.h"
#include "component/settings/settings.h"
#include "topology/locality_record.h"
#include "topology/node_notes.h"

namespace strata::component {

/// Returns the record of this process on the real machine or the synthetic topology. If hwloc cannot find the
/// process's place, the record contains only its node and `failure` is set; otherwise `failure` is unchanged.
topology::LocalityRecord own_record(const Settings& settings, std::uint64_t settings_hash,
                                    std::uint32_t plugin_version, Failure& failure);

/// Returns what pictures show about this process's node.
topology::NodeNotes own_notes(const Settings& settings);

}  // namespace strata::component
