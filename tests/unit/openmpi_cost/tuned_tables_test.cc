// The default choices of coll/tuned 4.1: points on both sides of its limits, from its sources.
#include <gtest/gtest.h>

#include "algorithms/openmpi_cost/tuned.h"

namespace tuned_tables_test {
namespace {

using namespace strata::algorithms;
using enum Algorithm;

struct Point {
    int ranks;
    std::size_t bytes;
    Algorithm algorithm;
};

template <typename Choose>
void expect(std::initializer_list<Point> points, Choose&& choose) {
    for (const Point& point : points) {
        EXPECT_EQ(info(choose(point.ranks, point.bytes)).name, info(point.algorithm).name)
            << point.ranks << " ranks, " << point.bytes << " bytes";
    }
}

TEST(TunedTables, Reduce) {
    expect({{2, 7, rabenseifner},
            {3, 8, binary},
            {3, 16, pipeline},
            {3, 262143, linear},
            {3, 262144, pipeline},
            {4, 4095, binary},
            {7, 4096, pipeline},
            {7, 65536, binomial},
            {7, 262144, linear},
            {7, 524288, binomial},
            {4, 1048576, linear},
            {8, 8191, binary},
            {15, 8192, binomial},
            {16, 4095, binary},
            {31, 4096, binomial},
            {32, 0, binomial},
            {256, 8191, binomial},
            {511, 8192, in_order_binary},
            {511, 16384, binomial},
            {512, 8192, binomial},
            {2048, 512, in_order_binary},
            {4095, 1024, binomial},
            {4096, 16, in_order_binary},
            {4096, 1024, in_order_binary},
            {9999, 8192, in_order_binary},
            {9999, 16384, binomial}},
           [](int ranks, std::size_t bytes) { return tuned_reduce_algorithm(ranks, bytes, true); });
    expect({{3, 7, in_order_binary},
            {3, 8, linear},
            {7, 1 << 30, linear},
            {15, 1024, linear},
            {15, 8192, in_order_binary},
            {15, 262143, linear},
            {15, 262144, in_order_binary},
            {127, 0, in_order_binary},
            {128, 512, linear},
            {128, 1024, in_order_binary}},
           [](int ranks, std::size_t bytes) { return tuned_reduce_algorithm(ranks, bytes, false); });
}

TEST(TunedTables, Allreduce) {
    // A ring needs an element per rank, Rabenseifner's algorithm one per rank of the power of two below.
    expect({{3, 7, recursive_doubling},        {3, 4096, ring},
            {3, 16383, recursive_doubling},    {3, 65536, ring},
            {3, 262144, rabenseifner},         {4, 15, recursive_doubling},
            {7, 8191, recursive_doubling},     {7, 8192, rabenseifner},
            {15, 8191, recursive_doubling},    {8, 8192, rabenseifner},
            {16, 63, recursive_doubling},      {31, 4096, rabenseifner},
            {32, 127, recursive_doubling},     {63, 255, linear},
            {63, 256, rabenseifner},           {64, 262143, recursive_doubling},
            {127, 262144, rabenseifner},       {128, 131071, nonoverlapping},
            {255, 131072, recursive_doubling}, {255, 262144, rabenseifner},
            {511, 4095, nonoverlapping},       {511, 4096, rabenseifner},
            {512, 2047, nonoverlapping},       {2047, 2048, recursive_doubling},
            {2047, 16384, rabenseifner},       {4096, 16384, recursive_doubling},
            {4096, 32768, rabenseifner},       {9000, 32768, linear}},
           [](int ranks, std::size_t bytes) { return tuned_allreduce_algorithm(ranks, bytes, true); });
    expect({{3, 131071, recursive_doubling},
            {3, 131072, linear},
            {7, 1 << 30, recursive_doubling},
            {15, 1048576, nonoverlapping},
            {127, 1 << 30, recursive_doubling},
            {128, 131072, recursive_doubling},
            {255, 524288, nonoverlapping},
            {511, 4095, nonoverlapping},
            {512, 2047, nonoverlapping},
            {512, 1 << 30, recursive_doubling}},
           [](int ranks, std::size_t bytes) { return tuned_allreduce_algorithm(ranks, bytes, false); });
}

TEST(TunedTables, Allgather) {
    // Doubling needs a power of two, the neighbour exchange an even number.
    expect({{2, 1 << 30, two_proc},
            {3, 8, bruck},
            {16, 1 << 30, recursive_doubling},
            {24, 8, bruck},
            {32, 1024, neighbor},
            {33, 1024, ring},
            {63, 65536, ring},
            {64, 511, recursive_doubling},
            {64, 512, neighbor},
            {255, 131072, ring},
            {254, 524288, neighbor},
            {254, 1048576, ring},
            {256, 32, bruck},
            {256, 128, recursive_doubling},
            {512, 2048, neighbor},
            {1024, 4, bruck},
            {1024, 8, recursive_doubling},
            {4096, 2, bruck},
            {4096, 512, recursive_doubling},
            {4096, 4096, neighbor}},
           tuned_allgather_algorithm);
    expect({{2, 2047, ring},     {2, 2048, two_proc},   {2, 4096, ring},       {2, 8192, two_proc},
            {6, 255, linear},    {6, 256, neighbor},    {7, 256, ring},        {6, 4096, ring},
            {6, 8192, neighbor}, {6, 16384, bruck},     {6, 262144, neighbor}, {8, 1023, linear},
            {15, 1024, bruck},   {16, 127, linear},     {31, 262143, bruck},   {31, 262144, ring},
            {63, 8192, ring},    {127, 4096, ring},     {128, 1024, neighbor}, {255, 65536, ring},
            {511, 1024, ring},   {512, 512, linear},    {512, 1024, bruck},    {1023, 1048576, ring},
            {1024, 4095, bruck}, {1024, 4096, neighbor}},
           tuned_allgatherv_algorithm);
}

TEST(TunedTables, GatherScatterAndBarrier) {
    expect({{3, 1, linear_sync},
            {3, 2, linear},
            {3, 4, binomial},
            {3, 32768, linear},
            {3, 65536, binomial},
            {3, 131072, linear_sync},
            {7, 1023, binomial},
            {7, 1024, linear},
            {7, 8192, binomial},
            {7, 32768, linear},
            {7, 262144, linear_sync},
            {255, 1 << 30, binomial},
            {256, 2048, linear},
            {256, 8192, binomial},
            {512, 2048, binomial}},
           tuned_gather_algorithm);
    expect({{3, 1, linear_nb},     {3, 2, linear},         {3, 131072, linear_nb}, {3, 262144, linear},
            {7, 2047, binomial},   {7, 2048, linear},      {7, 4096, binomial},    {7, 8192, linear},
            {7, 32768, linear_nb}, {7, 1048576, linear},   {15, 16383, binomial},  {15, 16384, linear_nb},
            {15, 1048576, linear}, {31, 16384, linear},    {31, 32768, linear_nb}, {63, 512, linear_nb},
            {63, 8192, binomial},  {63, 16384, linear_nb}, {64, 511, binomial},    {64, 512, linear_nb}},
           tuned_scatter_algorithm);
    expect({{2, 0, recursive_doubling},
            {4, 0, linear},
            {8, 0, recursive_doubling},
            {63, 0, recursive_doubling},
            {64, 0, bruck},
            {256, 0, recursive_tree},
            {512, 0, bruck},
            {1024, 0, recursive_tree},
            {4096, 0, bruck}},
           [](int ranks, std::size_t) { return tuned_barrier_algorithm(ranks); });
}

}  // namespace
}  // namespace tuned_tables_test
