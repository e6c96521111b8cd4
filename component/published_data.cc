#include "published_data.h"

namespace strata::component {
namespace {

constexpr std::uint32_t nothing = 0xFFFFFFFF;
constexpr std::size_t bytes_of_number = 4;

void write(PublishedData::Bytes& message, std::uint32_t number) {
    for (std::size_t i = 0; i < bytes_of_number; ++i) {
        message.push_back(static_cast<std::byte>(number >> (8 * i)));
    }
}

std::uint32_t read(std::span<const std::byte>& message) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < bytes_of_number; ++i) {
        number |= std::to_integer<std::uint32_t>(message[i]) << (8 * i);
    }
    message = message.subspan(bytes_of_number);
    return number;
}

}  // namespace

const std::optional<PublishedData::Bytes>* PublishedData::find(std::uint32_t process) const {
    const auto place = of_.find(process);
    return place == of_.end() ? nullptr : &place->second;
}

PublishedData::Bytes PublishedData::message() const {
    Bytes message;
    for (const auto& [process, bytes] : of_) {
        write(message, process);
        write(message, bytes ? static_cast<std::uint32_t>(bytes->size()) : nothing);
        if (bytes) {
            message.insert(message.end(), bytes->begin(), bytes->end());
        }
    }
    return message;
}

void PublishedData::add(std::span<const std::byte> message) {
    while (message.size() >= 2 * bytes_of_number) {
        const std::uint32_t process = read(message);
        const std::uint32_t size = read(message);
        if (size == nothing) {
            of_[process].reset();
        } else if (size > message.size()) {
            return;
        } else {
            of_[process].emplace(message.begin(), message.begin() + size);
            message = message.subspan(size);
        }
    }
}

}  // namespace strata::component
