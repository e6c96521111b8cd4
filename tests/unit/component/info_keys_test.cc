// Settings of one communicator: its info keys override parameters.
#include <gtest/gtest.h>

#include "component/settings/info_keys.h"

namespace {

using namespace strata::component;
using strata::algorithms::Algorithm;
using strata::algorithms::Engine;
using strata::algorithms::Origin;

const std::vector<std::string> components = {"basic", "sm", "tuned"};

struct Own {
    OwnSettings own;
    std::vector<std::string> errors;
    const CommunicatorSettings& settings = own.settings;
};

Settings base(const SettingsText& text = {}) {
    std::vector<std::string> errors;
    Settings settings = parse_settings(text, components, errors);
    EXPECT_TRUE(errors.empty());
    return settings;
}

Own with(const std::vector<InfoKey>& keys, const Settings& job = base()) {
    std::vector<std::string> errors;
    OwnSettings own = own_settings(keys, job, {}, components, errors);
    return {std::move(own), std::move(errors)};
}

CollectiveText& bcast(SettingsText& text) { return text.collectives[static_cast<int>(Collective::bcast)]; }

TEST(InfoKeys, BothSpellingsAreMeantForUs) {
    EXPECT_EQ(parameter_of("strata_window"), "window");
    EXPECT_EQ(parameter_of("ompi_comm_coll_strata_window"), "window");
    EXPECT_EQ(parameter_of("ompi_comm_coll_preference"), "");
    EXPECT_EQ(parameter_of("stratagem"), "");
}

TEST(InfoKeys, EveryShortKeyFitsIntoOpenMpi) {
    constexpr std::size_t longest = 35;  // MPI_MAX_INFO_KEY - 1
    for (const std::string_view name : collective_names) {
        EXPECT_LE(info_key(std::string(name) + "_level_algorithms").size(), longest) << name;
    }
}

TEST(InfoKeys, ValuesHoldAboveParameters) {
    SettingsText text;
    text.window = "7";
    bcast(text).algorithm = "forward";
    const Own own = with({{"strata_window", "9"},
                          {"strata_bcast_algorithm", "tree"},
                          {"ompi_comm_coll_strata_hierarchy", "node"},
                          {"strata_reproducible", "1"},
                          {"strata_disable", "barrier"},
                          {"strata_verbose", "3"}},
                         base(text));
    EXPECT_TRUE(own.errors.empty()) << own.errors.front();
    EXPECT_EQ(own.settings.window, 9);
    EXPECT_EQ(own.settings.of(Collective::reduce).window, 9);
    EXPECT_EQ(own.settings.of(Collective::bcast).engine, Engine::tree);
    EXPECT_EQ(own.settings.of(Collective::bcast).engine_source.origin, Origin::info_key);
    EXPECT_TRUE(own.settings.hierarchy);
    EXPECT_TRUE(own.settings.reproducible);
    EXPECT_FALSE(own.settings.enabled(Collective::barrier));
    EXPECT_TRUE(own.settings.enabled(Collective::bcast));
    EXPECT_EQ(own.settings.verbose, 3);
}

TEST(InfoKeys, WhatIsNotSaidStaysAsParametersSay) {
    SettingsText text;
    text.window = "7";
    text.disable = "gather";
    bcast(text) = {"tree", "node=chain:2,cluster=linear", "1k"};
    const Own own = with(
        {{"strata_bcast_level_algorithms", "cluster=pipeline"}, {"strata_disable", "reduce"}}, base(text));
    EXPECT_EQ(own.settings.window, 7);
    EXPECT_FALSE(own.settings.enabled(Collective::gather));
    EXPECT_FALSE(own.settings.enabled(Collective::reduce));
    const auto& overrides = own.settings.of(Collective::bcast);
    EXPECT_EQ(overrides.engine, Engine::tree);
    EXPECT_EQ(overrides.engine_source.origin, Origin::parameter);
    ASSERT_EQ(overrides.methods.size(), 3U);  // the first that fits a level holds
    EXPECT_EQ(overrides.methods[0].method.algorithm, Algorithm::pipeline);
    EXPECT_EQ(overrides.methods[0].source.origin, Origin::info_key);
    EXPECT_EQ(overrides.methods[1].method.algorithm, Algorithm::chain);
    EXPECT_EQ(overrides.methods[1].source.origin, Origin::parameter);
    ASSERT_EQ(overrides.segments.size(), 1U);
    EXPECT_EQ(overrides.segments[0].source.origin, Origin::parameter);
}

TEST(InfoKeys, AParameterThatContradictsIsLeftOut) {
    SettingsText text;
    bcast(text) = {"tree", "node=chain", ""};
    const Own own = with({{"strata_bcast_level_algorithms", "node=sm"}}, base(text));
    EXPECT_TRUE(own.errors.empty());
    const auto& overrides = own.settings.of(Collective::bcast);
    EXPECT_EQ(overrides.engine, Engine::automatic);
    EXPECT_EQ(overrides.methods.front().method.component, "sm");
    EXPECT_TRUE(strata::algorithms::check(overrides, Collective::bcast).empty());
}

TEST(InfoKeys, AutoTakesAParameterBack) {
    SettingsText text;
    bcast(text).algorithm = "forward";
    EXPECT_EQ(with({{"strata_bcast_algorithm", "auto"}}, base(text)).settings.of(Collective::bcast).engine,
              Engine::automatic);
}

TEST(InfoKeys, BadValuesAreNamedAndIgnored) {
    SettingsText text;
    text.window = "7";
    bcast(text).algorithm = "tree";
    const Own own =
        with({{"ompi_comm_coll_strata_window", "0"}, {"strata_bcast_algorithm", "twig"}}, base(text));
    ASSERT_EQ(own.errors.size(), 2U);
    EXPECT_NE(own.errors[0].find("ompi_comm_coll_strata_window = '0': must be"), std::string::npos);
    EXPECT_NE(own.errors[1].find("strata_bcast_algorithm = 'twig': unknown engine; known: auto"),
              std::string::npos);
    EXPECT_EQ(own.settings.window, 7);
    EXPECT_EQ(own.settings.of(Collective::bcast).engine, Engine::tree);
}

TEST(InfoKeys, KeysThatCannotBeAreExplained) {
    const Own own = with({{"strata_foo", "1"}, {"strata_network", "none"}});
    ASSERT_EQ(own.errors.size(), 2U);
    EXPECT_NE(own.errors[0].find("known: strata_disable, strata_hierarchy"), std::string::npos);
    EXPECT_NE(own.errors[1].find("coll_strata_network"), std::string::npos);
}

TEST(InfoKeys, TwoSpellingsMustNotContradict) {
    EXPECT_TRUE(with({{"strata_window", "3"}, {"ompi_comm_coll_strata_window", "3"}}).errors.empty());
    const Own own = with({{"strata_window", "3"}, {"ompi_comm_coll_strata_window", "5"}});
    ASSERT_EQ(own.errors.size(), 1U);
    EXPECT_NE(own.errors[0].find("contradicts strata_window = '3'"), std::string::npos);
    EXPECT_EQ(own.settings.window, 3);
}

TEST(InfoKeys, HashTellsWhatChangesMessages) {
    const auto hash = [](const std::vector<InfoKey>& keys) { return with(keys).own.hash; };
    EXPECT_EQ(hash({}), 0U);
    EXPECT_EQ(hash({{"strata_verbose", "1"}}), 0U);
    const auto usual = hash({{"strata_window", "8"}, {"strata_reproducible", "1"}});
    EXPECT_NE(usual, 0U);
    EXPECT_EQ(usual, hash({{"ompi_comm_coll_strata_reproducible", "1"}, {"strata_window", "8"}}));
    EXPECT_NE(usual, hash({{"strata_window", "9"}, {"strata_reproducible", "1"}}));
    EXPECT_NE(usual, hash({{"strata_window", "8"}}));
    EXPECT_NE(usual, hash({{"strata_window", "8"}, {"strata_reproducible", "1"}, {"strata_foo", "1"}}));
}

}  // namespace
