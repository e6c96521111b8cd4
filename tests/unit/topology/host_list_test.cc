#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "errors.h"
#include "topology/network.h"

namespace strata::topology::host_list_test {
namespace {

using Names = std::vector<std::string>;

TEST(HostList, Expands) {
    EXPECT_EQ(expand_host_list("n[1-3,07-09],gpu5"), (Names{"n1", "n2", "n3", "n07", "n08", "n09", "gpu5"}));
    EXPECT_EQ(expand_host_list("a"), (Names{"a"}));
    EXPECT_EQ(expand_host_list("r[0-1]n[8-10]x"),
              (Names{"r0n8x", "r0n9x", "r0n10x", "r1n8x", "r1n9x", "r1n10x"}));
    EXPECT_EQ(expand_host_list("n[099-101]"), (Names{"n099", "n100", "n101"}));
    EXPECT_EQ(expand_host_list("n[7-012]"), (Names{"n7", "n8", "n9", "n10", "n11", "n12"}));
    EXPECT_EQ(expand_host_list("rack-a_[0-1].x,n[1,1]"), (Names{"rack-a_0.x", "rack-a_1.x", "n1", "n1"}));
    EXPECT_EQ(expand_host_list("n[1-4096]").size(), 4096U);
    EXPECT_EQ(expand_host_list(std::string(255, 'x')), (Names{std::string(255, 'x')}));
    EXPECT_EQ(expand_host_list("n[0-262143]").size(), most_host_names);
    const std::string half = std::string(249, 'x') + "[000000-131072]";
    EXPECT_EQ(expand_host_list(half).size(), 131'073U);
    EXPECT_THROW(expand_host_list(half + "," + half), std::invalid_argument);
}

TEST(HostList, ManyBracketsCostNoMoreThanTheNamesThatTheyMake) {
    std::string list = "n[0-65535]", ones;
    for (int i = 0; i < 240; ++i) {
        list += "[7]";
        ones += '7';
    }
    const auto names = expand_host_list(list);
    ASSERT_EQ(names.size(), 65536U);
    EXPECT_EQ(names[65535], "n65535" + ones);
}

TEST(HostList, BlanksAndCommasSeparateNames) {
    for (const char* list : {"a,b", "a b", "a, b", " a ,\tb ", "a,,b", ",a,b,"}) {
        EXPECT_EQ(expand_host_list(list), (Names{"a", "b"})) << list;
    }
}

TEST(HostList, BrokenListsAreRefused) {
    const std::pair<std::string, const char*> cases[] = {
        {"", "no name"},
        {" ,\t", "no name"},
        {"n[1-3", "'[' without ']'"},
        {"n1-3]", "']' without '['"},
        {"n[[1]]", "'[' inside"},
        {"n[3-1]", "'3-1' runs backwards"},
        {"n[a-b]", "'a' is no number"},
        {"n[]", "'' is no number"},
        {"n[1-]", "'' is no number"},
        {"n[-1]", "'' is no number"},
        {"n[1, 2]", "' 2' is no number"},
        {"n[1--2]", "'-2' is no number"},
        {"n[1-9999999999]", "too large"},
        {"n[0-999999999]", "more than 262144 names"},
        {"n[0-262144]", "more than 262144 names"},
        {"n[1-9999]x[1-9999]", "more than 262144 names"},
        {"n[1,,2]", "'' is no number"},
        {"n[0-262143]" + std::string(300, 'x'), "more than 255"},
        {std::string(256, 'x'), "more than 255"}};
    for (const auto& [list, reason] : cases) {
        const std::string error = error_of([&, text = list] { expand_host_list(text); });
        EXPECT_NE(error.find(reason), std::string::npos) << list << " -> " << error;
    }
}

}  // namespace
}  // namespace strata::topology::host_list_test
