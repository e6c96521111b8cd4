#include "topology/svg.h"

#include <gtest/gtest.h>

namespace strata::topology::svg_test {
namespace {

TEST(Svg, EscapedTextIsNeitherElementNorEnd) {
    EXPECT_EQ(svg_escaped("<a href=\"b\">&amp;</a>"), "&lt;a href=&quot;b&quot;&gt;&amp;amp;&lt;/a&gt;");
    EXPECT_EQ(svg_escaped("tab\tline\n"), "tab line ");
    EXPECT_EQ(svg_escaped("receivers \xE2\x86\x92"), "receivers \xE2\x86\x92");
}

TEST(Svg, AttributesOfTextStayAsTheyAre) {
    EXPECT_EQ(svg_text(3, -4, "fill=\"#444\"", "a < b"),
              "<text x=\"3\" y=\"-4\" fill=\"#444\">a &lt; b</text>\n");
}

TEST(Svg, ADocumentIsAsLargeAsItSays) {
    const std::string file = svg_document(30, 20, "<path/>\n");
    EXPECT_EQ(
        file.find(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"30\" height=\"20\" viewBox=\"0 0 30 20\""),
        0U);
    EXPECT_NE(file.find("<rect width=\"30\" height=\"20\" fill=\"white\"/>\n<path/>\n</svg>\n"),
              std::string::npos);
}

}  // namespace
}  // namespace strata::topology::svg_test
