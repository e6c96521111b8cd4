#pragma once
#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <memory_resource>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace strata::algorithms {

/// Memory for one collective at a time, kept from call to call: after the first calls of a kind nothing is
/// allocated. Memory stays valid until reset(). Also a memory resource, for containers.
class Arena final : public std::pmr::memory_resource {
public:
    static constexpr std::size_t default_keep = std::size_t{64} << 20;
    /// reset() keeps up to `keep` bytes, but at most four times what any of the last `patience` to twice
    /// `patience` calls took.
    explicit Arena(std::size_t keep = default_keep) : keep_(keep) {}
    /// Takes memory from `own` first, which must outlive the arena and be aligned to alignment_bytes.
    explicit Arena(std::span<std::byte> own) : keep_(default_keep), own_(own) { start_over(); }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena() override;

    /// Returns `bytes` bytes aligned to `alignment_bytes`, contents undefined. Throws std::bad_alloc.
    std::byte* take(std::size_t bytes) {
        if (bytes > left_ || left_ == 0) {
            add_chunk(bytes);
        }
        const std::size_t needed = rounded(bytes);
        std::byte* const taken = next_;
        next_ += needed;
        left_ -= needed;
        taken_ += needed;
        return taken;
    }
    /// Returns `count` values, each T{}. Throws std::bad_alloc.
    template <class T>
    requires std::is_trivially_copyable_v<T> std::span<T> values(std::size_t count) {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
            throw std::bad_alloc();
        }
        T* const first = reinterpret_cast<T*>(take(count * sizeof(T)));
        std::uninitialized_value_construct_n(first, count);
        return {first, count};
    }
    /// Starts over: everything taken becomes invalid.
    void reset() noexcept;
    /// Forgets the memory without freeing it: after an error, messages in flight may still write to it.
    void abandon() noexcept;
    /// Returns the bytes held from the system. Thread-safe.
    std::size_t held() const { return held_.load(std::memory_order_relaxed); }

    static constexpr std::size_t alignment_bytes = 64;
    /// Rounds up to whole units of the alignment, at least one.
    static constexpr std::size_t rounded(std::size_t bytes) {
        return (bytes + (bytes == 0 ? 1 : 0) + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
    }
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
    void add_chunk(std::size_t bytes);
    void start_over() noexcept;
    void shrink() noexcept;
    void give_back(std::size_t first) noexcept;

    std::size_t keep_;
    std::span<std::byte> own_;          ///< used until the first chunk
    std::vector<Chunk> chunks_;         ///< the last one is in use
    std::byte* next_ = nullptr;         ///< free memory in the last chunk or in own_
    std::size_t left_ = 0;              ///< bytes left there, a multiple of the alignment
    std::atomic<std::size_t> held_{0};  ///< bytes of all chunks
    std::size_t taken_ = 0;             ///< bytes since the start or the last reset()
    std::size_t most_ = 0;              ///< most bytes between two resets in this period of `patience` calls
    std::size_t expected_ = 0;          ///< size of the next first chunk
    int calls_ = 0;                     ///< calls of this period
};

}  // namespace strata::algorithms
