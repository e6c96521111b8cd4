#include "topology/text.h"

#include <algorithm>

namespace strata::topology {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lower_case(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::string number_text(double value, int digits) {
    char text[32];
    const auto [end, error] =
        std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
    return error == std::errc() ? std::string(text, end) : "?";
}

std::optional<double> real_number(std::string_view text) { return whole_number<double>(text); }

namespace {

/// Returns the length of the character at the start of `text`; 0 if it is invalid. Source: Unicode
/// Standard, table 3-7.
std::size_t utf8_bytes(std::string_view text) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = at(0);
    if (first < 0x80) return 1;
    const std::size_t bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
    const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (at(1) < least || at(1) > most) return 0;
    const bool forbidden = text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
    if (forbidden) return 0;
    for (std::size_t i = 2; i < bytes; ++i) {
        if (at(i) < 0x80 || at(i) > 0xbf) return 0;
    }
    return bytes;
}

}  // namespace

std::string utf8_text(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t bytes = utf8_bytes(text);
        result += bytes > 0 ? text.substr(0, bytes) : "\xef\xbf\xbd";
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    return result;
}

std::string quoted_text(std::string_view text) {
    constexpr std::size_t most_bytes = 80;
    std::size_t bytes = std::min(text.size(), most_bytes);
    const auto is_inside = [&](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
    };
    for (int most = 3; most > 0 && bytes > 0 && bytes < text.size() && is_inside(bytes); --most) --bytes;
    std::string shown(text.substr(0, bytes));
    const bool is_cut = bytes < text.size();
    for (char& c : shown) {
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
    }
    shown = utf8_text(shown);
    shown.insert(shown.begin(), '\'');
    return shown.append(is_cut ? "...'" : "'");
}

std::string json_text(std::string_view text) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string result = "\"";
    for (const char c : utf8_text(text)) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (byte < 0x20) {
            result += "\\u00";
            result += digits[byte >> 4];
            result += digits[byte & 15];
        } else {
            result += c;
        }
    }
    return result + '"';
}

}  // namespace strata::topology
