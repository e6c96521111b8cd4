// From a file's rules to plans: precedence, ranges, first match, sources; and random files.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "algorithms/config/rules.h"
#include "algorithms/planning/make_plan.h"
#include "plans.h"

namespace rules_plan_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::FileError;

Rules rules_of(const std::string& list) {
    return parse_rules("{\"version\": 1, \"rules\": [\n" + list + "]}", "r.json");
}

Operation operation_of(Collective collective, std::size_t bytes) {
    Operation operation;
    operation.collective = collective;
    operation.bytes = bytes;
    return operation;
}

Resolved resolved(const Rules& rules, const Hierarchy& hierarchy, const Operation& operation,
                  const Overrides& stronger = {}) {
    return resolve(stronger, rules_for(rules, operation.collective, hierarchy.ranks()), hierarchy, operation);
}

Engine engine_for(const Rules& rules, const Operation& operation, int ranks = 8) {
    return resolved(rules, nodes_below_switch(2, ranks / 2), operation).overrides.engine;
}

constexpr Source line(int number) { return {Origin::rules_file, number}; }
constexpr Source parameter{Origin::parameter, 0};
constexpr Source info_key{Origin::info_key, 0};
constexpr Source built_in{};

TEST(RulesHold, WithoutAnyNothingChanges) {
    const Overrides stronger = overriding(Engine::tree, "node=binomial", "60k");
    const auto [overrides, ignored_values] =
        resolved({}, nodes_below_switch(2, 4), operation_of(Collective::bcast, 4096), stronger);
    EXPECT_EQ(overrides.engine, Engine::tree);
    EXPECT_EQ(overrides.methods.size(), 1U);
    EXPECT_EQ(overrides.segments.size(), 1U);
    EXPECT_TRUE(ignored_values.empty());
}

TEST(RulesHold, ForTheirBytesExactly) {
    const Rules rules = rules_of(R"({"bytes": {"from": 100, "below": "1k"}, "engine": "tree"},
                                    {"bytes": {"from": 1000}, "engine": "forward"})");
    const auto engine = [&](std::size_t bytes) {
        return engine_for(rules, operation_of(Collective::bcast, bytes));
    };
    EXPECT_EQ(engine(99), Engine::automatic);
    EXPECT_EQ(engine(100), Engine::tree);
    EXPECT_EQ(engine(1023), Engine::tree) << "the first that fits";
    EXPECT_EQ(engine(1024), Engine::forward);
    EXPECT_EQ(engine(std::size_t{1} << 40), Engine::forward);
    EXPECT_EQ(byte_bounds(rules_for(rules, Collective::bcast, 8)),
              (std::vector<std::size_t>{100, 1000, 1024}));
    EXPECT_TRUE(byte_bounds(rules_for(rules, Collective::barrier, 8)).empty());
}

TEST(RulesHold, ForTheirRanksExactly) {
    const Rules rules = rules_of(R"({"ranks": {"from": 8, "below": 16}, "engine": "tree"})");
    const Operation operation = operation_of(Collective::bcast, 1);
    EXPECT_EQ(engine_for(rules, operation, 6), Engine::automatic);
    EXPECT_EQ(engine_for(rules, operation, 8), Engine::tree);
    EXPECT_EQ(engine_for(rules, operation, 14), Engine::tree);
    EXPECT_EQ(engine_for(rules, operation, 16), Engine::automatic);
}

TEST(RulesHold, ForTheirCollectives) {
    const Rules rules = rules_of(R"({"collective": ["bcast", "barrier"], "engine": "tree"})");
    EXPECT_EQ(engine_for(rules, operation_of(Collective::bcast, 1)), Engine::tree);
    EXPECT_EQ(engine_for(rules, operation_of(Collective::barrier, 0)), Engine::tree);
    EXPECT_EQ(engine_for(rules, operation_of(Collective::reduce, 1)), Engine::automatic);
}

