// The calls on a communicator that come before its set-up.
#include "component/settings/lazy_setup.h"

#include "settings_text.h"

namespace strata::testing {
namespace {

constexpr std::size_t longest = LazySetup::longest;

Request sized(Collective op, std::size_t bytes, bool exact = false) {
    Request request{{op, bytes, 0}};
    request.exact = exact;
    return request;
}
Request unsized(Collective op) { return {{op, 0, 0}, false}; }

/// Returns how many of `calls` equal calls come early.
int early(LazySetup& calls_before, const Request& request, int calls) {
    int count = 0;
    for (int i = 0; i < calls; ++i) {
        count += calls_before.take(request) ? 1 : 0;
    }
    return count;
}
int early(const Settings& settings, const Request& request, int calls) {
    LazySetup fresh(settings);
    return early(fresh, request, calls);
}

TEST(LazySetup, AreTheFirstFewShortOnes) {
    const Settings settings = parse({}).settings;
    ASSERT_EQ(settings.setup_after, 8);
    EXPECT_EQ(early(settings, sized(Collective::bcast, 8), 7), 7);
    EXPECT_EQ(early(settings, sized(Collective::bcast, longest), 20), 8);
    EXPECT_EQ(early(settings, sized(Collective::bcast, longest + 1), 20), 0);
    EXPECT_EQ(early(settings, unsized(Collective::barrier), 20), 8);
}

TEST(LazySetup, AreAsManyAsTheParameterSays) {
    const auto count = [](const char* value) {
        const auto [settings, errors] = parse(with([&](SettingsText& text) { text.setup_after = value; }));
        EXPECT_TRUE(errors.empty());
        return early(settings, sized(Collective::allgather, 100), 5000);
    };
    EXPECT_EQ(count("0"), 0);
    EXPECT_EQ(count("3"), 3);
    EXPECT_EQ(count("1000000"), 5000);
    for (const char* bad : {"-1", "1000001", "few", ""}) {
        const auto [settings, errors] = parse(with([&](SettingsText& text) { text.setup_after = bad; }));
        ASSERT_EQ(errors.size(), 1U) << bad;
        EXPECT_EQ(errors.front(), "coll_strata_setup_after = '" + std::string(bad) +
                                      "': must be a whole number from 0 to 1000000");
        EXPECT_EQ(settings.setup_after, 8);
    }
}

TEST(LazySetup, EndWithTheFirstThatIsNone) {
    const Settings settings = parse({}).settings;
    LazySetup calls(settings);
    EXPECT_EQ(early(calls, sized(Collective::bcast, 8), 2), 2);
    EXPECT_FALSE(calls.take(sized(Collective::bcast, 1 << 20)));
    EXPECT_EQ(early(calls, sized(Collective::bcast, 8), 20), 0);
}

TEST(LazySetup, AreNotThoseOfWhichRanksKnowDifferentThings) {
    const Settings settings = parse({}).settings;
    EXPECT_EQ(early(settings, unsized(Collective::gatherv), 20), 0);
    EXPECT_EQ(early(settings, unsized(Collective::scatterv), 20), 0);
}

TEST(LazySetup, AreNotReductionsThatRound) {
    const Settings settings = parse({}).settings;
    for (const Collective op : {Collective::reduce, Collective::allreduce}) {
        EXPECT_EQ(early(settings, sized(op, 8, false), 20), 0);
        EXPECT_EQ(early(settings, sized(op, 8, true), 20), 8);
    }
}

TEST(LazySetup, ExcludeNamedCollectives) {
    const auto of_bcast = [](const std::function<void(SettingsText&)>& change) {
        const auto [settings, errors] = parse(with(change));
        EXPECT_TRUE(errors.empty()) << errors.front();
        EXPECT_EQ(early(settings, sized(Collective::allgather, 8), 20), 8) << "of another collective";
        return early(settings, sized(Collective::bcast, 8), 20);
    };
    EXPECT_EQ(of_bcast([](SettingsText& text) { bcast(text).algorithm = "tree"; }), 0);
    EXPECT_EQ(of_bcast([](SettingsText& text) { bcast(text).level_algorithms = "node=chain"; }), 0);
    const File rules("early.json",
                     R"({"version": 1, "rules": [{"collective": "bcast", "bytes": {"from": "1M"},
                                        "engine": "tree"}]})");
    EXPECT_EQ(of_bcast([&](SettingsText& text) { text.rules = rules.path; }), 0);
    const File links("links.json", R"({"version": 1, "links": [{"level": "node", "latency_us": 3}]})");
    EXPECT_EQ(of_bcast([&](SettingsText& text) { text.rules = links.path; }), 8);
}

}  // namespace
}  // namespace strata::testing
