#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "component/settings/facts.h"

namespace strata::component {

/// Publishes what a message needs that tells why processes disagree. Only then one of them looks it up. Call
/// before the start-up fence.
void publish_facts(const Facts& facts);

/// A line each for what differs between this process and the first of `others` (of the same job, by number)
/// of which that is known; empty where it is not known of any.
std::string name_differences(std::span<const std::uint32_t> others);

/// True where one of these has the plugin, but switched off.
bool is_switched_off(std::span<const std::uint32_t> processes);

}  // namespace strata::component
