#pragma once
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Parsers of what others write, and what must hold whatever they are given: for libFuzzer, and over corpus/
/// as a test.
namespace strata::fuzz {

/// A parser, or what goes on with its result, broke a promise.
class Broken : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

inline void require(bool holds, const std::string& promise) {
    if (!holds) throw Broken("does not hold: " + promise);
}

/// For what goes on with a result: there no exception is expected, even where the parser may throw some.
template <class Use>
void must_not_throw(const Use& use) {
    try {
        use();
    } catch (const Broken&) {
        throw;
    } catch (const std::exception& error) {
        throw Broken("what was parsed cannot be used: " + std::string(error.what()));
    }
}

/// What a parser may throw by its header: std::invalid_argument, topology::FileError.
enum class Throws { nothing, invalid_argument, file_error };

struct Target {
    std::string_view name;
    Throws throws = Throws::nothing;
    void (*parse)(std::string_view input) = nullptr;
};

std::span<const Target> all_targets();
/// nullptr: there is none of this name.
const Target* find_target(std::string_view name);

/// Parses, and lets pass what the target may not throw.
void run(const Target& target, std::string_view input);
/// What run() let pass, in words; empty: nothing.
std::string complaint(const Target& target, std::string_view input);

/// At least `least` texts, between NULs; those that the input lacks are empty.
std::vector<std::string> fields(std::string_view input, std::size_t least);

}  // namespace strata::fuzz