TEST(RulesHold, OnHierarchiesThatHaveAllTheirLevels) {
    const Rules rules = rules_of(R"({"engine": "tree", "levels": [{"algorithm": "chain"}], "hierarchy": [
        {"level": "switch0", "group": {"from": 2, "below": 3}}, {"level": "node", "group": {"from": 4, "below": 5}}]},
        {"engine": "forward", "hierarchy": [{"level": "numa"}]})");
    const Operation operation = operation_of(Collective::bcast, mib);
    for (const auto& [nodes, per_node] :
         {std::pair{2, 4}, std::pair{4, 2}, std::pair{2, 5}, std::pair{3, 4}}) {
        const Overrides overrides = resolved(rules, nodes_below_switch(nodes, per_node), operation).overrides;
        const bool fits = nodes == 2 && per_node == 4;
        EXPECT_EQ(overrides.engine, fits ? Engine::tree : Engine::automatic);
        EXPECT_EQ(overrides.methods.empty(), !fits);
    }
}

TEST(RulesHold, ByGroupSizeOfEachLevel) {
    const Rules rules = rules_of(R"({"engine": "tree", "levels": [
        {"group": {"below": 3}, "algorithm": "linear"},
        {"level": "node", "group": {"from": 3, "below": 6}, "algorithm": "binary", "segment": 1000},
        {"algorithm": "knomial:4", "segment": "2k"}]})");
    const Operation operation = operation_of(Collective::bcast, mib);
    for (const auto& [per_node, wanted] :
         {std::pair{2, Algorithm::linear}, std::pair{3, Algorithm::binary}, std::pair{5, Algorithm::binary},
          std::pair{6, Algorithm::knomial}}) {
        const Hierarchy hierarchy = nodes_below_switch(2, per_node);
        const Overrides overrides = resolved(rules, hierarchy, operation).overrides;
        const Plan plan = make_plan(hierarchy, round_links(), overrides, operation);
        EXPECT_EQ(plan.at(leaf_switch), (LevelPlan{leaf_switch, {Algorithm::linear, 0, {}}, 2048}));
        EXPECT_EQ(plan.at(node_level).method.algorithm, wanted);
        EXPECT_EQ(plan.at(node_level).segment_bytes, wanted == Algorithm::binary ? 1000U : 2048U);
    }
}

TEST(RulesHold, TheFirstForEachValue) {
    const Rules rules = rules_of(R"({"collective": "bcast", "levels": [{"level": "node", "segment": 1000}]},
        {"engine": "auto"},
        {"engine": "tree", "levels": [{"level": "node", "algorithm": "auto", "segment": 3000}]},
        {"levels": [{"algorithm": "binary"}]})");
    const auto [overrides, ignored_values] =
        resolved(rules, nodes_below_switch(3, 4), operation_of(Collective::bcast, mib));
    EXPECT_EQ(overrides.engine, Engine::automatic) << "auto hides what follows";
    ASSERT_EQ(overrides.methods.size(), 2U);
    EXPECT_TRUE(overrides.methods[0].holds_for(node_level));
    EXPECT_EQ(overrides.methods[0].method.algorithm, Algorithm::automatic);
    EXPECT_TRUE(overrides.methods[1].holds_for(leaf_switch));
    EXPECT_EQ(overrides.methods[1].source, line(5));
    ASSERT_EQ(overrides.segments.size(), 1U);
    EXPECT_EQ(overrides.segments[0].bytes, 1000U);
    EXPECT_TRUE(ignored_values.empty());
}

TEST(RulesHold, BelowParametersAndInfoKeys) {
    const Rules rules = rules_of(R"({"engine": "forward", "levels": [
        {"algorithm": "linear", "segment": 1000}]})");
    const Hierarchy hierarchy = sites_of_nodes(2, 3, 4);
    const Operation operation = operation_of(Collective::bcast, mib);
    Overrides stronger = overriding(Engine::tree, "switch1=pipeline,node=auto", "node=2000");
    stronger.segments[0].source = info_key;
    const auto [overrides, ignored_values] = resolved(rules, hierarchy, operation, stronger);
    const Plan plan = make_plan(hierarchy, round_links(), overrides, operation);
    EXPECT_EQ(plan.engine, Engine::tree);
    EXPECT_EQ(plan.engine_source, parameter);
    EXPECT_EQ(plan.at(top_switch), (LevelPlan{top_switch, {Algorithm::pipeline, 0, {}}, 1000}));
    EXPECT_EQ(plan.at(leaf_switch), (LevelPlan{leaf_switch, {Algorithm::linear, 0, {}}, 1000}));
    EXPECT_EQ(plan.at(node_level).segment_bytes, 2000U);
    ASSERT_EQ(plan.sources.size(), 3U);
    EXPECT_EQ(plan.sources[0], (LevelSources{parameter, line(3)}));
    EXPECT_EQ(plan.sources[1], (LevelSources{line(3), line(3)}));
    EXPECT_EQ(plan.sources[2], (LevelSources{built_in, info_key})) << "auto: the model's own shape";
    EXPECT_TRUE(ignored_values.empty());
}

