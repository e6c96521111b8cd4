// Every parameter with good and bad values, and the hash by which processes compare their parameters.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "settings_text.h"

namespace {

using namespace strata::component;
using namespace strata::testing;
namespace algorithms = strata::algorithms;
namespace topology = strata::topology;

constexpr const char* two_switches = "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\n";

TEST(Settings, DefaultsAreUnderstood) {
    const auto [settings, errors] = parse({});
    EXPECT_TRUE(errors.empty());
    EXPECT_EQ(settings.priority, 40);
    EXPECT_EQ(settings.verbose, 0);
    EXPECT_EQ(settings.window, 0);
    EXPECT_FALSE(settings.hierarchy);
    EXPECT_FALSE(settings.network);
    EXPECT_FALSE(settings.machine);
    EXPECT_TRUE(settings.placement.empty());
    EXPECT_TRUE(settings.dump.empty());
    EXPECT_TRUE(settings.enabled(Collective::bcast));
    EXPECT_EQ(settings.of(Collective::bcast).engine, algorithms::Engine::automatic);
    EXPECT_TRUE(settings.of(Collective::bcast).methods.empty());
    EXPECT_TRUE(settings.of(Collective::bcast).segments.empty());
}

TEST(Settings, GoodValuesAreTaken) {
    const File network("network.conf", two_switches);
    const auto [settings, errors] = parse(with([&](SettingsText& text) {
        text.priority = "-1";
        text.verbose = "3";
        text.window = "1024";
        text.hierarchy = "Switch0, node,numa";
        text.network = "file:" + network.path;
        text.topology = "synthetic:package:2 core:4";
        text.placement = "0;4@n1;all@n2";
        text.disable = "bcast";
        text.dump = "picture.svg";
        bcast(text) = {"levels", "switch=chain:2,node=tuned", "switch=60k,8192"};
    }));
    EXPECT_TRUE(errors.empty()) << errors.front();
    EXPECT_EQ(settings.priority, -1);
    EXPECT_EQ(settings.verbose, 3);
    EXPECT_EQ(settings.window, 1024);
    ASSERT_TRUE(settings.hierarchy);
    ASSERT_EQ(settings.hierarchy->levels.size(), 3U);
    EXPECT_EQ(settings.hierarchy->levels[0].items[0].level->kind, topology::LevelKind::switch_);
    EXPECT_EQ(settings.hierarchy->levels[2].items[0].level->kind, topology::LevelKind::numa);
    ASSERT_TRUE(settings.network);
    EXPECT_EQ(settings.network->switch_count(), 2U);
    EXPECT_TRUE(settings.machine);
    EXPECT_EQ(settings.placement.size(), 3U);
    EXPECT_FALSE(settings.enabled(Collective::bcast));
    EXPECT_EQ(settings.dump, "picture.svg");
    const auto& overrides = settings.of(Collective::bcast);
    EXPECT_EQ(overrides.engine, algorithms::Engine::levels);
    ASSERT_EQ(overrides.methods.size(), 2U);
    EXPECT_EQ(overrides.methods[1].method.component, "tuned");
    EXPECT_EQ(overrides.segments.size(), 2U);
}

TEST(Settings, EmptyAndNoneMeanNoNetwork) {
    for (const char* word : {"", "auto", "none"}) {
        const auto [settings, errors] = parse(with([&](SettingsText& text) { text.network = word; }));
        EXPECT_TRUE(errors.empty()) << word;
        EXPECT_FALSE(settings.network) << word;
    }
}

/// A bad value of one parameter: the message must name the parameter, the value and the allowed values.
struct Bad {
    std::string name;
    std::string value;
    std::vector<std::string> allowed;
    std::function<std::string&(SettingsText&)> member;
};

std::vector<Bad> bad_values() {
    const auto priority = [](SettingsText& text) -> std::string& { return text.priority; };
    const auto verbose = [](SettingsText& text) -> std::string& { return text.verbose; };
    const auto window = [](SettingsText& text) -> std::string& { return text.window; };
    const auto hierarchy = [](SettingsText& text) -> std::string& { return text.hierarchy; };
    const auto network = [](SettingsText& text) -> std::string& { return text.network; };
    const auto topology_of = [](SettingsText& text) -> std::string& { return text.topology; };
    const auto placement = [](SettingsText& text) -> std::string& { return text.placement; };
    const auto disable = [](SettingsText& text) -> std::string& { return text.disable; };
    const auto algorithm = [](SettingsText& text) -> std::string& { return bcast(text).algorithm; };
    const auto methods = [](SettingsText& text) -> std::string& { return bcast(text).level_algorithms; };
    const auto segsize = [](SettingsText& text) -> std::string& { return bcast(text).segsize; };
    const std::vector<std::string> from_one = {"from 1 to 1024"};
    const std::vector<std::string> off = {"from -1 to 100", "-1: off"};
    return {
        {"priority", "abc", off, priority},
        {"priority", "", off, priority},
        {"priority", "101", off, priority},
        {"priority", "-2", off, priority},
        {"priority", "40 ", off, priority},
        {"priority", "99999999999999999999", off, priority},
        {"verbose", "yes", {"from 0 to 100"}, verbose},
        {"window", "0", from_one, window},
        {"window", "1025", from_one, window},
        {"window", "4x", from_one, window},
        {"hierarchy", "node,nodde", {"nodde", "known: switch, switch0, node", "l3"}, hierarchy},
        {"hierarchy", "node,,numa", {"a level is missing", "known: switch"}, hierarchy},
        {"network", "somewhere", {"auto, none, file:PATH"}, network},
        {"network", "file:/no/such/file", {"/no/such/file"}, network},
        {"topology", "/no/such/machine.xml", {"/no/such/machine.xml"}, topology_of},
        {"topology", "synthetic:nonsense", {}, topology_of},
        {"placement", "0;1", {"needs coll_strata_topology"}, placement},
        {"disable", "bcast,brodcast", {"brodcast", "known: bcast"}, disable},
        {"bcast_algorithm", "Tree", {"auto, tree, levels, ring, rails, node, forward"}, algorithm},
        {"bcast_algorithm", "", {"auto, tree, levels, ring, rails, node, forward"}, algorithm},
        {"bcast_level_algorithms", "node=no_such", {"no_such", "binomial", "tuned"}, methods},
        {"bcast_level_algorithms", "nowhere=chain", {"nowhere"}, methods},
        {"bcast_level_algorithms", "chain", {"chain"}, methods},
        {"bcast_segsize", "8x", {"8x"}, segsize},
        {"bcast_segsize", "-1", {"-1"}, segsize},
    };
}

TEST(Settings, BadValuesAreNamedAndReplaced) {
    const Settings standard = parse({}).settings;
    for (const Bad& bad : bad_values()) {
        SCOPED_TRACE(bad.name + " = '" + bad.value + "'");
        const auto [settings, errors] =
            parse(with([&](SettingsText& text) { bad.member(text) = bad.value; }));
        ASSERT_EQ(errors.size(), 1U);
        EXPECT_NE(errors[0].find("coll_strata_" + bad.name + " = '" + bad.value + "': "), std::string::npos)
            << errors[0];
        EXPECT_EQ(errors[0].find('\n'), std::string::npos) << errors[0];
        for (const auto& word : bad.allowed) {
            EXPECT_NE(errors[0].find(word), std::string::npos) << errors[0] << "\nlacks: " << word;
        }
        EXPECT_EQ(settings.priority, standard.priority);
        EXPECT_EQ(settings.verbose, standard.verbose);
        EXPECT_EQ(settings.window, standard.window);
        EXPECT_FALSE(settings.hierarchy);
        EXPECT_FALSE(settings.network);
        EXPECT_FALSE(settings.machine);
        EXPECT_TRUE(settings.placement.empty());
        EXPECT_TRUE(settings.enabled(Collective::bcast));
        EXPECT_EQ(settings.of(Collective::bcast).engine, algorithms::Engine::automatic);
        EXPECT_TRUE(settings.of(Collective::bcast).methods.empty());
        EXPECT_TRUE(settings.of(Collective::bcast).segments.empty());
    }
}

TEST(Settings, PlacementOutsideTheMachineIsRefused) {
    const auto [settings, errors] = parse(with([](SettingsText& text) {
        text.topology = "synthetic:package:2 core:4";
        text.placement = "0;8";
    }));
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_NE(errors[0].find("coll_strata_placement = '0;8'"), std::string::npos) << errors[0];
    EXPECT_TRUE(settings.placement.empty());
}

TEST(Settings, BrokenNetworkFileIsNamedWithItsLine) {
    const File network("broken.conf", "SwitchName=s0 Nodes=n0\nSwichName=s1 Nodes=n1\n");
    const auto errors =
        parse(with([&](SettingsText& text) { text.network = "file:" + network.path; })).errors;
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_NE(errors[0].find(network.path + ":2:"), std::string::npos) << errors[0];
}

TEST(Settings, TreeWithAnAlgorithmThatIsNoTreeIsAConflict) {
    const auto [settings, errors] = parse(with([](SettingsText& text) {
        bcast(text) = {"tree", "node=scatter_allgather", ""};
    }));
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_NE(errors[0].find("coll_strata_bcast_level_algorithms"), std::string::npos) << errors[0];
    EXPECT_EQ(settings.of(Collective::bcast).engine, algorithms::Engine::tree);
    EXPECT_TRUE(settings.of(Collective::bcast).methods.empty());
}

TEST(Settings, OneErrorDoesNotHideOthers) {
    const auto [settings, errors] = parse(with([](SettingsText& text) {
        text.window = "0";
        text.priority = "60";
        bcast(text).algorithm = "tre";
        bcast(text).segsize = "4k";
    }));
    EXPECT_EQ(errors.size(), 2U);
    EXPECT_EQ(settings.priority, 60);
    EXPECT_EQ(settings.of(Collective::bcast).segments.size(), 1U);
}

constexpr const char* good_rules = R"({"version": 1,
 "links": [{"level": "node", "latency_us": 3}],
 "rules": [{"collective": "bcast", "engine": "tree"}]})";

