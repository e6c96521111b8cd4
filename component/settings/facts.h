#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "component/settings/settings.h"

namespace strata::component {

/// A value that must be equal on all processes before a communicator changes its message pattern.
struct Fact {
    std::string name;
    std::string compared;
    std::string shown = {};  ///< text for messages; empty: as compared
};
using Facts = std::vector<Fact>;

/// Returns every value that must be equal on all processes.
Facts agreement_facts(const SettingsText& text, const Settings& settings,
                      const std::vector<std::string>& errors, const Surroundings& surroundings);

/// Returns the hash over Fact::compared.
std::uint64_t hash_of(const Facts& facts);

/// Returns the text that a process publishes: one line for each fact that differs from its default.
std::string write_facts(const Facts& facts);

/// Returns the differences between two published texts for a message. `own_process` and `other_process` name
/// the processes in it.
std::string list_differences(std::string_view own, std::string_view other, const std::string& own_process,
                             const std::string& other_process);

/// Returns Fact::compared of `name` in a published text; empty: the default.
std::string_view value_of(std::string_view published, std::string_view name);

}  // namespace strata::component
