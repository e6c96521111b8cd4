#include "topology/svg.h"

#include "topology/text.h"

namespace strata::topology {

std::string svg_escaped(std::string_view text) {
    std::string result;
    for (const char c : utf8_text(text)) {
        switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '"': result += "&quot;"; break;
            default: result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return result;
}

std::string svg_text(int x, int y, std::string_view attributes, std::string_view content) {
    return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" " +
           std::string(attributes) + ">" + svg_escaped(content) + "</text>\n";
}

std::string svg_document(int width, int height, std::string_view content) {
    const std::string across = std::to_string(width);
    const std::string down = std::to_string(height);
    const std::string size = across + "\" height=\"" + down;
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "\" viewBox=\"0 0 " + across + " " +
           down + "\" font-family=\"DejaVu Sans, Arial, sans-serif\" font-size=\"12\">\n<rect width=\"" +
           size + "\" fill=\"white\"/>\n" + std::string(content) + "</svg>\n";
}

}  // namespace strata::topology
