// parse_level_methods, parse_level_sizes, check: accepted inputs, and the text of every rejection.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "algorithms/base/collective.h"
#include "algorithms/base/link.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "algorithms/planning/make_plan.h"
#include "make_hierarchy.h"

namespace parsers_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

/// The message of the std::invalid_argument that `action` throws; "accepted" when it throws nothing.
template <typename Action>
std::string refusal(Action&& action) {
    try {
        action();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

std::string methods_refusal(const std::string& text, const std::vector<std::string>& components = {}) {
    return refusal([&] { parse_level_methods(text, components); });
}

std::string sizes_refusal(const std::string& text) {
    return refusal([&] { parse_level_sizes(text); });
}

TEST(LevelMethods, AllForms) {
    const auto rules =
        parse_level_methods("switch=chain:2, node = binomial ,numa=sm,switch1=auto,l3=knomial");
    ASSERT_EQ(rules.size(), 5U);
    EXPECT_EQ(rules[0].level, (strata::topology::LevelPattern{LevelKind::switch_, std::nullopt}));
    EXPECT_EQ(rules[0].method, (LevelMethod{Algorithm::chain, 2, {}}));
    EXPECT_EQ(rules[1].method, (LevelMethod{Algorithm::binomial, 0, {}}));
    EXPECT_EQ(rules[2].method, (LevelMethod{Algorithm::component, 0, "sm"}));
    EXPECT_EQ(rules[3].level, (strata::topology::LevelPattern{LevelKind::switch_, 1}));
    EXPECT_EQ(rules[3].method.algorithm, Algorithm::automatic);
    EXPECT_EQ(rules[4].method, (LevelMethod{Algorithm::knomial, 0, {}}));
    EXPECT_TRUE(parse_level_methods("").empty());
    EXPECT_TRUE(parse_level_methods("  ").empty());
}

TEST(LevelMethods, ComponentsAreLimitedToTheList) {
    const auto rules = parse_level_methods("node=sm", {"tuned", "sm"});
    EXPECT_EQ(rules.at(0).method.component, "sm");
    EXPECT_EQ(methods_refusal("node=sn", {"tuned", "sm"}),
              "'node=sn': unknown algorithm or component 'sn'; known algorithms: " + known_algorithm_names() +
                  "; known components: tuned, sm");
}

TEST(LevelMethods, UnknownLevelIsNamed) {
    EXPECT_EQ(methods_refusal("nodes=chain"),
              "'nodes=chain': unknown level 'nodes'; known: " + strata::topology::known_level_names());
    EXPECT_EQ(methods_refusal("node=chain,=binary"),
              "'=binary': unknown level ''; known: " + strata::topology::known_level_names());
}

TEST(LevelMethods, BrokenEntriesAreNamed) {
    EXPECT_EQ(methods_refusal("node"), "'node': expected LEVEL=ALGORITHM[:RADIX] or LEVEL=COMPONENT");
    EXPECT_EQ(methods_refusal("node=chain,,numa=sm"), "'node=chain,,numa=sm': entry 2 is empty");
    EXPECT_EQ(methods_refusal("node=chain,"), "'node=chain,': entry 2 is empty");
    EXPECT_EQ(methods_refusal(","), "',': entry 1 is empty");
    EXPECT_EQ(methods_refusal("node=knomail:3"),
              "'node=knomail:3': unknown algorithm 'knomail'; known: " + known_algorithm_names());
    for (const char* text : {"node=", "node=Binomial", "node=a-b", "node=bin omial", "node=sm=2"}) {
        EXPECT_NE(methods_refusal(text).find("unknown algorithm or component"), std::string::npos) << text;
    }
}

TEST(LevelMethods, RadixIsChecked) {
    EXPECT_EQ(methods_refusal("node=binomial:2"), "'node=binomial:2': 'binomial' takes no radix");
    try {
        parse_level_methods("node=tuned:3", {"sm", "tuned"});
        ADD_FAILURE() << "a component takes a radix";
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(),
                     "'node=tuned:3': the component 'tuned' takes no radix; only chain and knomial do");
    }
    for (const char* radix : {"", "0", "-1", "2x", "+2", "99999999999999999999", "65537", "2:3"}) {
        const std::string entry = std::string("node=chain:") + radix;
        EXPECT_EQ(methods_refusal(entry),
                  "'" + entry + "': the radix of 'chain' must be a number from 1 to 65536");
    }
    EXPECT_EQ(methods_refusal("node=chain:1"), "accepted");
    EXPECT_EQ(methods_refusal("node=knomial:2"), "accepted");
    EXPECT_EQ(methods_refusal("node=knomial:1"),
              "'node=knomial:1': the radix of 'knomial' must be a number from 2 to 65536");
}

TEST(LevelSizes, AllForms) {
    const auto rules = parse_level_sizes("switch=60k, node=8192,numa=0,cluster=2M,l3=1G,1");
    ASSERT_EQ(rules.size(), 6U);
    EXPECT_EQ(rules[0].level->kind, LevelKind::switch_);
    EXPECT_EQ(rules[0].bytes, 61440U);
    EXPECT_EQ(rules[1].bytes, 8192U);
    EXPECT_EQ(rules[2].bytes, 0U);
    EXPECT_EQ(rules[3].bytes, 2097152U);
    EXPECT_EQ(rules[4].bytes, 1073741824U);
    EXPECT_FALSE(rules[5].level);
    EXPECT_EQ(rules[5].bytes, 1U);
    EXPECT_EQ(parse_level_sizes("60K").at(0).bytes, 61440U);
    EXPECT_TRUE(parse_level_sizes("").empty());
}

TEST(LevelSizes, BrokenEntriesAreNamed) {
    const std::string expected =
        "expected bytes, a whole number with an optional k, M or G (0: the whole message)";
    for (const char* text :
         {"-1", "60kb", "k", "60 k", "1.5k", "+5", "0x10", "node=", "node=-4k", "node=k8", "node"}) {
        EXPECT_EQ(sizes_refusal(text), "'" + std::string(text) + "': " + expected);
    }
    EXPECT_EQ(sizes_refusal("nodes=1"),
              "'nodes=1': unknown level 'nodes'; known: " + strata::topology::known_level_names());
    EXPECT_EQ(sizes_refusal("node=1,,numa=2"), "'node=1,,numa=2': entry 2 is empty");
    EXPECT_EQ(sizes_refusal("60k,"), "'60k,': entry 2 is empty");
    EXPECT_EQ(sizes_refusal("60k,node=1"),
              "'node=1': follows a size that already holds for every level; put that one last");
}

TEST(LevelSizes, OverflowIsRefused) {
    EXPECT_EQ(sizes_refusal("18446744073709551616"), "'18446744073709551616': too many bytes");
    EXPECT_EQ(sizes_refusal("node=18014398509481984k"), "'node=18014398509481984k': too many bytes");
    EXPECT_EQ(sizes_refusal("18014398509481983k"), "accepted");
    EXPECT_EQ(sizes_refusal("17179869184G"), "'17179869184G': too many bytes");
}

TEST(OverridesCheck, TheTreeEngineTakesTreeShapesOnly) {
    Overrides overrides;
    overrides.engine = Engine::tree;
    overrides.methods = parse_level_methods("switch=chain:2,node=auto");
    EXPECT_EQ(check(overrides, Collective::bcast), "");
    overrides.methods = parse_level_methods("switch1=sm");
    const std::string reason =
        " needs the engine 'levels' (or 'auto'): the engine 'tree' takes tree shapes only";
    EXPECT_EQ(check(overrides, Collective::bcast), "'switch1=sm'" + reason);
    overrides.methods = parse_level_methods("node=binary,numa=scatter_allgather");
    EXPECT_EQ(check(overrides, Collective::bcast), "'numa=scatter_allgather'" + reason);
    EXPECT_EQ(refusal([&] {
                  make_plan(one_node(4), LinkTable{}, overrides, {Collective::bcast, 8, 0});
              }),
              check(overrides, Collective::bcast));
    for (const Engine engine : {Engine::automatic, Engine::levels, Engine::forward}) {
        overrides.engine = engine;
        EXPECT_EQ(check(overrides, Collective::bcast), "");
    }
}

TEST(OverridesCheck, MethodsThatNoEngineOfTheCollectiveHas) {
    const auto checked = [](Collective collective, const char* methods, Engine engine = Engine::automatic) {
        return check({engine, parse_level_methods(methods), {}}, collective);
    };
    for (int op = 0; op < collective_count; ++op) {
        const auto collective = static_cast<Collective>(op);
        EXPECT_EQ(checked(collective, "switch=chain:2,node=auto,numa=knomial"), "");
        EXPECT_EQ(checked(collective, "switch=linear,node=sm"), "");
    }
    EXPECT_EQ(
        checked(Collective::reduce, "node=binary,switch1=recursive_doubling"),
        "'switch1=recursive_doubling': no engine of reduce can use that; known: auto, linear, chain, "
        "pipeline, split_binary, binary, binomial, knomial, double_binary, in_order_binary, rabenseifner, "
        "skip, or a component");
    EXPECT_EQ(checked(Collective::bcast, "node=recursive_doubling"),
              "'node=recursive_doubling': no engine of bcast can use that; known: auto, linear, chain, "
              "pipeline, split_binary, binary, binomial, knomial, double_binary, scatter_allgather, "
              "scatter_allgather_ring, in_order_binary, skip, or a component");
    EXPECT_EQ(
        checked(Collective::allgather, "switch=ring", Engine::tree),
        "'switch=ring' needs the engine 'levels' (or 'auto'): the engine 'tree' takes tree shapes only");
    for (const Collective collective : {Collective::allreduce, Collective::barrier}) {
        EXPECT_EQ(checked(collective, "switch=recursive_doubling,node=linear"), "");
        EXPECT_EQ(checked(collective, "switch=recursive_doubling,node=linear", Engine::tree), "");
    }
}

TEST(OverridesCheck, WithTheLevelsEngineEveryNameIsOneOfOpenMpis) {
    const auto checked = [](Collective collective, const char* methods, Engine engine = Engine::automatic) {
        return check({engine, parse_level_methods(methods), {}}, collective);
    };
    const std::string reductions =
        "'node=knomial': the engine 'levels' of reduce has no such algorithm; known: auto, linear, chain, "
        "pipeline, binary, binomial, in_order_binary, rabenseifner, or a component";
    EXPECT_EQ(checked(Collective::reduce, "node=knomial", Engine::levels), reductions);
    EXPECT_EQ(checked(Collective::reduce, "switch=rabenseifner,node=knomial"), reductions);
    EXPECT_EQ(checked(Collective::reduce, "switch=rabenseifner,node=knomial", Engine::forward), "");
    EXPECT_EQ(checked(Collective::allreduce, "switch=rabenseifner,node=knomial"), "");
    EXPECT_EQ(checked(Collective::allgather, "switch=bruck,node=linear_sync"), "");
    EXPECT_EQ(checked(Collective::barrier, "switch=tree,node=double_ring"), "");
    EXPECT_EQ(checked(Collective::scatter, "node=linear_nb", Engine::levels), "");
}

TEST(OverridesCheck, TheRingEngineTakesTreeShapesAndRings) {
    const auto checked = [](const char* methods, Engine engine) {
        return check({engine, parse_level_methods(methods), {}}, Collective::allgather);
    };
    EXPECT_EQ(checked("switch=ring,node=binomial,numa=auto", Engine::ring), "");
    EXPECT_EQ(checked("switch=ring,node=linear", Engine::automatic), "") << "Open MPI's";
    for (const std::string method : {"bruck", "sm"}) {
        EXPECT_EQ(
            checked(("node=" + method).c_str(), Engine::ring),
            "'node=" + method +
                "' needs the engine 'levels' (or 'auto'): the engine 'ring' takes tree shapes and 'ring' "
                "only");
    }
}

TEST(OverridesCheck, EnginesThatTheCollectiveHasNot) {
    for (int op = 0; op < collective_count; ++op) {
        const auto collective = static_cast<Collective>(op);
        const CollectiveTraits traits = traits_of(collective);
        for (const Engine engine : {Engine::automatic, Engine::tree, Engine::levels, Engine::forward}) {
            EXPECT_EQ(check({engine, {}, {}}, collective), "");
        }
        EXPECT_EQ(check({Engine::ring, {}, {}}, collective).empty(), traits.by_ring);
        EXPECT_EQ(check({Engine::rails, {}, {}}, collective).empty(), traits.by_rails);
        EXPECT_EQ(check({Engine::node, {}, {}}, collective).empty(), traits.by_node());
    }
    EXPECT_EQ(check({Engine::ring, {}, {}}, Collective::scatter),
              "scatter has no engine 'ring'; known: auto, tree, levels, node, forward");
    EXPECT_EQ(refusal([] {
                  make_plan(one_node(4), LinkTable{}, {Engine::ring, {}, {}}, {Collective::scatter, 8, 0});
              }),
              check({Engine::ring, {}, {}}, Collective::scatter));
}

}  // namespace
}  // namespace parsers_test
