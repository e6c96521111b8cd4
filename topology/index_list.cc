#include "topology/index_list.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "topology/text.h"

namespace strata::topology {
namespace {

[[noreturn]] void no_index_list(std::string_view text, const std::string& reason) {
    throw std::invalid_argument("'" + std::string(text) +
                                "' is no list of indices such as \"0-3,8\": " + reason);
}

unsigned index_of(std::string_view digits, std::string_view text) {
    unsigned value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (digits.empty()) no_index_list(text, "a number is missing");
    if (error == std::errc::result_out_of_range || value == open_end) {
        no_index_list(text, "'" + std::string(digits) + "' is too large");
    }
    if (error != std::errc() || stop != end)
        no_index_list(text, "'" + std::string(digits) + "' is no number");
    return value;
}

}  // namespace

std::vector<IndexRange> parse_index_list(std::string_view text) {
    std::vector<IndexRange> ranges;
    for (const std::string_view item : split(text, ',')) {
        const std::size_t dash = item.find('-');
        IndexRange range;
        range.first = index_of(item.substr(0, dash), text);
        range.last = range.first;
        if (dash != std::string_view::npos) {
            const std::string_view last = item.substr(dash + 1);
            range.last = last.empty() ? open_end : index_of(last, text);
        }
        if (range.last < range.first) no_index_list(text, "'" + std::string(item) + "' runs backwards");
        ranges.push_back(range);
    }
    return ranges;
}

}  // namespace strata::topology
