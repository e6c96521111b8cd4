#pragma once
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strata::topology {

/// Rejects an XML machine.
[[noreturn]] inline void reject_xml(const std::string& why) { throw std::invalid_argument(why); }

/// Names and values in document order; references in values ("&lt;") are resolved.
using XmlAttributes = std::vector<std::pair<std::string_view, std::string>>;

/// Returns null if no attribute has this name.
const std::string* value_of(const XmlAttributes& attributes, std::string_view name);

/// <name attributes> opens, </name> closes, <name/> does both.
struct XmlTag {
    std::string_view name;
    XmlAttributes attributes;
    bool opens = true;
    bool closes = false;
};

/// Reads the tags of an XML text in order and checks their nesting. Skips text between tags; rejects
/// entity definitions.
class XmlTags {
public:
    explicit XmlTags(std::string_view xml) : xml_(xml) {}

    /// Returns the next tag, or empty behind the only root element. Names are views into the text.
    /// Throws std::invalid_argument.
    std::optional<XmlTag> next();

    /// Returns the line at which the last tag, comment or declaration begins, from 1.
    std::size_t line() const { return begun_; }

private:
    /// Consumes up to and including `end`; returns the text before it. Throws std::invalid_argument.
    std::string_view up_to(std::string_view end, std::string_view what);
    std::string_view up_to(std::size_t at, std::size_t behind);
    std::string_view tag_text();
    XmlTag read_tag(std::string_view text);
    void follow(const XmlTag& tag);

    std::string_view xml_;  // unread text
    std::size_t line_ = 1;  // line of its first character
    std::size_t begun_ = 1;
    std::vector<std::string_view> open_;
    bool ended_ = false;
};

/// Returns an opening or empty tag that every XML reader understands, with attributes in double quotes.
/// Bytes that are no XML characters become U+FFFD or '?'.
std::string tag_text(std::string_view name, const XmlAttributes& attributes, bool closes);

}  // namespace strata::topology
