#pragma once
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Parsers of external input, and properties that must hold for any input: for libFuzzer, and over corpus/
/// as a test.
namespace strata::fuzz {

/// A parser, or code that uses its result, violated its contract.
class Broken : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

inline void require(bool holds, const std::string& promise) {
    if (!holds) throw Broken("does not hold: " + promise);
}

/// Wraps code that uses a result: no exception may occur there, even where the parser may throw.
template <class Use>
void must_not_throw(const Use& use) {
    try {
        use();
    } catch (const Broken&) {
        throw;
    } catch (const std::exception& error) {
        throw Broken("the parsed result cannot be used: " + std::string(error.what()));
    }
}

/// Exceptions that a parser's header allows: std::invalid_argument, topology::FileError.
enum class Throws { nothing, invalid_argument, file_error };

struct Target {
    std::string_view name;
    Throws throws = Throws::nothing;
    void (*parse)(std::string_view input) = nullptr;
};

std::span<const Target> all_targets();
/// Returns nullptr if there is none of this name.
const Target* find_target(std::string_view name);

/// Parses; exceptions that the target may not throw pass through.
void run(const Target& target, std::string_view input);
/// Returns the message of run()'s exception; empty if there was none.
std::string complaint(const Target& target, std::string_view input);

/// At least `least` texts, between NULs; those that the input lacks are empty.
std::vector<std::string> fields(std::string_view input, std::size_t least);

}  // namespace strata::fuzz
