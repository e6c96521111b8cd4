#pragma once
#include <atomic>
#include <cstddef>
#include <memory_resource>
#include <vector>

namespace strata::algorithms {

/// One piece of memory that waits for the next large call of any arena: most processes have many
/// communicators, but one large call at a time. Any thread may use it.
class SpareChunk {
public:
    SpareChunk() = default;
    SpareChunk(const SpareChunk&) = delete;
    SpareChunk& operator=(const SpareChunk&) = delete;
    ~SpareChunk() { drop(); }

    /// Takes over a piece of operator new, of `bytes` bytes, in place of the one that was here. What is
    /// larger than most_bytes goes back to the system.
    void put(std::byte* data, std::size_t bytes) noexcept;
    /// The piece, where it has `bytes` bytes but not four times as many; `bytes` becomes its size. Otherwise
    /// nullptr, and nothing is here any more.
    std::byte* take(std::size_t& bytes) noexcept;
    void drop() noexcept;

    static constexpr std::size_t most_bytes = std::size_t{64} << 20;

private:
    std::atomic<std::byte*> data_{nullptr};  ///< its first bytes tell its size
};

/// Memory for one collective at a time, kept from call to call: after the first calls of a kind nothing is
/// allocated any more. What was taken stays valid until reset(). Also a memory resource, for containers.
class Arena final : public std::pmr::memory_resource {
public:
    static constexpr std::size_t default_keep = std::size_t{4} << 20;
    /// Up to `keep` bytes are kept from call to call. What a call takes beyond lies in one piece from its
    /// second time on; reset() puts that to `spare`, to be dropped when `patience` further calls did without,
    /// or where there is none gives it back to the system.
    explicit Arena(std::size_t keep = default_keep, SpareChunk* spare = nullptr)
        : keep_(keep), spare_(spare) {}
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena() override;

    /// `bytes` bytes aligned to `alignment_bytes`, contents undefined. Throws std::bad_alloc.
    std::byte* take(std::size_t bytes);
    /// Starts over: everything taken becomes invalid.
    void reset() noexcept;
    /// Forgets the memory without giving it back: after an error, messages under way may still write to it.
    void abandon() noexcept;
    /// Bytes held from the system. Any thread may ask.
    std::size_t held() const { return held_.load(std::memory_order_relaxed); }

    static constexpr std::size_t alignment_bytes = 64;
    static constexpr int patience = 64;

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
    void add_chunk(std::size_t needed);
    void give_back(std::size_t first) noexcept;

    std::size_t keep_;
    SpareChunk* spare_;
    std::vector<Chunk> chunks_;        ///< the last one is in use
    std::atomic<std::size_t> held_{0};  ///< by all of them
    std::size_t used_ = 0;             ///< of the last chunk
    std::size_t taken_ = 0;            ///< since the start or reset()
    std::size_t expected_ = 0;         ///< most bytes taken between two resets, as far as they may be kept
    std::size_t kept_chunks_ = 0;      ///< the first ones, together no more than keep_
    std::size_t taken_before_ = 0;     ///< what was taken when the first chunk behind them was made
    std::size_t expected_beyond_ = 0;  ///< what the last large call took from then on
    int spare_calls_ = 0;              ///< for which the spare that this arena has left is let be
};

}  // namespace strata::algorithms
