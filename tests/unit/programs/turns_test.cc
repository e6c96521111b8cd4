#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "turns.h"

namespace turns_test {
namespace {

std::vector<std::size_t> row(std::uint64_t repetition, std::size_t count) {
    std::vector<std::size_t> all;
    for (std::size_t step = 0; step < count; ++step) all.push_back(bench::in_turn(repetition, step, count));
    return all;
}

TEST(Turns, EverybodyHasOneInEveryRepetition) {
    for (std::size_t count = 1; count <= 40; ++count) {
        for (std::uint64_t repetition = 0; repetition < 3 * count; ++repetition) {
            const auto all = row(repetition, count);
            EXPECT_EQ(std::set<std::size_t>(all.begin(), all.end()).size(), count);
            for (const std::size_t one : all) EXPECT_LT(one, count);
        }
    }
}

// Counts how often each follows each other one, and is at each place.
void expect_balance(std::size_t count, std::uint64_t first, std::uint64_t repetitions, int times) {
    std::map<std::pair<std::size_t, std::size_t>, int> follows, places;
    for (std::uint64_t repetition = first; repetition < first + repetitions; ++repetition) {
        const auto all = row(repetition, count);
        for (std::size_t step = 0; step < count; ++step) {
            ++places[{all[step], step}];
            if (step > 0) ++follows[{all[step - 1], all[step]}];
        }
    }
    EXPECT_EQ(follows.size(), count * (count - 1));
    for (const auto& [pair, often] : follows)
        EXPECT_EQ(often, times) << pair.second << " after " << pair.first << " of " << count;
    EXPECT_EQ(places.size(), count * count);
    for (const auto& [place, often] : places)
        EXPECT_EQ(often, times) << place.first << " at " << place.second << " of " << count;
}

TEST(Turns, EverybodyFollowsEverybodyEquallyOften) {
    for (std::size_t count = 2; count <= 15; ++count) {
        for (const std::uint64_t first : {0U, 1U, 5U, 100U}) expect_balance(count, first, 2 * count, 2);
    }
}

TEST(Turns, HalfOfThatIsEnoughForAnEvenNumber) {
    for (std::size_t count = 2; count <= 16; count += 2) expect_balance(count, 0, count, 1);
}

}  // namespace
}  // namespace turns_test