TEST(RulesHold, OneSegmentOfAReductionIsTheTopmostLevels) {
    const Rules rules = rules_of(R"({"engine": "tree", "levels": [
        {"level": "switch1", "segment": 5000},
        {"level": "node", "segment": 1000}]})");
    const Hierarchy hierarchy = sites_of_nodes(2, 3, 4);
    const Operation operation = operation_of(Collective::reduce, mib);
    const Plan plan =
        make_plan(hierarchy, round_links(), resolved(rules, hierarchy, operation).overrides, operation);
    for (std::size_t l = 0; l < 3; ++l) {
        EXPECT_EQ(plan.levels[l].segment_bytes, 5000U);
        EXPECT_EQ(plan.sources[l].segment, line(3));
    }
}

TEST(RulesHold, ContradictingRulesAreIgnored) {
    const Hierarchy hierarchy = nodes_below_switch(3, 4);
    const Operation operation = operation_of(Collective::bcast, mib);
    const Rules method = rules_of(
        R"({"collective": "bcast", "levels": [{"level": "node", "algorithm": "scatter_allgather"}]})");
    const Resolved by_tree = resolved(method, hierarchy, operation, overriding(Engine::tree));
    EXPECT_TRUE(by_tree.overrides.methods.empty()) << "the parameter's engine has no such method";
    ASSERT_EQ(by_tree.ignored_values.size(), 1U);
    EXPECT_TRUE(
        by_tree.ignored_values[0].starts_with("2: 'node=scatter_allgather' needs the engine 'levels'"))
        << by_tree.ignored_values[0];
    const Rules engine = rules_of(R"({"engine": "tree"})");
    const Resolved by_levels =
        resolved(engine, hierarchy, operation, overriding(Engine::automatic, "node=sm"));
    EXPECT_EQ(by_levels.overrides.engine, Engine::automatic) << "the parameter's method has no such engine";
    EXPECT_EQ(by_levels.ignored_values.size(), 1U);
    EXPECT_EQ(make_plan(hierarchy, round_links(), by_levels.overrides, operation).engine, Engine::levels);
}

TEST(RulesHold, TheEarlierOfTwoThatContradictHolds) {
    const Rules rules = rules_of(R"({"collective": "bcast", "levels": [{"level": "node", "algorithm": "sm"}]},
        {"engine": "tree", "levels": [{"algorithm": "linear"}]},
        {"engine": "levels"})");
    const Hierarchy hierarchy = nodes_below_switch(3, 4);
    const Operation operation = operation_of(Collective::bcast, mib);
    const Resolved both = resolved(rules, hierarchy, operation);
    EXPECT_EQ(both.overrides.engine, Engine::levels) << "the next engine that fits";
    EXPECT_EQ(both.overrides.engine_source, line(4));
    EXPECT_EQ(both.overrides.methods.size(), 2U);
    ASSERT_EQ(both.ignored_values.size(), 1U);
    EXPECT_TRUE(both.ignored_values[0].starts_with("3: 'node=sm' needs the engine 'levels'"))
        << both.ignored_values[0];
}

TEST(RulesHold, ReproducibleReductionsDoNotFollowTheSize) {
    const Rules rules = rules_of(R"({"bytes": {"below": 100}, "engine": "forward"},
        {"bytes": {"from": 0}, "levels": [{"algorithm": "linear"}]})");
    const Hierarchy hierarchy = nodes_below_switch(3, 4);
    Operation operation = operation_of(Collective::reduce, 50);
    EXPECT_EQ(resolved(rules, hierarchy, operation).overrides.engine, Engine::forward);
    operation.reproducible = true;
    const Overrides overrides = resolved(rules, hierarchy, operation).overrides;
    EXPECT_EQ(overrides.engine, Engine::automatic);
    EXPECT_EQ(overrides.methods.size(), 2U) << "for all sizes alike";
    operation.collective = Collective::bcast;
    EXPECT_EQ(resolved(rules, hierarchy, operation).overrides.engine, Engine::forward);
}

