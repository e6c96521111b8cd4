#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "component/settings/facts.h"

namespace strata::component {

/// Publishes the settings and versions that explain a disagreement. Another process reads them only when it
/// has to report one. Call it before the start-up fence.
void publish_facts(const Facts& facts);

/// Returns one line per difference between this process and the first of `others` (process numbers of this
/// job) with published facts that differ. Returns an empty string if there is none.
std::string name_differences(std::span<const std::uint32_t> others);

/// Returns true if the plugin is installed but switched off in one of these processes.
bool is_switched_off(std::span<const std::uint32_t> processes);

}  // namespace strata::component
