#pragma once
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata::topology {

/// `text` without spaces and tabs at both ends; a view into the same characters.
std::string_view trimmed(std::string_view text);

/// `text` with A-Z as a-z, whatever the locale; other bytes stay as they are.
std::string lower_case(std::string_view text);

/// The parts of `text` between separators, at least one; views into the same characters, not trimmed.
std::vector<std::string_view> split(std::string_view text, char separator);

/// `text` with U+FFFD for every byte that belongs to no character of UTF-8, or to one that XML forbids: names
/// come from files and parameters.
std::string utf8_text(std::string_view text);

/// 'text' for messages: the first 80 bytes of it, in one line, of utf8_text().
std::string quoted_text(std::string_view text);

/// `text` as a JSON string, of utf8_text().
std::string json_text(std::string_view text);

/// As printf's %.{digits}g writes it in the C locale, whatever that of the program is: JSON knows no other
/// point. `digits`: 1 to 17.
std::string number_text(double value, int digits);

/// The number that all of `digits` is (a sign only for signed types, no blanks); empty for anything else,
/// also for one that does not fit.
template <class Number>
std::optional<Number> whole_number(std::string_view digits) {
    Number value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc() || stopped != end) return std::nullopt;
    return value;
}

/// The number that all of `text` is, with a point whatever the locale; empty as above. Also inf and nan.
std::optional<double> real_number(std::string_view text);

}  // namespace strata::topology
