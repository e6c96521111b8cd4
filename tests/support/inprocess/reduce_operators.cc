#include "reduce_operators.h"

#include <array>
#include <cstring>

#include "random.h"

namespace strata::testing {
namespace {

template <typename Number>
void add_numbers(const std::byte* left, std::byte* right, std::size_t elements) {
    for (std::size_t i = 0; i < elements; ++i) {
        Number a{};
        Number b{};
        std::memcpy(&a, left + i * sizeof(Number), sizeof(Number));
        std::memcpy(&b, right + i * sizeof(Number), sizeof(Number));
        b = static_cast<Number>(a + b);
        std::memcpy(right + i * sizeof(Number), &b, sizeof(Number));
    }
}

/// (a b; 0 c) (d e; 0 f) = (ad, ae + bf; 0, cf)
template <typename Number>
void multiply_matrices(const std::byte* left, std::byte* right, std::size_t elements) {
    for (std::size_t i = 0; i < elements; ++i) {
        std::array<Number, 3> a{};
        std::array<Number, 3> b{};
        std::memcpy(a.data(), left + i * sizeof(a), sizeof(a));
        std::memcpy(b.data(), right + i * sizeof(b), sizeof(b));
        const std::array<Number, 3> product = {static_cast<Number>(a[0] * b[0]),
                                               static_cast<Number>(a[0] * b[1] + a[1] * b[2]),
                                               static_cast<Number>(a[2] * b[2])};
        std::memcpy(right + i * sizeof(b), product.data(), sizeof(b));
    }
}

template <typename Number>
void random_matrices(Random& random, std::byte* data, std::size_t elements) {
    for (std::size_t i = 0; i < elements; ++i) {
        const std::array<Number, 3> matrix = {static_cast<Number>(2 * random.below(1U << 31) + 1),
                                              static_cast<Number>(random.below(1ULL << 32)),
                                              static_cast<Number>(2 * random.below(1U << 31) + 1)};
        std::memcpy(data + i * sizeof(matrix), matrix.data(), sizeof(matrix));
    }
}

}  // namespace

void apply(Operator op, const std::byte* left, std::byte* right, std::size_t elements) {
    switch (op) {
        case Operator::sum_8: return add_numbers<std::uint8_t>(left, right, elements);
        case Operator::sum_32: return add_numbers<std::uint32_t>(left, right, elements);
        case Operator::sum_double: return add_numbers<double>(left, right, elements);
        case Operator::matrix_8: return multiply_matrices<std::uint8_t>(left, right, elements);
        case Operator::matrix_32: return multiply_matrices<std::uint32_t>(left, right, elements);
    }
}

std::vector<std::byte> contribution(Operator op, std::size_t elements, int rank) {
    Random random(static_cast<std::uint64_t>(rank) * 7919 + 13);
    std::vector<std::byte> data(elements * bytes_of(op));
    switch (op) {
        case Operator::matrix_8: random_matrices<std::uint8_t>(random, data.data(), elements); break;
        case Operator::matrix_32: random_matrices<std::uint32_t>(random, data.data(), elements); break;
        case Operator::sum_double:
            for (std::size_t i = 0; i < elements; ++i) {
                // Magnitudes from 1 to 2^40: every order of adding them rounds differently.
                const double value = (static_cast<double>(random.below(1000000)) + 0.1) / 3 *
                                     static_cast<double>(1ULL << random.below(40));
                std::memcpy(data.data() + i * sizeof(value), &value, sizeof(value));
            }
            break;
        default:
            for (std::byte& byte : data) {
                byte = static_cast<std::byte>(random.below(256));
            }
    }
    return data;
}

std::size_t bytes_of(Operator op) {
    switch (op) {
        case Operator::sum_8: return 1;
        case Operator::sum_32: return 4;
        case Operator::sum_double: return 8;
        case Operator::matrix_8: return 3;
        case Operator::matrix_32: return 12;
    }
    return 0;
}

bool commutes(Operator op) { return op != Operator::matrix_8 && op != Operator::matrix_32; }
bool associates(Operator op) { return op != Operator::sum_double; }

const char* name_of(Operator op) {
    switch (op) {
        case Operator::sum_8: return "sum_8";
        case Operator::sum_32: return "sum_32";
        case Operator::sum_double: return "sum_double";
        case Operator::matrix_8: return "matrix_8";
        case Operator::matrix_32: return "matrix_32";
    }
    return "?";
}

}  // namespace strata::testing
