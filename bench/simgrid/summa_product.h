#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace strata::simulation {

/// One process's part of a product of two matrices of small whole numbers, so that sums are exact. Blocks of
/// the left matrix have 8 rows, those of the right one 8 columns, if their doubles allow that, else one.
class Product {
public:
    Product(int row, int column, std::size_t block_bytes);

    /// Returns the block of step `step` in the process's row of the left matrix.
    std::vector<double> left(int step) const;
    /// Returns the block of step `step` in the process's column of the right matrix.
    std::vector<double> right(int step) const;
    void add(std::span<const double> left, std::span<const double> right);
    /// Returns whether it is the sum of the products of the blocks of steps 0 to `steps` - 1.
    bool is_right(int steps) const;

private:
    int row_, column_;
    int edge_ = 1;   ///< rows and columns of the product
    int width_ = 0;  ///< columns of a left block, rows of a right one
    std::vector<double> sums_;
};

}  // namespace strata::simulation
