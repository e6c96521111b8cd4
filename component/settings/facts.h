#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "component/settings/settings.h"

namespace strata::component {

/// Something that must be equal on all processes, and how messages show it.
struct Fact {
    std::string name;
    std::string compared;
    std::string shown = {};  ///< empty: as compared
};
using Facts = std::vector<Fact>;

/// Everything of which agreement_hash() is one.
Facts agreement_facts(const SettingsText& text, const Settings& settings,
                      const std::vector<std::string>& errors, const Surroundings& surroundings);

/// Of what is compared.
std::uint64_t hash_of(const Facts& facts);

/// As a process publishes them, a line each: those that are not as by default.
std::string write_facts(const Facts& facts);

/// In what two processes differ, by what they have published, a line each for people; `own_process` and
/// `other_process`: what these are called there.
std::string list_differences(std::string_view own, std::string_view other, const std::string& own_process,
                             const std::string& other_process);

/// The value of a fact in what a process has published; empty: the default.
std::string_view value_of(std::string_view published, std::string_view name);

}  // namespace strata::component
