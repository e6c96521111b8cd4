#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata::testing {

/// Operators of the reduction tests. The matrices are upper triangular, 2x2 and invertible, over unsigned
/// numbers: their product is associative and does not commute.
enum class Operator : std::uint8_t { sum_8, sum_32, sum_double, matrix_8, matrix_32 };
inline constexpr Operator all_operators[] = {Operator::sum_8, Operator::sum_32, Operator::sum_double,
                                             Operator::matrix_8, Operator::matrix_32};
std::size_t bytes_of(Operator op);  ///< size of an element: 1, 4, 8, 3, 12
bool commutes(Operator op);
/// Returns true when every order of combining neighbours gives the same bits.
bool associates(Operator op);
const char* name_of(Operator op);

/// right[i] = left[i] op right[i].
void apply(Operator op, const std::byte* left, std::byte* right, std::size_t elements);
/// Returns the contribution of `rank`; a longer vector begins with a shorter one.
std::vector<std::byte> contribution(Operator op, std::size_t elements, int rank);

}  // namespace strata::testing
