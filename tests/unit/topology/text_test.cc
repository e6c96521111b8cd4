#include <gtest/gtest.h>

#include <clocale>
#include <cstdio>

#include "topology/text.h"

namespace strata::topology::text_test {
namespace {

TEST(Text, TrimmedTakesBlanksFromBothEndsOnly) {
    EXPECT_EQ(trimmed(" \t a b\t "), "a b");
    EXPECT_EQ(trimmed("a"), "a");
    EXPECT_EQ(trimmed(" \t"), "");
    EXPECT_EQ(trimmed(""), "");
    EXPECT_EQ(trimmed("a\n"), "a\n");
}

TEST(Text, LowerCaseChangesLettersOnly) {
    EXPECT_EQ(lower_case("Switch0@[AZaz]"), "switch0@[azaz]");
    EXPECT_EQ(lower_case("\xC4\xD6"), "\xC4\xD6");
    EXPECT_EQ(lower_case(""), "");
}

TEST(Text, NumbersAreThoseOfTheCLocale) {
    for (const double value : {0.0, 1.0, 16.0 / 3, 0.001, 123456.789, 1e-7, 2.5e12}) {
        for (const int digits : {3, 9, 17}) {
            char text[40];
            std::snprintf(text, sizeof text, "%.*g", digits, value);
            EXPECT_EQ(number_text(value, digits), text);
        }
    }
}

TEST(Text, NumbersHaveAPointInEveryLocale) {
    const bool comma = std::setlocale(LC_NUMERIC, "de_DE.UTF-8") != nullptr;
    const std::string text = number_text(1.5, 3);
    std::setlocale(LC_NUMERIC, "C");
    EXPECT_EQ(text, "1.5");
    if (!comma) GTEST_SKIP() << "no locale with another point: de_DE.UTF-8 is not installed";
}

TEST(Text, RealNumbersAreTheWholeText) {
    EXPECT_EQ(real_number("0.05"), 0.05);
    EXPECT_EQ(real_number("-2e3"), -2000.0);
    for (const char* text : {"", " 1", "1 ", "0,05", "5%", "0x10", "1e999", "much"}) {
        EXPECT_EQ(real_number(text), std::nullopt) << text;
    }
}

TEST(Text, OfUtf8StaysAsItIs) {
    for (const char* const text :
         {"", "node 7", "\xC3\xA4\xE2\x86\x92\xF0\x9F\x98\x80", "\xED\x9F\xBF\xEE\x80\x80", "\xE0\xA0\x80",
          "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"}) {
        EXPECT_EQ(utf8_text(text), text);
    }
}

TEST(Text, OfOtherBytesGetsAReplacementForEach) {
    const std::string_view instead = "\xEF\xBF\xBD";
    const auto times = [&](int count) {
        std::string all;
        while (count-- > 0) all += instead;
        return all;
    };
    EXPECT_EQ(utf8_text("n\xFFode"), "n" + times(1) + "ode");
    EXPECT_EQ(utf8_text("\x80"), times(1));
    EXPECT_EQ(utf8_text("\xC0\xAF"), times(2));          // '/' in too many bytes
    EXPECT_EQ(utf8_text("\xE0\x9F\xBF"), times(3));      // the same
    EXPECT_EQ(utf8_text("\xED\xA0\x80"), times(3));      // half of a surrogate pair
    EXPECT_EQ(utf8_text("\xF4\x90\x80\x80"), times(4));  // beyond Unicode
    EXPECT_EQ(utf8_text("\xEF\xBF\xBF"), times(3));      // no character
    EXPECT_EQ(utf8_text("a\xE2\x86"), "a" + times(2));   // cut off
    EXPECT_EQ(utf8_text("\xE2\x86"
                        "b"),
              times(2) + "b");
    EXPECT_EQ(json_text("\xFF\""), "\"" + times(1) + "\\\"\"");
}

TEST(QuotedText, IsOneShortLine) {
    EXPECT_EQ(quoted_text(""), "''");
    EXPECT_EQ(quoted_text("a\n\x1b[1mb\x7f"), "'a  [1mb '");
    EXPECT_EQ(quoted_text("\xff"), "'\xef\xbf\xbd'");
    EXPECT_EQ(quoted_text(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
    const std::string most(79, 'x');
    EXPECT_EQ(quoted_text(most + "\xc3\xa4" + "b"), "'" + most + "...'");  // no half of a character
    EXPECT_EQ(quoted_text(std::string(81, 'x')), "'" + std::string(80, 'x') + "...'");
}

}  // namespace
}  // namespace strata::topology::text_test
