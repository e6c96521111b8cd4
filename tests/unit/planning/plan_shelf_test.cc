// Which plans stay for later communicators.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "algorithms/planning/plan_shelf.h"
#include "plans.h"
#include "topology/fact_hash.h"

namespace plan_shelf_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

class Shelf : public ::testing::Test {
protected:
    PlanShelf::Book make(int nodes) const {
        return std::shared_ptr<PlanBook>(new PlanBook(sites_of_nodes(2, nodes, 2), settings, false, 1));
    }
    static std::uint64_t hash_of(const PlanShelf::Book& book) {
        return strata::topology::hash_of(book->hierarchy());
    }
    static void add(PlanShelf& shelf, const PlanShelf::Book& book) { shelf.add(hash_of(book), book); }
    static PlanShelf::Book find(PlanShelf& shelf, const Hierarchy& hierarchy, int lanes = 1) {
        return shelf.find(strata::topology::hash_of(hierarchy), hierarchy, lanes);
    }
    /// A book that nobody but the shelf may have.
    std::weak_ptr<PlanBook> put(PlanShelf& shelf, int nodes, std::size_t plans = 0) const {
        const auto book = make(nodes);
        add(shelf, book);
        write(*book, plans);
        shelf.give_back(book);
        return book;
    }
    static void write(PlanBook& book, std::size_t plans) {
        for (std::size_t plan = 0; plan < plans; ++plan) {
            Operation operation;
            operation.bytes = std::size_t{8} << plan;
            book.at(book.planner().class_of(operation), ByLevels::maybe);
        }
    }
    std::size_t empty_bytes(int nodes) const { return make(nodes)->memory(); }

    PlanSettings settings;
    static constexpr std::size_t plenty = std::size_t{1} << 30;
};

TEST_F(Shelf, HasTheBookOfAnEqualHierarchy) {
    PlanShelf shelf(plenty);
    const auto book = make(2);
    add(shelf, book);
    EXPECT_EQ(find(shelf, sites_of_nodes(2, 2, 2)), book);
    EXPECT_EQ(find(shelf, sites_of_nodes(2, 2, 2), 2), nullptr);  // other lanes
    EXPECT_EQ(find(shelf, sites_of_nodes(2, 3, 2)), nullptr);
    EXPECT_EQ(shelf.find(hash_of(book), sites_of_nodes(2, 3, 2), 1), nullptr);  // that has the same hash
    shelf.clear();
    EXPECT_EQ(find(shelf, sites_of_nodes(2, 2, 2)), nullptr);
    shelf.give_back(book);
    EXPECT_EQ(find(shelf, sites_of_nodes(2, 2, 2)), nullptr);
    EXPECT_EQ(shelf.bytes(), 0U);
}

TEST_F(Shelf, KeepsThoseUsedLast) {
    PlanShelf shelf(empty_bytes(2) + empty_bytes(3));
    const auto first = put(shelf, 2);
    const auto second = put(shelf, 3);
    const auto third = put(shelf, 4);
    EXPECT_FALSE(first.expired() || second.expired() || third.expired());
    EXPECT_NE(find(shelf, first.lock()->hierarchy()), nullptr);
    put(shelf, 1);  // three others do not fit
    EXPECT_FALSE(first.expired());
    EXPECT_TRUE(second.expired());
    EXPECT_EQ(find(shelf, sites_of_nodes(2, 3, 2)), nullptr);
}

TEST_F(Shelf, CountsWhatABookHasWhenItIsGivenBack) {
    constexpr std::size_t plans = 12;
    PlanShelf shelf(empty_bytes(1) * 3);
    const auto empty = put(shelf, 1);
    EXPECT_EQ(shelf.bytes(), empty.lock()->memory());
    const auto full = put(shelf, 2, plans);
    EXPECT_EQ(shelf.bytes(), empty.lock()->memory() + full.lock()->memory());
    ASSERT_GT(full.lock()->memory(), empty_bytes(1) * 3);
    const auto last = put(shelf, 3);
    EXPECT_TRUE(full.expired());
    EXPECT_FALSE(empty.expired() || last.expired());
    EXPECT_EQ(shelf.bytes(), empty.lock()->memory() + last.lock()->memory());
}

TEST_F(Shelf, KeepsTheLastOneWhateverItTakes) {
    PlanShelf shelf(1);
    const auto book = put(shelf, 4, 4);
    EXPECT_EQ(find(shelf, sites_of_nodes(2, 4, 2)), book.lock());
    put(shelf, 3);
    EXPECT_TRUE(book.expired());
    EXPECT_EQ(find(shelf, sites_of_nodes(2, 4, 2)), nullptr);
}

TEST_F(Shelf, FindsWhatIsInUseEvenIfItIsNotKept) {
    PlanShelf shelf(1);
    const auto book = make(2);
    add(shelf, book);
    put(shelf, 3);
    EXPECT_EQ(find(shelf, sites_of_nodes(2, 2, 2)), book);
}

TEST_F(Shelf, IsNotSlowedDownByBooksThatAreGone) {
    PlanShelf shelf(1);
    for (int round = 0; round < 300; ++round) put(shelf, 1 + round % 3);
    EXPECT_NE(find(shelf, sites_of_nodes(2, 3, 2)), nullptr);
    EXPECT_EQ(find(shelf, sites_of_nodes(2, 1, 2)), nullptr);
}

}  // namespace
}  // namespace plan_shelf_test
