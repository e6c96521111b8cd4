#pragma once
#include <string>
#include <string_view>

namespace strata::topology {

// Helpers shared by all SVG pictures. Lengths are pixels at the picture's natural size.

/// Approximate width of a character of svg_text().
constexpr int svg_character_width = 7;

/// Returns `text` escaped for the content of an element or attribute.
std::string svg_escaped(std::string_view text);

/// Returns a text element that begins at x on base line y; `attributes` is inserted verbatim.
std::string svg_text(int x, int y, std::string_view attributes, std::string_view content);

/// Returns a whole file: `content` (a sequence of elements) on a white background.
std::string svg_document(int width, int height, std::string_view content);

}  // namespace strata::topology
