#include "xml_form.h"

#include <algorithm>
#include <map>
#include <utility>

#include "hardware_path.h"
#include "strata/topology/text.h"

namespace strata::topology {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr unsigned most_indices = 1U << 20;  // a set of them takes 128 KiB

using Attributes = std::map<std::string_view, std::string_view>;

/// Behind the value whose quote stands at `quote`.
std::size_t behind_value(std::string_view xml, std::size_t quote) {
    const std::size_t end = xml.find(xml[quote], quote + 1);
    return end == std::string_view::npos ? xml.size() : end + 1;
}

/// NAME="VALUE" words of a tag.
Attributes attributes_of(std::string_view tag) {
    Attributes found;
    while (true) {
        const std::size_t equals = tag.find('=');
        if (equals == std::string_view::npos) return found;
        std::string_view name = tag.substr(0, equals);
        name = name.substr(0, std::min(name.find_last_not_of(blanks), name.size() - 1) + 1);
        name.remove_prefix(std::min(name.find_last_of(blanks) + 1, name.size()));
        const std::size_t begin = tag.find_first_of("\"'", equals);
        if (begin == std::string_view::npos) return found;
        const std::size_t end = behind_value(tag, begin);
        found.emplace(name, tag.substr(begin + 1, std::max(end, begin + 2) - begin - 2));
        tag.remove_prefix(end);
    }
}

/// As hwloc writes sets: "0x00000003", "0xf...f,,0x1"; anything else may end in an assertion of hwloc.
bool is_set(std::string_view text) {
    constexpr std::string_view open_end = "0xf...f";
    constexpr std::size_t most_digits = 8;
    bool first = true;
    for (std::string_view word : split(text, ',')) {
        const bool begins = std::exchange(first, false);
        if (word.empty() && !begins) continue;
        if (begins && word == open_end) continue;
        if (!word.starts_with("0x")) return false;
        word.remove_prefix(2);
        if (word.empty() || word.size() > most_digits ||
            word.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
            return false;
        }
    }
    return true;
}

/// Of two sets that hwloc can read.
bool lies_within(std::string_view part, std::string_view whole) {
    const Bitmap first = empty_bitmap();
    const Bitmap second = empty_bitmap();
    hwloc_bitmap_sscanf(first.get(), std::string(part).c_str());
    hwloc_bitmap_sscanf(second.get(), std::string(whole).c_str());
    return hwloc_bitmap_isincluded(first.get(), second.get()) != 0;
}

/// Of any tag: a set that hwloc cannot read.
std::string why_dangerous_sets(const Attributes& attributes) {
    for (const auto& [name, value] : attributes) {
        if ((name.ends_with("cpuset") || name.ends_with("nodeset")) && !is_set(value)) {
            return std::string(name) + " '" + utf8_text(value) + "' is no set of numbers";
        }
    }
    return {};
}

/// Of an object: what keeps hwloc from it.
std::string why_dangerous_object(const Attributes& attributes) {
    const auto type = attributes.find("type");
    if (type == attributes.end()) return "an object has no type";
    for (const std::string_view without : {"Bridge", "PCIDev", "OSDev", "Misc"}) {
        if (type->second == without) return {};  // these have no sets
    }
    const std::string called = "object " + utf8_text(type->second);
    if (!attributes.contains("cpuset")) return called + " has no cpuset";
    for (const std::string_view set : {"cpuset", "nodeset"}) {
        const std::string complete = "complete_" + std::string(set);
        const auto own = attributes.find(set);
        if (own == attributes.end()) continue;
        const auto whole = attributes.find(complete);
        if (whole == attributes.end()) return called + " has no " + complete;
        if (!lies_within(own->second, whole->second)) {
            return called + " has a " + std::string(set) + " that its " + complete + " does not contain";
        }
    }
    if (type->second != "PU" && type->second != "NUMANode") return {};
    const auto index = attributes.find("os_index");
    if (index == attributes.end()) return called + " has no os_index";
    const auto number = whole_number<unsigned>(index->second);
    if (!number || *number >= most_indices) {
        return called + " has os_index '" + utf8_text(index->second) + "', which must be below " +
               std::to_string(most_indices);
    }
    return {};
}

/// Where a tag ends that begins at `at`; a value may hold '>'.
std::size_t end_of_tag(std::string_view xml, std::size_t at) {
    while (true) {
        at = std::min(xml.find_first_of("\"'>", at), xml.size());
        if (at == xml.size() || xml[at] == '>') return at;
        at = behind_value(xml, at);
    }
}

}  // namespace

std::string why_dangerous(std::string_view xml) {
    constexpr std::string_view comment = "<!--";
    for (std::size_t at = xml.find('<'); at < xml.size(); at = xml.find('<', at)) {
        if (xml.substr(at).starts_with(comment)) {
            at = xml.find("-->", at + comment.size());
            continue;
        }
        const std::size_t end = end_of_tag(xml, at);
        const std::string_view tag = xml.substr(at, end - at);
        at = end;
        const Attributes attributes = attributes_of(tag);
        std::string why = why_dangerous_sets(attributes);
        if (why.empty() && tag.starts_with("<object")) why = why_dangerous_object(attributes);
        if (!why.empty()) return why;
    }
    return {};
}

}  // namespace strata::topology
