#pragma once
#include <optional>
#include <string_view>

#include "communicator_facts.h"
#include "topology/hierarchy.h"
#include "topology/level.h"

namespace strata::introspection {

/// What users of the library call a level: see MPIX_Hardware.h. The string lives until the program ends.
const char* type_name(topology::LevelKey level);

/// The same of a hierarchy's group; switches are called as all those call them who exchanged records.
const char* type_name(const topology::Group& group, const Members& members, const Records& records);

/// The level that a type's name means: as handed out, or as topology::parse_level() takes it; case does not
/// count. Empty: unknown, or no level that processes can be in (cluster, custom).
std::optional<topology::LevelPattern> level_of_type(std::string_view type);

}  // namespace strata::introspection
