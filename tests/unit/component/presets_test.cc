// Rules that come with the plugin, by name.
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "algorithms/config/presets.h"
#include "settings_text.h"

namespace {

using namespace strata::algorithms;
using namespace strata::component;
using namespace strata::testing;

TEST(Presets, AWordNamesOneAndAPathDoesNot) {
    for (const char* name : {"wan-grid", "a", "node2"}) {
        EXPECT_TRUE(names_preset(name)) << name;
    }
    for (const char* path : {"", "./wan-grid", "wan-grid.json", "/wan-grid", "Wan", "wan grid", "wan_grid"}) {
        EXPECT_FALSE(names_preset(path)) << path;
    }
    EXPECT_EQ(rules_file_of("./wan-grid", "folder"), "./wan-grid");
}

/// Returns the message of preset_file()'s exception.
std::string refusal(const std::string& folder, const std::string& name) {
    try {
        return "found " + preset_file(folder, name);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
}

TEST(Presets, AnUnknownNameIsReportedWithTheKnownOnes) {
    const std::string folder = ::testing::TempDir() + "strata_presets";
    std::filesystem::create_directory(folder);
    EXPECT_EQ(refusal(folder, "two"), "no such preset: 'two'; there are none in " + folder +
                                          " (a file in the current folder: './two')");
    {
        const File two("two.json", "{}");
        const File one("one.json", "{}");
        for (const char* name : {"two", "one"}) {
            std::filesystem::copy(::testing::TempDir() + "strata_settings_" + name + ".json",
                                  folder + "/" + name + ".json");
        }
        std::filesystem::copy(one.path, folder + "/three.conf");
    }
    EXPECT_EQ(preset_file(folder, "two"), folder + "/two.json");
    for (const char* name : {"three", "tw", "two-"}) {
        EXPECT_EQ(refusal(folder, name), "no such preset: '" + std::string(name) +
                                             "'; known: one, two (a file in the current folder: './" + name +
                                             "')");
    }
    std::filesystem::remove_all(folder);
}

TEST(Presets, ThoseBesideTheProgramAreMeant) {
    // This test is not a plugin, and no presets are beside it.
    const auto [settings, errors] = parse(with([](SettingsText& text) { text.rules = "wan-grid"; }));
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_TRUE(errors[0].starts_with("coll_strata_rules: no such preset: 'wan-grid'; there are none in "))
        << errors[0];
    EXPECT_NE(errors[0].find("/strata-presets (a file"), std::string::npos) << errors[0];
    EXPECT_TRUE(settings.rules_file.empty());
}

}  // namespace