TEST(Settings, ARulesFileIsTaken) {
    const File rules("good.json", good_rules);
    const auto [settings, errors] = parse(with([&](SettingsText& text) { text.rules = rules.path; }));
    EXPECT_TRUE(errors.empty());
    ASSERT_EQ(settings.rules.rules.size(), 1U);
    EXPECT_EQ(settings.rules_file, rules.path);
    EXPECT_EQ(settings.links.at({topology::LevelKind::node, 0}).latency_us, 3);
    EXPECT_EQ(settings.of(Collective::bcast).engine, algorithms::Engine::automatic) << "of parameters only";
}

TEST(Settings, ABrokenRulesFileIsLeftOutAsAWhole) {
    const auto errors_and_rules = [](const std::string& path) {
        const auto [settings, errors] = parse(with([&](SettingsText& text) { text.rules = path; }));
        EXPECT_TRUE(settings.rules.rules.empty() && settings.rules.links.empty());
        EXPECT_TRUE(settings.rules_file.empty());
        EXPECT_NE(settings.links.at({topology::LevelKind::node, 0}).latency_us, 3);
        return errors;
    };
    const File broken("broken.json", R"({"version": 1,
 "links": [{"level": "node", "latency_us": 3}],
 "rules": [{"collective": "bcast", "engine": "tree"},
           {"collective": "bcast", "engine": "tre"}]})");
    EXPECT_EQ(
        errors_and_rules(broken.path),
        (std::vector<std::string>{"coll_strata_rules: " + broken.path +
                                  ":4: unknown engine 'tre'; known: " + algorithms::known_engine_names()}));
    EXPECT_EQ(errors_and_rules("/no/such/file"),
              (std::vector<std::string>{
                  "coll_strata_rules: /no/such/file: cannot be opened: No such file or directory"}));
    EXPECT_EQ(errors_and_rules("/"), (std::vector<std::string>{"coll_strata_rules: /: is a directory"}));
    const File component("component.json",
                         R"({"version": 1, "rules": [{"levels": [{"algorithm": "xhc"}]}]})");
    ASSERT_EQ(errors_and_rules(component.path).size(), 1U);
    EXPECT_NE(errors_and_rules(component.path)[0].find("known components: basic, sm, tuned"),
              std::string::npos);
    EXPECT_EQ(errors_and_rules("/dev/zero"),
              (std::vector<std::string>{"coll_strata_rules: /dev/zero: is a device"}));
}

