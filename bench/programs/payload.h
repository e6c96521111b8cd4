// Buffers whose every byte can be checked and differs from repetition to repetition.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace bench {

// Eight bytes of the pattern: neighbours and repetitions differ in all of them.
inline std::uint64_t pattern_word(std::uint64_t repetition, std::uint64_t index) {
    std::uint64_t x = (repetition << 40) + index + 1;
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    return x * 0xBF58476D1CE4E5B9u;
}

// Calls visit(byte pointer, expected word, byte count <= 8) along a buffer.
template <class Visit>
void along_pattern(std::vector<char>& buffer, std::uint64_t repetition, Visit visit) {
    for (std::size_t at = 0; at < buffer.size(); at += 8) {
        visit(buffer.data() + at, pattern_word(repetition, at / 8),
              std::min<std::size_t>(8, buffer.size() - at));
    }
}

inline void fill(std::vector<char>& buffer, std::uint64_t repetition) {
    along_pattern(buffer, repetition, [](char* place, std::uint64_t word, std::size_t count) {
        std::memcpy(place, &word, count);
    });
}

// Fills with something that is wrong in every byte, so that a byte that never arrives shows.
inline void spoil(std::vector<char>& buffer, std::uint64_t repetition) {
    along_pattern(buffer, repetition, [](char* place, std::uint64_t word, std::size_t count) {
        word = ~word;
        std::memcpy(place, &word, count);
    });
}

inline std::int64_t wrong_bytes(std::vector<char>& buffer, std::uint64_t repetition) {
    std::int64_t wrong = 0;
    along_pattern(buffer, repetition, [&wrong](const char* place, std::uint64_t word, std::size_t count) {
        if (std::memcmp(place, &word, count) == 0) return;
        char expected[8];
        std::memcpy(expected, &word, 8);
        for (std::size_t i = 0; i < count; ++i) wrong += place[i] != expected[i];
    });
    return wrong;
}

}  // namespace bench
