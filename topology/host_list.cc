#include <algorithm>
#include <stdexcept>

#include "topology/network.h"
#include "topology/text.h"

namespace strata::topology {
namespace {

constexpr std::size_t most_digits = 9;
constexpr std::size_t longest_name = 255;  // about the limit of a DNS host name

[[noreturn]] void fail(std::string_view list, const std::string& reason) {
    throw std::invalid_argument("host list " + quoted_text(list) + ": " + reason);
}

[[noreturn]] void fail_at_most(std::string_view list) {
    fail(list, "more than " + std::to_string(most_host_names) + " names");
}

unsigned number(std::string_view digits, std::string_view list) {
    const bool all_digits =
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits.empty() || !all_digits) fail(list, quoted_text(digits) + " is no number");
    if (digits.size() > most_digits) fail(list, quoted_text(digits) + " is too large");
    return *whole_number<unsigned>(digits);
}

/// Expands "1-3,07-12" to 1 2 3 07 ... 12: numbers keep the width of the first one.
std::vector<std::string> expand_numbers(std::string_view text, std::string_view list) {
    std::vector<std::string> result;
    for (const std::string_view item : split(text, ',')) {
        const std::size_t dash = item.find('-');
        const std::string_view low = item.substr(0, dash);
        const unsigned first = number(low, list);
        const unsigned last = dash == std::string_view::npos ? first : number(item.substr(dash + 1), list);
        if (last < first) fail(list, "range " + quoted_text(item) + " runs backwards");
        if (last - first >= most_host_names - result.size()) fail_at_most(list);
        for (unsigned value = first; value <= last; ++value) {
            std::string digits = std::to_string(value);
            if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
            result.push_back(std::move(digits));
        }
    }
    return result;
}

void check_length(std::size_t length, std::string_view list) {
    if (length > longest_name) {
        fail(list, "a name of more than " + std::to_string(longest_name) + " characters");
    }
}

std::size_t longest_of(const std::vector<std::string>& names) {
    std::size_t longest = 0;
    for (const std::string& name : names) longest = std::max(longest, name.size());
    return longest;
}

/// Returns every name followed by every ending.
std::vector<std::string> combined(const std::vector<std::string>& names,
                                  const std::vector<std::string>& endings, std::string_view list) {
    if (names.size() * endings.size() > most_host_names) fail_at_most(list);
    check_length(longest_of(names) + longest_of(endings), list);
    std::vector<std::string> longer;
    longer.reserve(names.size() * endings.size());
    for (const std::string& name : names) {
        for (const std::string& ending : endings) longer.push_back(name + ending);
    }
    return longer;
}

/// Expands one name with any number of bracketed parts. Text common to all names is appended only when
/// the names multiply: a long list of brackets then costs no more than the names it makes.
std::vector<std::string> expand_item(std::string_view item, std::string_view list) {
    std::vector<std::string> names{""};
    std::string same;
    for (std::size_t begin = 0; begin < item.size();) {
        const std::size_t open = std::min(item.find('[', begin), item.size());
        same += item.substr(begin, open - begin);
        if (open == item.size()) break;
        const std::size_t close = item.find(']', open);  // exists: split_items() checked it
        std::vector<std::string> numbers = expand_numbers(item.substr(open + 1, close - open - 1), list);
        begin = close + 1;
        if (numbers.size() == 1) {
            same += numbers.front();
            continue;
        }
        check_length(same.size(), list);
        for (std::string& number : numbers) number.insert(0, same);
        same.clear();
        names = combined(names, numbers, list);
    }
    return combined(names, {same}, list);
}

/// Splits at commas and blanks outside brackets; skips empty items, as Slurm does.
std::vector<std::string_view> split_items(std::string_view list) {
    std::vector<std::string_view> items;
    std::size_t begin = 0;
    bool inside = false;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        const char c = i < list.size() ? list[i] : ',';
        if (c == '[') {
            if (inside) fail(list, "'[' inside brackets");
            inside = true;
        } else if (c == ']') {
            if (!inside) fail(list, "']' without '['");
            inside = false;
        } else if ((c == ',' || c == ' ' || c == '\t') && !inside) {
            if (i > begin) items.push_back(list.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    if (inside) fail(list, "'[' without ']'");
    if (items.empty()) fail(list, "no name");
    return items;
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view list) {
    std::vector<std::string> hosts;
    for (const std::string_view item : split_items(list)) {
        std::vector<std::string> names = expand_item(item, list);
        if (hosts.size() + names.size() > most_host_names) fail_at_most(list);
        hosts.insert(hosts.end(), std::make_move_iterator(names.begin()),
                     std::make_move_iterator(names.end()));
    }
    return hosts;
}

}  // namespace strata::topology
