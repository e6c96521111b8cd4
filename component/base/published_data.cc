#include "component/base/published_data.h"

namespace strata::component {
namespace {

constexpr std::size_t bytes_of_number = 4;

void write(std::vector<std::byte>& message, std::uint32_t number) {
    for (std::size_t i = 0; i < bytes_of_number; ++i) {
        message.push_back(static_cast<std::byte>(number >> (8 * i)));
    }
}

std::uint32_t read(std::span<const std::byte> message) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < bytes_of_number; ++i) {
        number |= std::to_integer<std::uint32_t>(message[i]) << (8 * i);
    }
    return number;
}

}  // namespace

void append_published(std::vector<std::byte>& message, std::uint32_t process,
                      std::span<const std::byte> bytes) {
    write(message, process);
    write(message, static_cast<std::uint32_t>(bytes.size()));
    message.insert(message.end(), bytes.begin(), bytes.end());
}

bool take_published(std::span<const std::byte>& message, Published& one) {
    constexpr std::size_t head = 2 * bytes_of_number;
    if (message.size() < head) return false;
    const std::size_t size = read(message.subspan(bytes_of_number));
    if (size > message.size() - head) return false;
    one = {read(message), message.subspan(head, size)};
    message = message.subspan(head + size);
    return true;
}

}  // namespace strata::component
