#include "component/settings/facts.h"

#include <gtest/gtest.h>

namespace {

using namespace strata::component;

std::string published(const SettingsText& text, const std::vector<std::string>& wrong = {}) {
    std::vector<std::string> errors;
    const Settings settings = parse_settings(text, {}, errors);
    errors.insert(errors.end(), wrong.begin(), wrong.end());
    return write_facts(agreement_facts(text, settings, errors, {65536, 4096}));
}

std::string differences(const SettingsText& own, const SettingsText& other) {
    return list_differences(published(own), published(other), "process 0", "process 3");
}

TEST(Facts, DefaultsAreNotPublished) { EXPECT_EQ(published({}), ""); }

TEST(Facts, BothValuesAreNamed) {
    SettingsText own;
    SettingsText other;
    own.window = "8";
    own.disable = "bcast";
    other.disable = "bcast";
    EXPECT_EQ(differences(own, other),
              "  coll_strata_window:\n    auto (the default)  in process 3\n    8  in process 0\n");
    EXPECT_EQ(differences(own, own), "");
}

TEST(Facts, WhatIsNotUnderstoodIsNamed) {
    SettingsText other;
    other.window = "wide";
    const std::string lines = differences({}, other);
    EXPECT_NE(lines.find("coll_strata_window:\n    wide  in process 3"), std::string::npos) << lines;
    EXPECT_NE(lines.find("unusable:\n    coll_strata_window = 'wide': must"), std::string::npos) << lines;
}

TEST(Facts, AFileThatOnlyOneProcessCannotReadIsNamed) {
    SettingsText other;
    other.rules = "/no/such/rules.json";
    const std::string lines = differences({}, other);
    EXPECT_NE(lines.find("unusable:\n    coll_strata_rules: /no/such/rules.json: cannot be opened"),
              std::string::npos)
        << lines;
    EXPECT_NE(published(other).find("/no/such/rules.json (unusable: see below)"), std::string::npos);
}

TEST(Facts, LongOnesAndStrangeOnesAreHarmless) {
    SettingsText other;
    other.hierarchy = std::string(5000, 'x') + "\t\n";
    const std::string text = published(other, std::vector<std::string>(40, std::string(400, '\n')));
    EXPECT_LE(text.size(), 2048U);
    EXPECT_NE(list_differences("", text, "a", "b"), "");
    EXPECT_EQ(list_differences("", "no columns\n\n\t\n\t\t\t\n", "a", "b"), "");
}

TEST(Facts, OneIsFound) {
    SettingsText text;
    text.priority = "-1";
    EXPECT_EQ(value_of(published(text), "coll_strata_priority"), "-1");
    EXPECT_EQ(value_of(published({}), "coll_strata_priority"), "");
}

}  // namespace
