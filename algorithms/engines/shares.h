#pragma once
#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <vector>

#include "algorithms/base/transport.h"

namespace strata::algorithms {

/// The cuts of a vector of at least one byte into shares of whole elements, which differ by at most one
/// element.
class Shares {
public:
    /// No share is empty: a short vector has fewer than `most`.
    Shares(std::size_t bytes, std::size_t element_bytes, std::size_t most)
        : elements_(bytes / element_bytes),
          element_bytes_(element_bytes),
          count_(std::min(elements_, most)) {}

    std::size_t count() const { return count_; }
    std::size_t begin(std::size_t share) const {
        return (elements_ / count_ * share + std::min(share, elements_ % count_)) * element_bytes_;
    }
    std::size_t size_of(std::size_t share) const { return begin(share + 1) - begin(share); }

private:
    std::size_t elements_;
    std::size_t element_bytes_;
    std::size_t count_;
};

/// The shares of one buffer as separate buffers. The buffer itself is produced and consumed from its
/// start: a share is produced, or consumed, together with those before.
class SharedBuffer {
public:
    SharedBuffer(PackedBuffer& whole, const Shares& shares, std::pmr::memory_resource* pool)
        : whole_(whole), views_(pool) {
        views_.reserve(shares.count());
        for (std::size_t share = 0; share < shares.count(); ++share) {
            views_.emplace_back(*this, shares.begin(share), shares.size_of(share));
        }
    }
    SharedBuffer(const SharedBuffer&) = delete;
    SharedBuffer& operator=(const SharedBuffer&) = delete;

    PackedBuffer& share(std::size_t number) { return views_[number]; }

private:
    class View final : public PackedBuffer {
    public:
        View(SharedBuffer& owner, std::size_t begin, std::size_t bytes)
            : PackedBuffer(owner.whole_.data() + begin, bytes), owner_(owner), begin_(begin) {}
        int produce(std::size_t end) override { return owner_.produce(begin_ + end); }
        int consume(std::size_t end) override {
            here_ = end;
            return owner_.consume();
        }
        bool complete() const { return here_ == bytes(); }
        std::size_t end() const { return begin_ + here_; }

    private:
        SharedBuffer& owner_;
        std::size_t begin_;
        std::size_t here_ = 0;
    };

    int produce(std::size_t end) {
        if (end <= produced_) {
            return 0;
        }
        produced_ = end;
        return whole_.produce(end);
    }
    int consume() {
        while (first_ + 1 < views_.size() && views_[first_].complete()) {
            ++first_;
        }
        if (views_[first_].end() <= consumed_) {
            return 0;
        }
        consumed_ = views_[first_].end();
        return whole_.consume(consumed_);
    }

    PackedBuffer& whole_;
    std::pmr::vector<View> views_;
    std::size_t first_ = 0;  ///< the first share that is not complete
    std::size_t produced_ = 0;
    std::size_t consumed_ = 0;
};

}  // namespace strata::algorithms
