#pragma once
#include "settings.h"
#include "strata/topology/locality_record.h"

namespace strata::component {

inline constexpr std::uint32_t plugin_version =
    STRATA_VERSION_MAJOR << 16 | STRATA_VERSION_MINOR << 8 | STRATA_VERSION_PATCH;

/// Where this process runs, on the real machine or on the pretended one.
topology::LocalityRecord own_record(const Settings& settings, std::uint64_t settings_hash);

}  // namespace strata::component
