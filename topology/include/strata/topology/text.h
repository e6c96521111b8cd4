#pragma once
#include <string>
#include <string_view>

namespace strata::topology {

/// `text` without spaces and tabs at both ends; a view into the same characters.
std::string_view trimmed(std::string_view text);

/// `text` with A-Z as a-z, whatever the locale; other bytes stay as they are.
std::string lower_case(std::string_view text);

}  // namespace strata::topology
