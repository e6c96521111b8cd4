// A job's report of its calls, and how the tools read it back.
#include <gtest/gtest.h>

#include "algorithms/report/usage.h"
#include "topology/text_file.h"

namespace strata::algorithms {
namespace usage_test {
namespace {

JobUse example() {
    JobUse use;
    CommunicatorUse world{"MPI_COMM_WORLD", 16, 1200, 14000, {{"node", 3, 24}, {"core", 7, 56}}, {}, 0};
    world.calls.push_back({"bcast", 8, 12, "tree", "node binomial, core linear/8 KiB", "predicted faster",
                           "engine from rules.json:3", 12.5, 20, 4, 60, 10, 30, 4});
    world.calls.push_back(
        {"gatherv", 0, 0, "forward", "", "no gain is predicted", "", 0, 0, 1, 7.25, 7.25, 7.25});
    use.communicators.push_back(world);
    use.communicators.push_back({"a \"b\"\n", 2, 0, 0, {}, {}, 7});
    use.others = 5;
    return use;
}

TEST(Usage, IsReadAsItIsWritten) {
    const JobUse use = example();
    const std::string dump = "{\"ranks\":16," + usage_members(use) + "}\n";
    const auto read = parse_usage(dump, "job.json");
    ASSERT_TRUE(read);
    EXPECT_EQ(usage_members(*read), usage_members(use));
    ASSERT_EQ(read->communicators.size(), 2U);
    const CommunicatorUse& world = read->communicators[0];
    EXPECT_EQ(world.ranks, 16);
    EXPECT_EQ(world.setup_us, 1200U);
    EXPECT_EQ(world.memory, 14000U);
    ASSERT_EQ(world.levels.size(), 2U);
    EXPECT_EQ(world.levels[1].level, "core");
    EXPECT_EQ(world.levels[1].bytes, 56U);
    ASSERT_EQ(world.calls.size(), 2U);
    EXPECT_EQ(world.calls[0].levels, "node binomial, core linear/8 KiB");
    EXPECT_DOUBLE_EQ(world.calls[0].mean_us(), 15);
    EXPECT_DOUBLE_EQ(world.calls[0].bound_us, 4);
    EXPECT_EQ(world.calls[0].bound_share(), "40 %") << "of the fastest call";
    EXPECT_EQ(world.calls[1].bound_us, 0);
    EXPECT_EQ(world.calls[1].bound_share(), "") << "unknown";
    EXPECT_EQ(dump.find("bound_us"), dump.rfind("bound_us")) << "an unknown bound is not written";
    EXPECT_EQ(read->communicators[1].name, "a \"b\"\n");
    EXPECT_EQ(read->communicators[1].others, 7U);
    EXPECT_EQ(read->others, 5U);
    EXPECT_FALSE(parse_usage(R"({"ranks":16})", "job.json")) << "a job that did not end well";
}

TEST(Usage, IsATableForPeople) {
    const std::string text = usage_text(example());
    EXPECT_EQ(text,
              "MPI_COMM_WORLD, 16 ranks, set up in 1200 us, 14000 B of memory\n"
              "  sent by this rank: node 3 messages, 24 B; core 7 messages, 56 B\n"
              "  calls  path     operation  bytes       levels and segments               expected us  "
              "measured us   "
              "bound us  bound / fastest  why\n"
              "  4      tree     bcast      8 B - 12 B  node binomial, core linear/8 KiB  12.5         15 "
              "(10 - 30)  4         40 %             "
              "predicted faster\n"
              "          engine from rules.json:3\n"
              "  1      forward  gatherv    any                                           ?            7.25  "
              "                                   "
              "no gain is predicted\n"
              "\n"
              "a \"b\"\n, 2 ranks\n"
              "  calls  path  operation  bytes  levels and segments  expected us  measured us  bound us  "
              "bound / fastest  why\n"
              "  7 more calls, of further kinds\n"
              "\n"
              "5 more communicators\n");
    EXPECT_NE(usage_text(example(), true).find("\033[32mtree"), std::string::npos);
}

void expect_error(const std::string& dump, const std::string& what) {
    try {
        parse_usage(dump, "job.json");
        FAIL() << "no error: " << dump;
    } catch (const topology::FileError& error) {
        EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
}

TEST(Usage, OfAnotherShapeIsAnError) {
    expect_error(R"({"communicators":7})", "'communicators' is missing");
    expect_error(R"({"communicators":[]})", "'other_communicators' is missing");
    expect_error("{\"communicators\":[\n{\"name\":\"w\"}],\"other_communicators\":0}",
                 "job.json:2: no dump of a hierarchy: 'ranks' is missing");
    const std::string good = "{" + usage_members(example()) + "}";
    const auto with = [&](const std::string& old, const std::string& put) {
        std::string text = good;
        text.replace(text.find(old), old.size(), put);
        return text;
    };
    expect_error(with("\"ranks\":16", "\"ranks\":0"), "a number is out of its range");
    expect_error(with("\"calls\":4", "\"calls\":-4"), "a number is out of its range");
    expect_error(with("\"total_us\":60", "\"total_us\":-60"), "a time is out of its range");
    expect_error(with("\"path\":\"tree\"", "\"path\":3"), "'path' is missing");
    expect_error(with("\"bound_us\":4", "\"bound_us\":-4"), "a time is out of its range");
    expect_error(with("\"bound_us\":4", "\"bound_us\":\"4\""), "'bound_us' is missing");
}

TEST(Choices, AreThoseOfADump) {
    const auto read = parse_choices(
        R"({"plans_of":"w","plans":[{"collective":"bcast","bytes":8,"to_bytes":4096,"ranks":4,"root":0,"chosen":{"engine":"tree",
            "levels":[{"level":"node","algorithm":"binomial","segment":61440}],"predicted_us":12.5,"forward_us":20,
            "reason":"r"},"bound_us":2},
            {"collective":"scatterv","bytes":0,"to_bytes":0,"chosen":{"engine":"forward","levels":[],
            "predicted_us":0,"forward_us":30,"reason":"s"}}]})",
        "job.json");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->communicator, "w");
    const auto& choices = read->choices;
    ASSERT_EQ(choices.size(), 2U);
    EXPECT_EQ(choices[0].levels, "node binomial/60 KiB");
    EXPECT_EQ(choices[0].most_bytes, 4096U);
    EXPECT_DOUBLE_EQ(choices[0].predicted_us, 12.5);
    EXPECT_EQ(choices[0].calls, 0U);
    EXPECT_DOUBLE_EQ(choices[0].bound_us, 2);
    EXPECT_DOUBLE_EQ(choices[1].predicted_us, 30) << "of what it goes to";
    EXPECT_FALSE(parse_choices("{}", "job.json")) << "no dump of a job";
    const auto large = parse_choices(R"({"plans":[]})", "job.json");
    ASSERT_TRUE(large) << "a job of too many ranks";
    EXPECT_TRUE(large->choices.empty());
    EXPECT_EQ(large->communicator, "");
}

}  // namespace
}  // namespace usage_test
}  // namespace strata::algorithms
