#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "check.h"

// Values for MPI's predefined operations and their results, in plain code.
namespace strata::testing {

template <class T>
T load(const std::uint8_t* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
void store(std::uint8_t* to, T value) {
    std::memcpy(to, &value, sizeof value);
}

template <class T, T (*F)(T, T)>
void combine_by(const std::uint8_t* left, std::uint8_t* right) {
    store<T>(right, F(load<T>(left), load<T>(right)));
}

/// Small enough for exact sums over 40 ranks: floating-point numbers have no rounding, and integers no
/// overflow. (Short unsigned ones saturate in Open MPI 4.1.4's op/avx instead of wrapping.)
template <class T>
void make_term(Random& random, std::uint8_t* value) {
    const std::int64_t limit = sizeof(T) == 1 ? 3 : sizeof(T) == 2 ? 800 : 100000;
    store<T>(value, static_cast<T>(random.between(std::is_unsigned_v<T> ? 0 : -limit, limit)));
}

/// Small primes and signs; powers of two for floating-point numbers. Never 0.
template <class T>
void make_factor(Random& random, std::uint8_t* value) {
    if constexpr (std::is_floating_point_v<T>) {
        const T size = std::ldexp(T{1}, static_cast<int>(random.between(-1, 1)));
        store<T>(value, random.one_in(2) ? size : -size);
    } else {
        const std::int64_t size = random.between(1, 3);
        store<T>(value, static_cast<T>(random.one_in(2) && std::is_signed_v<T> ? -size : size));
    }
}

/// Values for comparisons: equal values are frequent.
template <class T>
void make_ordered(Random& random, std::uint8_t* value) {
    if (std::is_floating_point_v<T> || random.one_in(2)) {
        store<T>(value, static_cast<T>(random.between(std::is_unsigned_v<T> ? 0 : -60, 60)));
    } else {
        store<T>(value, static_cast<T>(random.next()));
    }
}

template <class T>
void make_bits(Random& random, std::uint8_t* value) {
    store<T>(value, static_cast<T>(random.next()));
}

template <class T>
void make_truth(Random& random, std::uint8_t* value) {
    store<T>(value, static_cast<T>(random.between(0, 1)));
}

/// Numbers of all magnitudes from 2^-20 to 2^20.
template <class T>
void make_any_real(Random& random, std::uint8_t* value) {
    const auto fraction = static_cast<T>(static_cast<double>(random.next() >> 11) * 0x1p-53 - 0.5);
    store<T>(value, std::ldexp(fraction, static_cast<int>(random.between(-20, 20))));
}

template <class T>
T sum(T a, T b) {
    return static_cast<T>(a + b);
}
template <class T>
T product(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        return a * b;
    } else {  // modulo 2^n
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    }
}
template <class T>
T larger(T a, T b) {
    return a > b ? a : b;
}
template <class T>
T smaller(T a, T b) {
    return a < b ? a : b;
}
template <class T>
T logical_and(T a, T b) {
    return static_cast<T>(a != 0 && b != 0);
}
template <class T>
T logical_or(T a, T b) {
    return static_cast<T>(a != 0 || b != 0);
}
template <class T>
T logical_xor(T a, T b) {
    return static_cast<T>((a != 0) != (b != 0));
}
template <class T>
T bit_and(T a, T b) {
    return static_cast<T>(a & b);
}
template <class T>
T bit_or(T a, T b) {
    return static_cast<T>(a | b);
}
template <class T>
T bit_xor(T a, T b) {
    return static_cast<T>(a ^ b);
}

template <class T>
void make_pair_of(Random& random, std::uint8_t* value) {
    store<T>(value, static_cast<T>(random.between(-4, 4)));
    store<int>(value + sizeof(T), static_cast<int>(random.between(0, 100)));
}

/// The least (or largest) value and the lowest index among equal ones.
template <class T, bool least>
void combine_located(const std::uint8_t* left, std::uint8_t* right) {
    const T a = load<T>(left);
    const T b = load<T>(right);
    const int a_index = load<int>(left + sizeof(T));
    const int b_index = load<int>(right + sizeof(T));
    if (least ? a < b : a > b) {
        store<T>(right, a);
        store<int>(right + sizeof(T), a_index);
    } else if (a == b) {
        store<int>(right + sizeof(T), a_index < b_index ? a_index : b_index);
    }
}

}  // namespace strata::testing
