#pragma once
#include <string>
#include <string_view>

namespace strata::topology {

// What pictures in SVG have in common. All lengths are pixels of a picture shown at its natural size.

/// About as wide as a character of svg_text() is.
constexpr int svg_character_width = 7;

/// As content of an element, or of an attribute.
std::string svg_escaped(std::string_view text);

/// Text that begins at x, above the base line y; `attributes` as they stand in the element.
std::string svg_text(int x, int y, std::string_view attributes, std::string_view content);

/// A whole file with `content`, which consists of elements, on white.
std::string svg_document(int width, int height, std::string_view content);

}  // namespace strata::topology
