#pragma once
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata::topology {

/// Returns `text` without spaces and tabs at both ends; a view into the same characters.
std::string_view trimmed(std::string_view text);

/// Returns `text` with A-Z as a-z in any locale; other bytes are unchanged.
std::string lower_case(std::string_view text);

/// Returns the parts of `text` between separators, at least one, untrimmed; views into the same
/// characters.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Returns `text` with U+FFFD for every byte that is no valid UTF-8 or that XML forbids: names come from
/// files and parameters.
std::string utf8_text(std::string_view text);

/// Returns 'text' for messages: its first 80 bytes in one line, as utf8_text().
std::string quoted_text(std::string_view text);

/// Returns `text` as a JSON string, as utf8_text().
std::string json_text(std::string_view text);

/// Returns what printf's %.{digits}g writes in the C locale, because JSON requires a decimal point.
/// `digits`: 1 to 17.
std::string number_text(double value, int digits);

/// Parses all of `digits` as a number (a sign only for signed types, no blanks); empty for anything
/// else, also for a number that does not fit.
template <class Number>
std::optional<Number> whole_number(std::string_view digits) {
    Number value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc() || stopped != end) return std::nullopt;
    return value;
}

/// Parses all of `text` as a number with a decimal point in any locale; empty otherwise. Accepts inf and
/// nan.
std::optional<double> real_number(std::string_view text);

}  // namespace strata::topology
