// Buffers in which every byte can be checked and differs between repetitions.
//
// A rule states what a buffer should hold: a callable that takes an index and returns eight bytes as a
// number.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace bench {

// Mixes a number well (the finaliser of splitmix64).
constexpr std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

// Random bytes; neighbours, repetitions and owners (such as ranks) differ.
class Pattern {
public:
    explicit Pattern(std::uint64_t repetition, std::uint64_t owner = 0)
        : start_(mix((repetition << 24) + owner + 1)) {}
    std::uint64_t operator()(std::uint64_t index) const { return mix(start_ + index * 0x9E3779B97F4A7C15u); }

private:
    std::uint64_t start_;
};

// Doubles: small whole numbers times a factor. The sum of such rules has the sum of their factors as its
// factor. It is exact while that factor stays below 2^33: no order of summation rounds.
class Multiples {
public:
    Multiples(std::uint64_t repetition, std::uint64_t factor) : numbers_(repetition), factor_(factor) {}
    std::uint64_t operator()(std::uint64_t index) const {
        const std::uint64_t number = 1 + (numbers_(index) & 0xFFFFF);
        return std::bit_cast<std::uint64_t>(static_cast<double>(number * factor_));
    }

private:
    Pattern numbers_;
    std::uint64_t factor_;
};

// Calls visit(byte pointer, expected word, byte count <= 8) along a buffer.
template <class Rule, class Visit>
void along(std::span<char> buffer, const Rule& rule, Visit visit) {
    for (std::size_t at = 0; at < buffer.size(); at += 8) {
        visit(buffer.data() + at, rule(at / 8), std::min<std::size_t>(8, buffer.size() - at));
    }
}

template <class Rule>
void fill(std::span<char> buffer, const Rule& rule) {
    along(buffer, rule,
          [](char* place, std::uint64_t word, std::size_t count) { std::memcpy(place, &word, count); });
}

// Fills a buffer with a wrong value in every byte, so that a byte that never arrives is detected.
template <class Rule>
void spoil(std::span<char> buffer, const Rule& rule) {
    fill(buffer, [&rule](std::uint64_t index) { return ~rule(index); });
}

template <class Rule>
std::int64_t wrong_bytes(std::span<char> buffer, const Rule& rule) {
    std::int64_t wrong = 0;
    along(buffer, rule, [&wrong](const char* place, std::uint64_t word, std::size_t count) {
        if (std::memcmp(place, &word, count) == 0) return;
        char expected[8];
        std::memcpy(expected, &word, 8);
        for (std::size_t i = 0; i < count; ++i) wrong += place[i] != expected[i];
    });
    return wrong;
}

}  // namespace bench