TEST(RulesHold, LinksAreSetValueByValueTheFirstFirst) {
    LinkTable links;
    const LinkParameters before = links.at(leaf_switch);
    links.set({LevelKind::node, std::nullopt}, {9, 9, 9, 9});
    const Rules rules = parse_rules(R"({"version": 1, "links": [
        {"level": "switch1", "latency_us": 2000},
        {"level": "switch", "latency_us": 7, "eager_bytes": "1k"}, {"level": "switch0", "latency_us": 8},
        {"level": "switch", "far_share": 0.5}, {"level": "node", "parallel": 3},
        {"level": "switch1", "gap_us": 0}]})",
                                    "r.json");
    set_links(links, rules.links);
    EXPECT_EQ(links.at(top_switch).latency_us, 2000);
    EXPECT_EQ(links.at(top_switch).eager_bytes, 1024U);
    EXPECT_EQ(links.at(leaf_switch).latency_us, 7);
    EXPECT_EQ(links.at(leaf_switch).bytes_per_us, before.bytes_per_us);
    EXPECT_EQ(links.at(leaf_switch).far_share, 0.5);
    EXPECT_EQ(links.at(node_level).far_share, before.far_share);
    EXPECT_EQ(links.at(node_level).latency_us, 9);
    EXPECT_EQ(links.at(node_level).parallel, 3);
    EXPECT_EQ(links.at(top_switch).gap_us, 0);
    EXPECT_EQ(links.at(leaf_switch).gap_us, std::nullopt);
}

/// Random words and files; mt19937's numbers are the same everywhere, its distributions are not.
class Random {
public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}
    std::size_t below(std::size_t limit) { return engine_() % limit; }
    bool chance(std::size_t percent) { return below(100) < percent; }
    template <class List>
    std::string any(const List& list) {
        return std::string(list[below(list.size())]);
    }
    std::string range() {
        const std::size_t from = below(40);
        return "{\"from\": " + std::to_string(from) + ", \"below\": " + std::to_string(from + 1 + below(40)) +
               "}";
    }
    std::string level() {
        static const std::vector<std::string> levels{"cluster", "switch", "switch0",
                                                     "switch1", "node",   "numa"};
        std::string text = "{\"segment\": " + std::to_string(below(3) * 1000);
        if (chance(80)) text += ", \"level\": \"" + any(levels) + "\"";
        if (chance(40)) text += ", \"group\": " + range();
        if (chance(70)) {
            const auto& algorithm = all_algorithms()[below(all_algorithms().size())];
            text += ", \"algorithm\": \"" + std::string(chance(90) ? algorithm.name : "sm") + "\"";
        }
        return text + "}";
    }
    std::string rule() {
        std::string text = "{\"collective\": \"" + any(collective_names) + "\"";
        if (chance(50)) text += ", \"bytes\": " + range();
        if (chance(30)) text += ", \"ranks\": " + range();
        if (chance(20)) text += ", \"hierarchy\": [{\"level\": \"node\", \"group\": " + range() + "}]";
        if (chance(60))
            text +=
                ", \"engine\": \"" + std::string(name_of(all_engines()[below(all_engines().size())])) + "\"";
        text += ", \"levels\": [" + level();
        while (chance(50)) text += ", " + level();
        return text + "]}";
    }

private:
    std::mt19937 engine_;
};

