#pragma once
#include "component/base/failure.h"
#include "component/settings/settings.h"
#include "topology/locality_record.h"
#include "topology/node_notes.h"

namespace strata::component {

/// Where this process runs, on the real machine or on the synthetic one. Where that cannot be found out it
/// stops at its node, and `failure` becomes the cause; else that is left as it is.
topology::LocalityRecord own_record(const Settings& settings, std::uint64_t settings_hash,
                                    std::uint32_t plugin_version, Failure& failure);

/// What a picture says about this process's node.
topology::NodeNotes own_notes(const Settings& settings);

}  // namespace strata::component