std::uint64_t hash(const SettingsText& text, const Surroundings& surroundings = {}) {
    const auto [settings, errors] = parse(text);
    return agreement_hash(text, settings, errors, surroundings);
}

TEST(AgreementHash, EqualInputsAgree) {
    EXPECT_EQ(hash({}), hash({}));
    const auto change = [](SettingsText& text) { bcast(text).segsize = "4k"; };
    EXPECT_EQ(hash(with(change)), hash(with(change)));
    EXPECT_EQ(hash({}, {1, 2, 3}), hash({}, {1, 2, 3}));
}

TEST(AgreementHash, EveryDifferenceShows) {
    const File first("first.conf", two_switches);
    const File second("second.conf", "SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n[1-3]\n");
    const File rules("first.json", good_rules);
    const File other_rules("second.json", std::string(good_rules) + "\n");
    const std::vector<std::function<void(SettingsText&)>> changes = {
        [](SettingsText&) {},
        [&](SettingsText& text) { text.rules = rules.path; },
        [&](SettingsText& text) { text.rules = other_rules.path; },
        [](SettingsText& text) { text.rules = "/no/such/file"; },
        [](SettingsText& text) { text.priority = "41"; },
        [](SettingsText& text) { text.priority = "none"; },
        [](SettingsText& text) { text.window = "5"; },
        [](SettingsText& text) { text.window = "0"; },
        [](SettingsText& text) { text.hierarchy = "node"; },
        [](SettingsText& text) { text.hierarchy = "4"; },
        [](SettingsText& text) { text.disable = "bcast"; },
        [&](SettingsText& text) { text.network = "file:" + first.path; },
        [&](SettingsText& text) { text.network = "file:" + second.path; },
        [](SettingsText& text) { text.network = "file:/no/such/file"; },
        [](SettingsText& text) { bcast(text).algorithm = "tree"; },
        [](SettingsText& text) { bcast(text).algorithm = "levels"; },
        [](SettingsText& text) { bcast(text).level_algorithms = "node=chain"; },
        [](SettingsText& text) { bcast(text).level_algorithms = "node=chain:2"; },
        [](SettingsText& text) { bcast(text).segsize = "4k"; },
        [](SettingsText& text) { bcast(text).segsize = "node=4k"; },
        [](SettingsText& text) { text.placement = "0;1"; },
        [](SettingsText& text) { text.setup_after = "9"; },
        [](SettingsText& text) { text.shared_memory = "0"; },
        [](SettingsText& text) { text.check_plans = "1"; },
    };
    std::set<std::uint64_t> hashes;
    for (const auto& change : changes) {
        hashes.insert(hash(with(change)));
    }
    for (const Surroundings& other :
         {Surroundings{1, 0, 0}, Surroundings{0, 1, 0}, Surroundings{0, 0, 1}, Surroundings{0, 0, 0, true},
          Surroundings{0, 0, 0, false, true}, Surroundings{0, 0, 0, false, false, true}}) {
        hashes.insert(hash({}, other));
    }
    EXPECT_EQ(hashes.size(), changes.size() + 6);
}