TEST(RulesProperty, AnyRulesGiveOnePlan) {
    Random random(1);
    int understood = 0;
    int from_rules = 0;
    const std::vector<Hierarchy> hierarchies{sites_of_nodes(2, 3, 4), nodes_below_switch(3, 5), one_node(6)};
    const char* const stronger_methods[] = {"", "", "node=binomial", "switch=tuned"};
    for (int i = 0; i < 3000; ++i) {
        std::string list;
        for (int r = 0; r < 6; ++r) {
            const std::string rule = random.rule();
            try {
                rules_of(rule);
            } catch (const FileError&) {
                continue;
            }
            ++understood;
            list += (list.empty() ? "" : ",\n") + rule;
        }
        const Rules rules = rules_of(list);
        const Hierarchy& hierarchy = hierarchies[random.below(hierarchies.size())];
        for (int op = 0; op < collective_count; ++op) {
            Operation operation = operation_of(static_cast<Collective>(op), random.below(60));
            operation.reproducible = random.chance(20);
            operation.rails = random.chance(50) ? 2 : 1;
            if (!traits_of(operation.collective).sized || operation.collective == Collective::barrier) {
                operation.bytes = 0;
            }
            const Overrides stronger = overriding(random.chance(80) ? Engine::automatic : Engine::tree,
                                                  stronger_methods[random.below(3)]);
            const Resolved once = resolved(rules, hierarchy, operation, stronger);
            ASSERT_EQ(check(once.overrides, operation.collective), "") << list;
            const Plan plan = make_plan(hierarchy, round_links(), once.overrides, operation);
            ASSERT_EQ(plan.sources.size(), plan.levels.size()) << list;
            ASSERT_TRUE(
                same(plan, make_plan(hierarchy, round_links(),
                                     resolved(rules, hierarchy, operation, stronger).overrides, operation)));
            for (const LevelSources& source : plan.sources) {
                from_rules += source.segment.origin == Origin::rules_file ? 1 : 0;
            }
        }
    }
    EXPECT_GT(understood, 3000) << "most rules must mean something";
    EXPECT_GT(from_rules, 1000);
}

TEST(RulesProperty, BetweenTwoBoundsTheRulesAreTheSame) {
    Random random(2);
    for (int i = 0; i < 300; ++i) {
        std::string list = random.rule();
        for (int r = 0; r < 5; ++r) list += ",\n" + random.rule();
        Rules rules;
        try {
            rules = rules_of(list);
        } catch (const FileError&) {
            continue;
        }
        const Hierarchy hierarchy = sites_of_nodes(2, 2, 3);
        const auto bounds = byte_bounds(rules_for(rules, Collective::bcast, hierarchy.ranks()));
        std::size_t next = 0;
        std::size_t representative = 0;
        for (std::size_t bytes = 0; bytes < 90; ++bytes) {
            if (next < bounds.size() && bytes == bounds[next]) representative = bounds[next++];
            const auto one = resolved(rules, hierarchy, operation_of(Collective::bcast, bytes)).overrides;
            const auto other =
                resolved(rules, hierarchy, operation_of(Collective::bcast, representative)).overrides;
            ASSERT_EQ(one.engine, other.engine) << list;
            ASSERT_EQ(one.methods.size(), other.methods.size()) << list;
            for (std::size_t m = 0; m < one.methods.size(); ++m) {
                ASSERT_EQ(one.methods[m].source, other.methods[m].source) << list;
            }
        }
    }
}

TEST(RulesProperty, AnyBytesAreUnderstoodOrRefusedWithTheirLine) {
    const std::string good = R"({"version": 1, "comment": "x",
 "links": [{"level": "switch1", "latency_us": 2e3, "eager_bytes": "64k"}],
 "rules": [{"collective": ["bcast", "reduce"], "bytes": {"from": "4k", "below": 65536},
   "engine": "tree", "levels": [{"level": "node", "group": {"from": 3}, "algorithm": "chain:2", "segment": 0}]},
  {"ranks": {"below": 9}, "engine": "forward"}]}
)";
    ASSERT_NO_THROW(parse_rules(good, "r.json"));
    Random random(3);
    int refused = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text = good;
        for (std::size_t n = 1 + random.below(4); n > 0; --n) {
            const std::size_t at = random.below(text.size());
            switch (random.below(4)) {
                case 0: text[at] = static_cast<char>(random.below(256)); break;
                case 1: text.erase(at, 1 + random.below(9)); break;
                case 2: text.insert(at, text.substr(random.below(text.size()), random.below(30))); break;
                default: std::swap(text[at], text[random.below(text.size())]); break;
            }
        }
        const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
        try {
            parse_rules(text, "r.json");
        } catch (const FileError& error) {
            ++refused;
            const std::string what = error.what();
            ASSERT_EQ(what.find('\n'), std::string::npos) << text;
            ASSERT_TRUE(what.starts_with("r.json:")) << what;
            const int number = std::stoi(what.substr(7));
            ASSERT_TRUE(number >= 1 && number <= lines) << what << "\n" << text;
            ASSERT_LT(what.size(), 700U) << what;
        }
    }
    EXPECT_GT(refused, 15000);
    EXPECT_LT(refused, 20000) << "some changes do no harm";
}

}  // namespace
}  // namespace rules_plan_test
