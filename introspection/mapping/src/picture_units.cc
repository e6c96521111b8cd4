#include <array>
#include <cstdio>

#include "strata/mapping/traffic_picture.h"

namespace strata::mapping {
namespace {

/// Returns three digits in any locale; values are below a few thousand.
std::string three_digits(double value) {
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    long scaled = 1;
    for (int i = 0; i < decimals; ++i) scaled *= 10;
    const long number = static_cast<long>(value * static_cast<double>(scaled) + 0.5);
    std::string text = std::to_string(number / scaled);
    if (decimals == 0) return text;
    const std::string rest = std::to_string(number % scaled);
    return text + "." + std::string(static_cast<std::size_t>(decimals) - rest.size(), '0') + rest;
}

}  // namespace

std::string bytes_text(double bytes) {
    constexpr std::array<const char*, 6> units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return std::to_string(static_cast<long>(bytes + 0.5)) + " B";
    std::size_t unit = 0;
    bytes /= 1024;
    while (bytes >= 1023.5 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    return three_digits(bytes) + " " + units[unit];
}

std::string seconds_text(double seconds) {
    if (seconds >= 1) return three_digits(seconds) + " s";
    if (seconds >= 1e-3) return three_digits(seconds * 1e3) + " ms";
    if (seconds >= 1e-6) return three_digits(seconds * 1e6) + " us";
    return seconds > 0 ? three_digits(seconds * 1e9) + " ns" : "0 s";
}

std::string count_text(std::uint64_t count) {
    std::string text = std::to_string(count);
    for (std::size_t at = text.size(); at > 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

}  // namespace strata::mapping