TEST(AgreementHash, WhatOneProcessAloneDecidesDoesNotCount) {
    EXPECT_EQ(hash({}), hash(with([](SettingsText& text) { text.verbose = "1"; })));
    EXPECT_EQ(hash({}), hash(with([](SettingsText& text) { text.stall_report = "5"; })));
    EXPECT_EQ(hash({}), hash(with([](SettingsText& text) { text.dump = "picture.svg"; })));
    // A synthetic topology changes the records that are compared rank by rank.
    EXPECT_EQ(hash({}), hash(with([](SettingsText& text) {
                  text.topology = "synthetic:core:4";
                  text.placement = "0;1";
              })));
}

TEST(ParseSettings, ASyntheticMachineNeedsAPlacement) {
    SettingsText text;
    text.topology = "synthetic:core:4";
    std::vector<std::string> errors;
    EXPECT_FALSE(parse_settings(text, {}, errors).machine.has_value());
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_NE(errors[0].find("needs coll_strata_placement"), std::string::npos) << errors[0];
}

TEST(AgreementHash, NetworkFilesCountByContent) {
    const File first("here.conf", two_switches);
    const File second("there.conf", std::string("# another place\n") + two_switches);
    const auto of = [](const File& file) {
        return hash(with([&](SettingsText& text) { text.network = "file:" + file.path; }));
    };
    EXPECT_EQ(of(first), of(second));
}

TEST(AgreementHash, RulesFilesCountByContent) {
    const File first("here.json", good_rules);
    const File second("there.json", good_rules);
    const auto of = [](const File& file) {
        return hash(with([&](SettingsText& text) { text.rules = file.path; }));
    };
    EXPECT_EQ(of(first), of(second));
}

}  // namespace
