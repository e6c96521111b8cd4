#pragma once
#include <cstddef>
#include <memory_resource>
#include <vector>

namespace strata::algorithms {

/// Memory for one collective at a time, kept from call to call: after the first calls of a kind nothing is
/// allocated any more. What was taken stays valid until reset(). Also a memory resource, for containers.
class Arena final : public std::pmr::memory_resource {
public:
    /// More than `keep` bytes are given back at reset().
    explicit Arena(std::size_t keep = std::size_t{4} << 20) : keep_(keep) {}
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena() override;

    /// `bytes` bytes aligned to `alignment_bytes`, contents undefined. Throws std::bad_alloc.
    std::byte* take(std::size_t bytes);
    /// Starts over: everything taken becomes invalid.
    void reset() noexcept;
    /// Forgets the memory without giving it back: after an error, messages under way may still write to it.
    void abandon() noexcept;
    /// Bytes held from the system.
    std::size_t held() const;

    static constexpr std::size_t alignment_bytes = 64;

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override;
    void do_deallocate(void*, std::size_t, std::size_t) override {}
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    struct Chunk {
        std::byte* data;
        std::size_t bytes;
    };
    void give_back() noexcept;

    std::size_t keep_;
    std::vector<Chunk> chunks_;  ///< the last one is in use
    std::size_t used_ = 0;       ///< of the last chunk
    std::size_t taken_ = 0;      ///< since the start or reset()
    std::size_t expected_ = 0;   ///< most bytes taken between two resets, as far as they may be kept
};

}  // namespace strata::algorithms
