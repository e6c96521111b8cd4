#include "xml_tags.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "strata/topology/text.h"

namespace strata::topology {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::size_t most_nesting = 128;  // hwloc reads the levels by recursion

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

std::string_view without_blanks_before(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

/// The word of letters, digits and '_' (also '-', ':' and '.') that `text` begins with.
std::string_view name_at(std::string_view text) {
    constexpr std::string_view of_names =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:.";
    return text.substr(0, text.find_first_not_of(of_names));
}

/// NAME="VALUE" words, each behind a blank.
XmlAttributes attributes_of(std::string_view text, std::string_view tag) {
    XmlAttributes found;
    const std::string of_tag = " of tag '" + std::string(tag) + "'";
    while (true) {
        const std::string_view word = without_blanks_before(text);
        if (word.empty()) return found;
        const std::string_view name = name_at(word);
        if (word.size() == text.size() || name.empty()) refuse("no attribute where one is expected" + of_tag);
        text = without_blanks_before(word.substr(name.size()));
        if (text.starts_with('=')) text = without_blanks_before(text.substr(1));
        const std::size_t end = text.empty() ? text.npos : text.find(text.front(), 1);
        if (end == text.npos || (text.front() != '"' && text.front() != '\'')) {
            refuse("attribute '" + std::string(name) + "'" + of_tag + " has no value in quotes");
        }
        if (!found.emplace(name, text.substr(1, end - 1)).second) {
            refuse("attribute '" + std::string(name) + "'" + of_tag + " stands there twice");
        }
        text.remove_prefix(end + 1);
    }
}

}  // namespace

std::string_view XmlTags::up_to(std::string_view end, std::string_view what) {
    const std::size_t at = xml_.find(end);
    if (at == xml_.npos) refuse(std::string(what) + " does not end");
    const std::string_view text = xml_.substr(0, at);
    line_ += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    xml_.remove_prefix(at + end.size());
    return text;
}

XmlTag XmlTags::read_tag(std::string_view text) {
    XmlTag tag;
    if (text.starts_with('/')) {
        tag.opens = false;
        tag.closes = true;
        text.remove_prefix(1);
    } else if (text.ends_with('/')) {
        tag.closes = true;
        text.remove_suffix(1);
    }
    tag.name = name_at(text);
    if (tag.name.empty()) refuse("a tag has no name");
    if (text.find('<') != text.npos) refuse("tag '" + std::string(tag.name) + "' does not end");
    tag.attributes = attributes_of(text.substr(tag.name.size()), tag.name);
    return tag;
}

void XmlTags::follow(const XmlTag& tag) {
    if (tag.opens) {
        if (open_.size() == most_nesting) {
            refuse("more than " + std::to_string(most_nesting) + " tags within each other");
        }
        open_.push_back(tag.name);
    }
    if (!tag.closes) return;
    if (open_.empty() || open_.back() != tag.name) {
        refuse("tag '" + std::string(tag.name) + "' is closed but not open");
    }
    open_.pop_back();
    ended_ = open_.empty();
}

std::optional<XmlTag> XmlTags::next() {
    while (true) {
        if (xml_.find('<') == xml_.npos) {
            if (!open_.empty()) refuse("tag '" + std::string(open_.back()) + "' is not closed");
            if (!ended_) refuse("no tag");
            return std::nullopt;
        }
        up_to("<", "text");
        if (xml_.starts_with("!--")) {
            xml_.remove_prefix(3);
            up_to("-->", "a comment");
        } else if (xml_.starts_with('?')) {
            up_to("?>", "a declaration");
        } else if (xml_.starts_with("!DOCTYPE ") && open_.empty()) {
            if (up_to(">", "the type of the document").find_first_of("[<") != xml_.npos) {
                refuse("the type of the document has declarations");
            }
        } else {
            if (ended_) refuse("a second element behind the first");
            const XmlTag tag = read_tag(up_to(">", "a tag"));
            follow(tag);
            return tag;
        }
    }
}

}  // namespace strata::topology
