#include "summa_product.h"

namespace strata::simulation {
namespace {

// Positive, so that no sum of fewer products is the same.
double of_left(int row, int column) { return (row * 7 + column * 13) % 19 + 1; }
double of_right(int row, int column) { return (row * 5 + column * 11) % 17 + 1; }

}  // namespace

Product::Product(int row, int column, std::size_t block_bytes) : row_(row), column_(column) {
    const auto doubles = static_cast<int>(block_bytes / sizeof(double));
    if (doubles % 8 == 0) edge_ = 8;
    width_ = doubles / edge_;
    sums_.resize(static_cast<std::size_t>(edge_ * edge_));
}

std::vector<double> Product::left(int step) const {
    std::vector<double> block;
    for (int i = 0; i < edge_ * width_; ++i)
        block.push_back(of_left(row_ * edge_ + i / width_, step * width_ + i % width_));
    return block;
}

std::vector<double> Product::right(int step) const {
    std::vector<double> block;
    for (int i = 0; i < edge_ * width_; ++i)
        block.push_back(of_right(step * width_ + i / edge_, column_ * edge_ + i % edge_));
    return block;
}

void Product::add(std::span<const double> left, std::span<const double> right) {
    for (int i = 0; i < edge_ * edge_; ++i) {
        for (int k = 0; k < width_; ++k) {
            sums_[static_cast<std::size_t>(i)] += left[static_cast<std::size_t>(i / edge_ * width_ + k)] *
                                                  right[static_cast<std::size_t>(k * edge_ + i % edge_)];
        }
    }
}

bool Product::is_right(int steps) const {
    for (int i = 0; i < edge_ * edge_; ++i) {
        double sum = 0;
        for (int k = 0; k < steps * width_; ++k)
            sum += of_left(row_ * edge_ + i / edge_, k) * of_right(k, column_ * edge_ + i % edge_);
        if (sums_[static_cast<std::size_t>(i)] != sum) return false;
    }
    return true;
}

}  // namespace strata::simulation
