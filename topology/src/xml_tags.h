#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace strata::topology {

using XmlAttributes = std::map<std::string_view, std::string_view>;

/// <name attributes> opens, </name> closes, <name/> does both.
struct XmlTag {
    std::string_view name;
    XmlAttributes attributes;  // as written: references such as "&lt;" are not resolved
    bool opens = true;
    bool closes = false;
};

/// The tags of an XML text in their order, each closed where it should be. Less than XML allows: what two
/// parsers could understand differently (sections, declarations of entities, angles within quotes) is
/// refused.
class XmlTags {
public:
    explicit XmlTags(std::string_view xml) : xml_(xml) {}

    /// Views into the text; empty behind its only element. Throws std::invalid_argument.
    std::optional<XmlTag> next();

    /// Of the last tag, from 1.
    std::size_t line() const { return line_; }

private:
    /// Throws std::invalid_argument.
    std::string_view up_to(std::string_view end, std::string_view what);
    XmlTag read_tag(std::string_view text);
    void follow(const XmlTag& tag);

    std::string_view xml_;  // what is left
    std::size_t line_ = 1;
    std::vector<std::string_view> open_;
    bool ended_ = false;
};

}  // namespace strata::topology
