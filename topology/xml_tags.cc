#include "topology/xml_tags.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "topology/text.h"

namespace strata::topology {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::size_t most_nesting = 128;     // hwloc recurses once per level
constexpr std::size_t most_attributes = 256;  // duplicates are found by comparing all pairs

struct Reference {
    std::string_view name;
    char character;
};
constexpr std::array<Reference, 5> references{
    {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};

std::string_view without_blanks_before(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

/// Returns the name at the start of `text`: ASCII only, as all of hwloc's names.
std::string_view name_at(std::string_view text) {
    constexpr std::string_view of_names =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:.";
    return text.substr(0, std::min(text.find_first_not_of(of_names), text.size()));
}

/// Resolves "lt", or a number such as "#60" or "#x3c"; ASCII only.
char character_of(std::string_view reference) {
    const auto* const known = std::find_if(references.begin(), references.end(),
                                           [&](const Reference& each) { return each.name == reference; });
    if (known != references.end()) return known->character;
    std::optional<unsigned> number;
    if (reference.starts_with('#') && !reference.starts_with("#x")) {
        number = whole_number<unsigned>(reference.substr(1));
    } else if (unsigned value = 0; reference.starts_with("#x") && reference.size() > 2) {
        const char* const end = reference.data() + reference.size();
        const auto [stopped, error] = std::from_chars(reference.data() + 2, end, value, 16);
        if (error == std::errc() && stopped == end) number = value;
    }
    if (!number || *number == 0 || *number > 0x7f) {
        reject_xml("unknown reference " + quoted_text("&" + std::string(reference) + ";"));
    }
    return static_cast<char>(*number);
}

std::string resolved(std::string_view value) {
    std::string text;
    while (true) {
        const std::size_t at = value.find('&');
        text += value.substr(0, at);
        if (at == value.npos) return text;
        const std::size_t end = value.find(';', at);
        if (end == value.npos) reject_xml("a reference in " + quoted_text(value) + " does not end");
        text += character_of(value.substr(at + 1, end - at - 1));
        value.remove_prefix(end + 1);
    }
}

/// Parses NAME="VALUE" words, each after a blank.
XmlAttributes attributes_of(std::string_view text, std::string_view tag) {
    XmlAttributes found;
    const std::string of_tag = " of tag " + quoted_text(tag);
    while (true) {
        const std::string_view word = without_blanks_before(text);
        if (word.empty()) return found;
        const std::string_view name = name_at(word);
        if (word.size() == text.size() || name.empty())
            reject_xml("no attribute where one is expected" + of_tag);
        if (found.size() == most_attributes) {
            reject_xml("more than " + std::to_string(most_attributes) + " attributes" + of_tag);
        }
        const std::string attribute = "attribute " + quoted_text(name) + of_tag;
        text = without_blanks_before(word.substr(name.size()));
        if (!text.starts_with('=')) reject_xml(attribute + " has no value");
        text = without_blanks_before(text.substr(1));
        const bool is_quoted = text.starts_with('"') || text.starts_with('\'');
        const std::size_t end = is_quoted ? text.find(text.front(), 1) : text.npos;
        if (end == text.npos) reject_xml(attribute + " has no value in quotes");
        const std::string_view value = text.substr(1, end - 1);
        if (value.find('<') != value.npos) reject_xml(attribute + " has a '<'");
        if (value_of(found, name) != nullptr) reject_xml(attribute + " appears twice");
        found.emplace_back(name, resolved(value));
        text.remove_prefix(end + 1);
    }
}

}  // namespace

const std::string* value_of(const XmlAttributes& attributes, std::string_view name) {
    const auto found = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const auto& attribute) { return attribute.first == name; });
    return found == attributes.end() ? nullptr : &found->second;
}

std::string_view XmlTags::up_to(std::size_t at, std::size_t behind) {
    const std::string_view text = xml_.substr(0, at);
    line_ += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    xml_.remove_prefix(behind);
    return text;
}

std::string_view XmlTags::up_to(std::string_view end, std::string_view what) {
    const std::size_t at = xml_.find(end);
    if (at == xml_.npos) reject_xml(std::string(what) + " does not end");
    return up_to(at, at + end.size());
}

/// Finds the end of a tag; a quoted value may contain '>'.
std::string_view XmlTags::tag_text() {
    for (std::size_t at = 0; (at = xml_.find_first_of("\"'>", at)) != xml_.npos; ++at) {
        if (xml_[at] == '>') return up_to(at, at + 1);
        at = xml_.find(xml_[at], at + 1);
        if (at == xml_.npos) break;
    }
    reject_xml("a tag does not end");
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
    if (tag.name.empty()) reject_xml("a tag has no name");
    tag.attributes = attributes_of(text.substr(tag.name.size()), tag.name);
    return tag;
}

void XmlTags::follow(const XmlTag& tag) {
    if (tag.opens) {
        if (open_.size() == most_nesting) {
            reject_xml("more than " + std::to_string(most_nesting) + " tags within each other");
        }
        open_.push_back(tag.name);
    }
    if (!tag.closes) return;
    if (open_.empty() || open_.back() != tag.name) {
        reject_xml("tag " + quoted_text(tag.name) + " is closed but not open");
    }
    open_.pop_back();
    ended_ = open_.empty();
}

std::optional<XmlTag> XmlTags::next() {
    while (true) {
        if (xml_.find('<') == xml_.npos) {
            if (!open_.empty()) reject_xml("tag " + quoted_text(open_.back()) + " is not closed");
            if (!ended_) reject_xml("no tag");
            return std::nullopt;
        }
        up_to("<", "text");
        begun_ = line_;
        if (xml_.starts_with("!--")) {
            xml_.remove_prefix(3);
            up_to("-->", "a comment");
        } else if (xml_.starts_with('?')) {
            up_to("?>", "a declaration");
        } else if (xml_.starts_with("!DOCTYPE ") && open_.empty()) {
            if (up_to(">", "the type of the document").find_first_of("[<") != xml_.npos) {
                reject_xml("the type of the document has declarations");
            }
        } else {
            if (ended_) reject_xml("a second element after the first");
            XmlTag tag = read_tag(tag_text());
            follow(tag);
            return tag;
        }
    }
}

std::string tag_text(std::string_view name, const XmlAttributes& attributes, bool closes) {
    std::string text = "<" + std::string(name);
    for (const auto& [attribute, value] : attributes) {
        text += ' ';
        text += attribute;
        text += "=\"";
        for (const char c : utf8_text(value)) {
            const auto* const known =
                std::find_if(references.begin(), references.begin() + 4,
                             [&](const Reference& each) { return each.character == c; });
            if (known != references.begin() + 4) {
                text += '&';
                text += known->name;
                text += ';';
            } else {
                text += static_cast<unsigned char>(c) < ' ' ? '?' : c;
            }
        }
        text += '"';
    }
    return text + (closes ? "/>" : ">");
}

}  // namespace strata::topology
