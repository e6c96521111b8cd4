// A plugin that, when loaded, loses memory and reads memory it does not own: valgrind must find both.
#include <cstddef>
#include <cstdlib>

namespace strata::component {
namespace {

volatile std::size_t length = 100;

__attribute__((noinline)) char lose() {
    const std::size_t known = length;  // kept by the program only
    volatile char* const block = static_cast<volatile char*>(std::calloc(known, 1));
    return block != nullptr ? block[known] : '\0';
}

[[maybe_unused]] volatile char read = lose();

}  // namespace
}  // namespace strata::component
