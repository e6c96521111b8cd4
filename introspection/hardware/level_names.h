#pragma once
#include <optional>
#include <string_view>

#include "communicator_facts.h"
#include "topology/hierarchy.h"
#include "topology/level.h"

namespace strata::introspection {

/// Returns the public name of a level (MPIX_Hardware.h). The string lives until the program ends.
const char* type_name(topology::LevelKey level);

/// The same for a hierarchy's group. Switches are numbered over all processes that exchanged records.
const char* type_name(const topology::Group& group, const Members& members, const Records& records);

/// Returns the level of a type name: one of type_name(), or one that topology::parse_level() accepts;
/// case is ignored. Empty if unknown, or if processes cannot be in such a level (cluster, custom).
std::optional<topology::LevelPattern> level_of_type(std::string_view type);

}  // namespace strata::introspection
