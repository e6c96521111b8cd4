#include <algorithm>
#include <cstring>
#include <utility>

#include "typed_layout.h"

namespace strata::testing {

namespace {

BufferPlace place_of_all = BufferPlace::host;
Random draws(0);

bool next_lies_in_gpu() {
    return place_of_all == BufferPlace::gpu || (place_of_all == BufferPlace::mixed && draws.one_in(2));
}

}  // namespace

Stream pattern_stream(std::size_t bytes, std::uint64_t key) {
    Stream stream(bytes);
    fill_pattern(stream.data(), stream.size(), key);
    return stream;
}

// Calls use(offset from the address, bytes) for every element, in stream order.
template <class Use>
void TypedBuffer::for_each_element(std::size_t first_range, std::size_t end_range, Use use) const {
    for (std::size_t range = first_range; range < end_range; ++range) {
        for (int i = 0; i < ranges_[range].count; ++i) {
            const std::ptrdiff_t base = (ranges_[range].first + i) * layout_.extent();
            for (const Element& element : layout_.elements()) {
                use(base + element.offset, element.bytes);
            }
        }
    }
}

void TypedBuffer::lie_in(BufferPlace place, std::uint64_t seed) {
    place_of_all = place;
    draws = Random(seed);
}

TypedBuffer::TypedBuffer(const TypedArgument& argument)
    : TypedBuffer(argument.layout, {{0, argument.count}}) {}

TypedBuffer::TypedBuffer(const TypedLayout& layout, std::vector<ItemRange> ranges)
    : layout_(layout), ranges_(std::move(ranges)) {
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;
    for_each_element(0, ranges_.size(), [&](std::ptrdiff_t at, std::size_t bytes) {
        low = std::min(low, at);
        high = std::max(high, at + static_cast<std::ptrdiff_t>(bytes));
    });
    origin_ = static_cast<std::size_t>(-low) + GuardedBuffer::guard_bytes;
    memory_.assign(origin_ + static_cast<std::size_t>(high) + GuardedBuffer::guard_bytes,
                   GuardedBuffer::guard_value);
    if (next_lies_in_gpu()) {
        gpu_ = std::make_unique<GpuMemory>(memory_.size());
        write_to_gpu();
    }
}

void TypedBuffer::write_to_gpu() {
    if (gpu_) {
        gpu_->write(memory_.data());
    }
}

void TypedBuffer::read_from_gpu() {
    if (gpu_) {
        set_access(PROT_READ | PROT_WRITE);
        gpu_->read(memory_.data());
    }
}

std::size_t TypedBuffer::bytes() const {
    std::size_t items = 0;
    for (const ItemRange& range : ranges_) {
        items += static_cast<std::size_t>(range.count);
    }
    return items * layout_.bytes();
}

void TypedBuffer::place(std::uint8_t* memory, std::size_t first_range, std::size_t end_range,
                        const Stream& stream) const {
    std::size_t done = 0;
    for_each_element(first_range, end_range, [&](std::ptrdiff_t at, std::size_t bytes) {
        std::memcpy(memory + static_cast<std::ptrdiff_t>(origin_) + at, stream.data() + done, bytes);
        done += bytes;
    });
}

void TypedBuffer::fill(const Stream& stream) {
    place(memory_.data(), 0, ranges_.size(), stream);
    write_to_gpu();
}

void TypedBuffer::fill_range(std::size_t range, const Stream& stream) {
    place(memory_.data(), range, range + 1, stream);
    write_to_gpu();
}

Stream TypedBuffer::contents() {
    read_from_gpu();
    Stream stream;
    stream.reserve(bytes());
    for_each_element(0, ranges_.size(), [&](std::ptrdiff_t at, std::size_t bytes) {
        const std::uint8_t* from = memory_.data() + static_cast<std::ptrdiff_t>(origin_) + at;
        stream.insert(stream.end(), from, from + bytes);
    });
    return stream;
}

void TypedBuffer::expect(Session& session, const Stream& stream) {
    std::vector<std::uint8_t> expected(memory_.size(), GuardedBuffer::guard_value);
    set_access(PROT_READ | PROT_WRITE);
    read_from_gpu();
    place(expected.data(), 0, ranges_.size(), stream);
    if (!stream.empty() && session.sabotages("data")) {
        Stream spoiled = stream;
        spoiled[spoiled.size() / 2] ^= 0x10;
        fill(spoiled);
    }
    compare(session, expected);
}

void TypedBuffer::expect_untouched(Session& session) {
    read_from_gpu();
    compare(session, std::vector<std::uint8_t>(memory_.size(), GuardedBuffer::guard_value));
}

void TypedBuffer::compare(Session& session, const std::vector<std::uint8_t>& expected) {
    if (session.sabotages("guard")) {
        memory_[GuardedBuffer::guard_bytes / 2] ^= 0x10;
    }
    const auto difference = std::mismatch(memory_.begin(), memory_.end(), expected.begin());
    if (difference.first == memory_.end()) {
        return;
    }
    const std::ptrdiff_t at = difference.first - memory_.begin() - static_cast<std::ptrdiff_t>(origin_);
    session.fail("%s at offset %td of %zu data bytes: expected 0x%02x, got 0x%02x",
                 inside_element(at) ? "element" : "gap or guard", at, bytes(), *difference.second,
                 *difference.first);
}

bool TypedBuffer::inside_element(std::ptrdiff_t at) const {
    bool inside = false;
    for_each_element(0, ranges_.size(), [&](std::ptrdiff_t from, std::size_t bytes) {
        inside = inside || (at >= from && at < from + static_cast<std::ptrdiff_t>(bytes));
    });
    return inside;
}

}  // namespace strata::testing
