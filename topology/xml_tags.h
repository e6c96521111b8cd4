#pragma once
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strata::topology {

/// Ends the reading of an XML machine.
[[noreturn]] inline void refuse_xml(const std::string& why) { throw std::invalid_argument(why); }

/// Names and values, in the order of the text; references in values ("&lt;") are resolved.
using XmlAttributes = std::vector<std::pair<std::string_view, std::string>>;

/// Null where there is none of this name.
const std::string* value_of(const XmlAttributes& attributes, std::string_view name);

/// <name attributes> opens, </name> closes, <name/> does both.
struct XmlTag {
    std::string_view name;
    XmlAttributes attributes;
    bool opens = true;
    bool closes = false;
};

/// The tags of an XML text in their order, each closed where it should be. Text between them is left out, and
/// entities of the text's own are refused.
class XmlTags {
public:
    explicit XmlTags(std::string_view xml) : xml_(xml) {}

    /// With names that are views into the text; empty behind its only element. Throws std::invalid_argument.
    std::optional<XmlTag> next();

    /// Where the last tag, comment or declaration begins, from 1.
    std::size_t line() const { return begun_; }

private:
    /// What stands before the next `end`, which is left out. Throws std::invalid_argument.
    std::string_view up_to(std::string_view end, std::string_view what);
    std::string_view up_to(std::size_t at, std::size_t behind);
    std::string_view tag_text();
    XmlTag read_tag(std::string_view text);
    void follow(const XmlTag& tag);

    std::string_view xml_;  // what is left
    std::size_t line_ = 1;  // of what is left
    std::size_t begun_ = 1;
    std::vector<std::string_view> open_;
    bool ended_ = false;
};

/// An opening or closed tag as every reader of XML understands it, with attributes in double quotes; bytes
/// that are no characters of XML become U+FFFD or '?'.
std::string tag_text(std::string_view name, const XmlAttributes& attributes, bool closes);

}  // namespace strata::topology
