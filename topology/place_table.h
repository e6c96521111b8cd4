#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace strata::topology {

/// Maps (parent, key) to a number, -1 until the caller sets it. Uses open addressing: a hierarchy of a
/// million ranks makes some ten million look-ups, which cost seconds in a node-based map.
class PlaceTable {
public:
    /// The reference is valid until the next call.
    int& find_or_add(int parent, std::uint64_t key) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        Slot& slot = find(parent, key);
        if (!slot.used) {
            slot = Slot{key, parent, -1, true};
            ++used_;
        }
        return slot.value;
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        int parent = 0;
        int value = -1;
        bool used = false;
    };

    static std::uint64_t mix(int parent, std::uint64_t key) {
        std::uint64_t x = key + 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(parent) + 2);
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
        return x ^ (x >> 31);
    }

    Slot& find(int parent, std::uint64_t key) {
        std::size_t at = mix(parent, key) & (slots_.size() - 1);
        while (slots_[at].used && (slots_[at].key != key || slots_[at].parent != parent)) {
            at = (at + 1) & (slots_.size() - 1);
        }
        return slots_[at];
    }

    void grow() {
        std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.used) find(slot.parent, slot.key) = slot;
        }
    }

    std::vector<Slot> slots_;  // a power of two
    std::size_t used_ = 0;
};

}  // namespace strata::topology
