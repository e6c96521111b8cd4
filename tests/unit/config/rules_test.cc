// parse_rules: accepted inputs, and the line and text of every rejection.
#include <gtest/gtest.h>

#include <clocale>
#include <string>

#include "algorithms/config/rules.h"

namespace rules_test {
namespace {

using namespace strata::algorithms;
using strata::topology::FileError;
using strata::topology::LevelKind;
using strata::topology::LevelPattern;

const std::string bcast_only =
    "bcast, reduce, allreduce, allgather, allgatherv, gather, gatherv, scatter, "
    "scatterv, barrier";

Rules parse(const std::string& text) { return parse_rules(text, "r.json", {"sm", "tuned"}); }

std::string refusal(const std::string& text) {
    try {
        parse(text);
    } catch (const FileError& error) {
        return error.what();
    }
    return "accepted";
}

/// A file with one rule, on line 3.
std::string with_rule(const std::string& rule) {
    return "{\"version\": 1,\n \"rules\": [\n" + rule + "\n]}\n";
}
std::string with_link(const std::string& link) {
    return "{\"version\": 1,\n \"links\": [\n" + link + "\n]}\n";
}
/// A rule for one level, on line 3.
std::string with_level(const std::string& level) { return with_rule("{\"levels\": [" + level + "]}"); }

TEST(RulesFile, AllForms) {
    const Rules rules = parse(R"({
  "$schema": "strata-rules.schema.json", "comment": "by hand",
  "version": 1,
  "links": [
    {"level": "switch1", "latency_us": 2000, "overhead_us": 0.5, "mbytes_per_s": 25.5, "eager_bytes": "64k",
     "parallel": 2, "far_share": 0.4, "far_send_share": 0.6, "handshake_us": 3.5, "bus_mbytes_per_s": 80, "offloaded": true, "gap_us": 0.1, "comment": "uplink"},
    {"level": "node", "parallel": 8}
  ],
  "rules": [
    {"collective": "bcast", "bytes": {"from": 8, "below": "4k"}, "engine": "forward"},
    {"collective": ["reduce", "allreduce"], "ranks": {"from": 8, "below": 65}, "engine":
       "levels", "levels": [
      {"level": "switch", "algorithm": "chain:2",
       "segment": "60k"},
      {"level": "node", "group": {"below": 9}, "algorithm": "sm", "comment": "here"},
      {"segment": 8192}
    ]},
    {"comment": "rest", "engine": "auto",
     "hierarchy": [{"level": "switch"}, {"level": "node", "group": {"from": 4, "below": 5}}]}
  ]
})");
    ASSERT_EQ(rules.links.size(), 2U);
    EXPECT_EQ(rules.links[0].level, (LevelPattern{LevelKind::switch_, 1}));
    EXPECT_EQ(rules.links[0].link.latency_us, 2000);
    EXPECT_EQ(rules.links[0].link.overhead_us, 0.5);
    EXPECT_EQ(rules.links[0].link.bytes_per_us, 25.5);
    EXPECT_EQ(rules.links[0].link.eager_bytes, 65536U);
    EXPECT_EQ(rules.links[0].link.parallel, 2);
    EXPECT_EQ(rules.links[0].link.far_share, 0.4);
    EXPECT_EQ(rules.links[0].link.far_send_share, 0.6);
    EXPECT_EQ(rules.links[0].link.handshake_us, 3.5);
    EXPECT_EQ(rules.links[0].link.bus_bytes_per_us, 80);
    EXPECT_EQ(rules.links[0].link.offloaded, true);
    EXPECT_EQ(rules.links[0].link.gap_us, 0.1);
    EXPECT_FALSE(rules.links[1].link.latency_us);
    ASSERT_EQ(rules.rules.size(), 3U);
    EXPECT_TRUE(rules.rules[0].concerns(Collective::bcast));
    EXPECT_FALSE(rules.rules[0].concerns(Collective::reduce));
    EXPECT_EQ(rules.rules[0].bytes.from, 8U);
    EXPECT_EQ(rules.rules[0].bytes.below, 4096U);
    EXPECT_EQ(rules.rules[0].engine, Engine::forward);
    EXPECT_EQ(rules.rules[0].engine_line, 10);
    const Rule& second = rules.rules[1];
    EXPECT_TRUE(second.concerns(Collective::allreduce));
    EXPECT_EQ(second.engine_line, 12) << "the line of the value, not of the rule";
    EXPECT_TRUE(second.ranks.has(8));
    EXPECT_TRUE(second.ranks.has(64));
    EXPECT_FALSE(second.ranks.has(65));
    ASSERT_EQ(second.levels.size(), 3U);
    EXPECT_EQ(second.levels[0].method, (LevelMethod{Algorithm::chain, 2, {}}));
    EXPECT_EQ(second.levels[0].method_line, 13);
    EXPECT_EQ(second.levels[0].segment_bytes, 61440U);
    EXPECT_EQ(second.levels[0].segment_line, 14);
    EXPECT_EQ(second.levels[1].method->component, "sm");
    EXPECT_FALSE(second.levels[1].group.has(9));
    EXPECT_FALSE(second.levels[2].level);
    EXPECT_EQ(second.levels[2].segment_line, 16);
    EXPECT_TRUE(second.hierarchy.empty());
    ASSERT_EQ(rules.rules[2].hierarchy.size(), 2U);
    EXPECT_EQ(rules.rules[2].hierarchy[1].level, (LevelPattern{LevelKind::node, {}}));
    EXPECT_TRUE(rules.rules[2].hierarchy[1].group.has(4));
    EXPECT_FALSE(rules.rules[2].hierarchy[1].group.has(5));
    for (int op = 0; op < collective_count; ++op) {
        EXPECT_TRUE(rules.rules[2].concerns(static_cast<Collective>(op)));
    }
}

TEST(RulesFile, NothingIsARuleToo) {
    EXPECT_EQ(refusal("{\"version\": 1}"), "accepted");
    EXPECT_EQ(refusal("\xef\xbb\xbf{\"version\": 1.0, \"rules\": [], \"links\": []}\r\n"), "accepted");
}

TEST(RulesFile, RulesWithBytesLeaveOutCollectivesWithoutThem) {
    const Rules rules = parse(with_rule(R"({"bytes": {"from": 1}, "engine": "tree"})"));
    EXPECT_TRUE(rules.rules[0].concerns(Collective::gather));
    EXPECT_FALSE(rules.rules[0].concerns(Collective::gatherv));
    EXPECT_FALSE(rules.rules[0].concerns(Collective::scatterv));
    EXPECT_FALSE(rules.rules[0].concerns(Collective::barrier));
    EXPECT_EQ(
        refusal(with_rule(R"({"collective": ["bcast", "barrier"], "bytes": {"from": 1}, "engine": "tree"})")),
        "r.json:3: not all ranks of a barrier know a number of bytes; leave out 'bytes' there");
}

TEST(RulesFile, BrokenSyntaxIsReported) {
    // Messages of nlohmann's library, before and from 3.11.3 on.
    const std::string empty = refusal("");
    EXPECT_TRUE(empty.starts_with("r.json:1: syntax error while parsing value - unexpected end of input") ||
                empty.starts_with("r.json:1: attempting to parse an empty input"))
        << empty;
    EXPECT_EQ(refusal("{\n\n  \"version\": 1,\n}"),
              "r.json:4: syntax error while parsing object key - unexpected '}'; expected string literal");
    EXPECT_EQ(refusal("{\n\"version\": 1\n\"rules\"\n: []}"),
              "r.json:3: syntax error while parsing object - unexpected string literal; expected '}'");
    EXPECT_EQ(refusal("{\n\"version\":\n1\n\n"),
              "r.json:3: syntax error while parsing object - unexpected end of input; expected '}'");
    EXPECT_TRUE(refusal("{\"version\": 1}\n\n}").starts_with("r.json:3: syntax error"))
        << "more after the end";
    EXPECT_TRUE(refusal("{\n\"version\": 1e999}").starts_with("r.json:2: number overflow"));
    EXPECT_TRUE(refusal("{\n\"vers\nion\": 1}").starts_with("r.json:2: syntax error"));
    EXPECT_TRUE(refusal("// words\n{\"version\": 1}").starts_with("r.json:1: syntax error"));
    EXPECT_TRUE(refusal(std::string("{\n\"\xff\"", 5)).starts_with("r.json:2: "));
    EXPECT_TRUE(refusal(std::string("{\n\0}", 4)).starts_with("r.json:2: "));
}

TEST(RulesFile, MessagesAreShortLines) {
    const std::string endless = refusal("{\n\"" + std::string(500000, 'x'));
    EXPECT_TRUE(endless.starts_with("r.json:2: ") && endless.ends_with("...")) << endless.substr(0, 300);
    EXPECT_LT(endless.size(), 300U);
    const std::string word = refusal(with_rule("{\"engine\": \"" + std::string(500000, 'x') + "\"}"));
    EXPECT_TRUE(word.starts_with("r.json:3: unknown word 'xxx")) << word.substr(0, 300);
    EXPECT_LT(word.size(), 300U);
    EXPECT_EQ(refusal(with_rule(R"({"engine": "tr\nee"})")), "r.json:3: unknown word 'tr ee'");
    EXPECT_TRUE(refusal("{\"a\\nb\": 1}").starts_with("r.json:1: unknown key 'a b'"));
}

TEST(RulesFile, LimitsHold) {
    EXPECT_EQ(refusal(std::string(100000, '[')), "r.json:1: is nested too deeply");
    EXPECT_EQ(refusal(std::string(longest_rules_file + 1, ' ')), "r.json: is longer than 1048576 bytes");
    std::string many = "{\"version\": 1, \"rules\": [{\"engine\": \"tree\"}";
    for (std::size_t i = 1; i < most_rules; ++i) many += ",\n{\"engine\": \"tree\"}";
    EXPECT_EQ(refusal(many + "]}"), "accepted");
    EXPECT_EQ(refusal(many + ",{\"engine\": \"tree\"}]}"), "r.json:1: more than 4096 rules");
    std::string values = "[0";
    for (int i = 0; i < 200000; ++i) values += ",0";
    EXPECT_EQ(refusal(values + "]"), "r.json:1: has too many values");
}

TEST(RulesFile, KeysAreKnownAndUnique) {
    EXPECT_EQ(refusal("{\"version\": 1,\n\"rule\": []}"),
              "r.json:2: unknown key 'rule' in a rules file; known: version, rules, links, comment, $schema");
    EXPECT_EQ(refusal(with_rule("{\"engine\": \"tree\",\n\"size\": 3}")),
              "r.json:4: unknown key 'size' in a rule; known: collective, bytes, ranks, hierarchy, "
              "engine, levels, comment");
    EXPECT_EQ(refusal(with_rule("{\"hierarchy\": [{\"levels\": 3}], \"engine\": \"tree\"}")),
              "r.json:3: unknown key 'levels' in an entry of 'hierarchy'; known: level, group");
    EXPECT_EQ(
        refusal(with_level("\n{\"segsize\": 3}")),
        "r.json:4: unknown key 'segsize' in an entry of 'levels'; known: level, group, algorithm, segment, "
        "comment");
    EXPECT_EQ(refusal(with_rule("{\"bytes\": {\"to\": 3}, \"engine\": \"tree\"}")),
              "r.json:3: unknown key 'to' in a range; known: from, below");
    EXPECT_EQ(
        refusal(with_link("{\"level\": \"node\", \"latency\": 3}")),
        "r.json:3: unknown key 'latency' in an entry of 'links'; known: level, latency_us, overhead_us, "
        "mbytes_per_s, eager_bytes, parallel, far_share, far_send_share, handshake_us, bus_mbytes_per_s, "
        "offloaded, gap_us, comment");
    EXPECT_EQ(refusal("{\"version\": 1,\n\"version\":\n1}"),
              "r.json:3: the key 'version' appears twice in a rules file");
    EXPECT_EQ(refusal(with_rule("{\"engine\": \"tree\", \"engine\": \"tree\"}")),
              "r.json:3: the key 'engine' appears twice in a rule");
}

TEST(RulesFile, TheVersionIsOne) {
    EXPECT_EQ(refusal("\n{}"), "r.json:2: needs \"version\": 1");
    for (const char* version : {"2", "0", "\"1\"", "1.5", "null", "[1]"}) {
        EXPECT_EQ(refusal("{\"version\": " + std::string(version) + "}"),
                  "r.json:1: unknown version; this plugin reads version 1");
    }
}

TEST(RulesFile, KindsOfValuesAreChecked) {
    for (const char* text : {"[]", "1", "null", "\"version\"", "true"}) {
        EXPECT_EQ(refusal(text), "r.json:1: expected a rules file: {...}") << text;
    }
    EXPECT_EQ(refusal("{\"version\": 1, \"rules\": {}}"), "r.json:1: 'rules' must be a list: [...]");
    EXPECT_EQ(refusal("{\"version\": 1, \"links\": 1}"), "r.json:1: 'links' must be a list: [...]");
    EXPECT_EQ(refusal("{\"version\": 1, \"comment\": 1}"), "r.json:1: 'comment' must be a text");
    EXPECT_EQ(refusal(with_rule("[]")), "r.json:3: expected a rule: {...}");
    EXPECT_EQ(refusal(with_rule("{\"levels\": {}}")), "r.json:3: 'levels' must be a list: [...]");
    EXPECT_EQ(refusal(with_level("1")), "r.json:3: expected an entry of 'levels': {...}");
    EXPECT_EQ(refusal(with_rule("{\"engine\": 1}")), "r.json:3: expected a text in double quotes");
    EXPECT_EQ(refusal(with_rule("{\"ranks\": 8, \"engine\": \"tree\"}")),
              "r.json:3: expected a range: {...}");
    for (const char* count : {"-1", "1.5", "1e300", "\"8\"", "true"}) {
        EXPECT_EQ(
            refusal(with_rule("{\"ranks\": {\"from\": " + std::string(count) + "}, \"engine\": \"tree\"}")),
            "r.json:3: 'from' must be a whole number");
    }
    EXPECT_EQ(refusal(with_level("{\"segment\": true}")),
              "r.json:3: 'segment' must be a number of bytes or a text like \"60k\"");
    EXPECT_EQ(refusal(with_level("{\"segment\": -1}")), "r.json:3: 'segment' must be a whole number");
    EXPECT_EQ(
        refusal(with_level("{\"segment\": \"60x\"}")),
        "r.json:3: '60x': expected bytes, a whole number with an optional k, M or G (0: the whole message)");
}

TEST(RulesFile, NamesAreChecked) {
    EXPECT_EQ(refusal(with_rule("{\"collective\": [\"bcast\",\n\"broadcast\"], \"engine\": \"tree\"}")),
              "r.json:4: unknown collective 'broadcast'; known: " + bcast_only);
    EXPECT_EQ(refusal(with_rule("{\"collective\": [], \"engine\": \"tree\"}")),
              "r.json:3: 'collective' is empty; a rule without it holds for all");
    EXPECT_EQ(refusal(with_rule("{\"collective\": [\"bcast\", \"bcast\"], \"engine\": \"tree\"}")),
              "r.json:3: 'bcast' appears twice");
    EXPECT_EQ(refusal(with_rule("{\"engine\": \"tre\"}")),
              "r.json:3: unknown engine 'tre'; known: " + known_engine_names());
    for (const char* level : {"nodes", "Node", "switch256", "switch01", "node1", "", " node"}) {
        EXPECT_EQ(refusal(with_level("{\"level\": \"" + std::string(level) + "\", \"segment\": 1}")),
                  "r.json:3: unknown level '" + std::string(level) +
                      "'; known: " + strata::topology::known_level_names() + ", with a height as in switch1");
    }
    EXPECT_EQ(refusal(with_level("{\"algorithm\": \"knomail:4\"}")),
              "r.json:3: 'knomail:4': unknown algorithm 'knomail'; known: " + known_algorithm_names());
    EXPECT_EQ(refusal(with_level("{\"algorithm\": \"xhc\"}")),
              "r.json:3: 'xhc': unknown algorithm or component 'xhc'; known algorithms: " +
                  known_algorithm_names() + "; known components: sm, tuned");
    EXPECT_EQ(refusal(with_level("{\"algorithm\": \"chain:0\"}")),
              "r.json:3: 'chain:0': the radix of 'chain' must be a number from 1 to 65536");
}

TEST(RulesFile, RangesHoldSomething) {
    EXPECT_EQ(refusal(with_rule("{\"bytes\": {}, \"engine\": \"tree\"}")),
              "r.json:3: a range needs 'from' or 'below'");
    EXPECT_EQ(refusal(with_rule("{\"bytes\":\n{\"from\": \"1k\", \"below\": 1024}, \"engine\": \"tree\"}")),
              "r.json:4: empty range: from 1024, below 1024");
    EXPECT_EQ(refusal(with_level("{\"group\": {\"below\": 0}, \"segment\": 1}")),
              "r.json:3: empty range: from 0, below 0");
}

TEST(RulesFile, EveryEntrySaysSomething) {
    EXPECT_EQ(refusal(with_rule("{\"collective\": \"bcast\"}")),
              "r.json:3: the rule needs 'engine' or 'levels'");
    EXPECT_EQ(refusal(with_rule("{\"hierarchy\": [{\"level\": \"node\"}]}")),
              "r.json:3: the rule needs 'engine' or 'levels'");
    EXPECT_EQ(refusal(with_rule("{\"hierarchy\": [],\n\"engine\": \"tree\"}")),
              "r.json:3: 'hierarchy' names no level");
    EXPECT_EQ(refusal(with_rule("{\"hierarchy\": [\n{\"group\": {\"from\": 1}}], \"engine\": \"tree\"}")),
              "r.json:4: the entry needs 'level'");
    EXPECT_EQ(refusal(with_rule("{\"levels\": []}")), "r.json:3: the rule needs 'engine' or 'levels'");
    EXPECT_EQ(refusal(with_level("{\"level\": \"node\"}")),
              "r.json:3: the entry needs 'algorithm' or 'segment'");
    EXPECT_EQ(refusal(with_link("{\"latency_us\": 1}")), "r.json:3: the entry needs 'level'");
    EXPECT_TRUE(refusal(with_link("{\"level\": \"node\"}")).starts_with("r.json:3: the entry sets nothing"));
}

TEST(RulesFile, LinksArePossible) {
    const auto link = [](const std::string& value) {
        return refusal(with_link("{\"level\": \"node\", " + value + "}"));
    };
    EXPECT_EQ(link("\"latency_us\": -1"), "r.json:3: 'latency_us' must be a number from 0 to 1000000");
    EXPECT_EQ(link("\"mbytes_per_s\": 0"),
              "r.json:3: 'mbytes_per_s' must be a number from 0.001 to 10000000");
    EXPECT_EQ(link("\"parallel\": 0.5"), "r.json:3: 'parallel' must be a number from 1 to 1024");
    EXPECT_EQ(link("\"handshake_us\": -1"), "r.json:3: 'handshake_us' must be a number from 0 to 1000000");
    EXPECT_EQ(link("\"offloaded\": 1"), "r.json:3: 'offloaded' must be true or false");
    EXPECT_EQ(refusal(with_link("{\"level\": \"node\", \"offloaded\": false}")), "accepted");
    EXPECT_EQ(link("\"bus_mbytes_per_s\": 0"),
              "r.json:3: 'bus_mbytes_per_s' must be a number from 0.001 to 10000000");
    EXPECT_EQ(refusal(with_link("{\"level\": \"switch\", \"gap_us\": 0}")), "accepted");
    EXPECT_EQ(refusal(with_link("{\"level\": \"node\", \"gap_us\": 1}")),
              "r.json:3: 'gap_us' is for levels between nodes");
    EXPECT_EQ(link("\"gap_us\": -1"), "r.json:3: 'gap_us' must be a number from 0 to 1000000");
    EXPECT_EQ(link("\"far_share\": -1"), "r.json:3: 'far_share' must be a number from 0 to 100");
    EXPECT_EQ(link("\"overhead_us\": \"1\""), "r.json:3: 'overhead_us' must be a number from 0 to 1000000");
    EXPECT_EQ(link("\"eager_bytes\": 0"), "r.json:3: 'eager_bytes' must be at least 1");
    EXPECT_EQ(refusal(with_link("{\"level\": \"custom0\", \"parallel\": 1}")),
              "r.json:3: custom groups have no links of their own: name the level around them");
}

TEST(RulesFile, LimitsHaveAPointInEveryLocale) {
    const bool comma = std::setlocale(LC_NUMERIC, "de_DE.UTF-8") != nullptr;
    const std::string refused = refusal(with_link("{\"level\": \"node\", \"mbytes_per_s\": 0}"));
    std::setlocale(LC_NUMERIC, "C");
    EXPECT_EQ(refused, "r.json:3: 'mbytes_per_s' must be a number from 0.001 to 10000000");
    if (!comma) GTEST_SKIP() << "no locale with another point: de_DE.UTF-8 is not installed";
}

TEST(RulesFile, EveryCollectiveOfARuleCanDoIt) {
    EXPECT_EQ(refusal(with_rule(R"({"collective": "reduce", "engine": "ring"})")),
              "r.json:3: reduce has no engine 'ring'; known: " + engines_of(Collective::reduce));
    EXPECT_EQ(refusal(with_rule(R"({"engine": "ring"})")),
              "r.json:3: bcast has no engine 'ring'; known: " + engines_of(Collective::bcast) +
                  "; 'collective' limits the rule to those that can");
    EXPECT_EQ(
        refusal(with_rule("{\"collective\": \"bcast\", \"engine\": \"tree\", \"levels\": [\n"
                          "{\"level\": \"node\", \"algorithm\": \"scatter_allgather\"}]}")),
        "r.json:4: 'node=scatter_allgather' needs the engine 'levels' (or 'auto'): the engine 'tree' takes "
        "tree shapes only");
    EXPECT_TRUE(refusal(with_rule(R"({"collective": "bcast", "levels": [{"algorithm": "rabenseifner"}]})"))
                    .starts_with("r.json:3: "));
}

}  // namespace
}  // namespace rules_test
