#include "summa.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "summa_product.h"

namespace {

using namespace strata::simulation;

/// Sums the blocks of `steps` steps; the right block is that of `later` steps on.
bool is_right(std::size_t block_bytes, int steps, int later = 0, int row = 2) {
    Product product(2, 3, block_bytes);
    const Product other(row, 3, block_bytes);
    for (int step = 0; step < 5; ++step) product.add(other.left(step), product.right(step + later));
    return product.is_right(steps);
}

TEST(SummaProduct, IsCheckedAgainstTheMatrices) {
    for (const std::size_t bytes : {8, 24, 64, 128}) {
        EXPECT_TRUE(is_right(bytes, 5));
        EXPECT_FALSE(is_right(bytes, 4)) << "a block too many";
        EXPECT_FALSE(is_right(bytes, 6)) << "a block is missing";
        EXPECT_FALSE(is_right(bytes, 5, 1)) << "the next step's block";
        EXPECT_FALSE(is_right(bytes, 5, 0, 1)) << "another row's block";
    }
}

TEST(SummaProduct, OfABlockThatDidNotArrive) {
    Product product(0, 0, 64);
    std::vector<double> block = product.left(0);
    block[7] = 0;
    product.add(block, product.right(0));
    EXPECT_FALSE(product.is_right(1));
}

SummaStudy on_two_nodes() {
    SummaStudy study;
    study.machine_file = STRATA_MACHINES "nuioa8.json";
    study.job.nodes = "2";
    study.rows = 4;
    study.group_rows = 2;
    study.group_columns = 4;
    study.outer = 4;
    study.contenders = {"flat:binary", "hsumma:flat:binary", "hsumma:mpi", "tuned"};
    return study;
}

TEST(Summa, HasARightProductWithEitherSchedule) {
    const std::vector<SummaOutcome> found = simulate_summa(on_two_nodes());
    ASSERT_EQ(found.size(), 4U);
    for (std::size_t contender = 0; contender < 3; ++contender) EXPECT_TRUE(found[contender].checked);
    EXPECT_FALSE(found[3].checked) << "messages of calls that are passed through carry nothing";
    for (const SummaOutcome& outcome : found) EXPECT_GT(outcome.us, outcome.bound_us) << outcome.contender;
    EXPECT_LT(found[1].us, found[0].us) << "an outer block crosses nodes as one message";
    EXPECT_DOUBLE_EQ(found[1].computing_us, 4 * 4 * 0.1);
}

TEST(Summa, RefusesGroupsThatDoNotFit) {
    SummaStudy study = on_two_nodes();
    study.group_rows = 3;
    EXPECT_THROW(simulate_summa(study), std::invalid_argument);
    study.group_rows = study.group_columns = 0;
    EXPECT_THROW(simulate_summa(study), std::invalid_argument) << "hsumma: needs groups";
}

}  // namespace
