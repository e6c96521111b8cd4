#pragma once
#include <memory>

struct hwloc_bitmap_s;

namespace strata::topology {

/// A set of hardware threads of one machine: where a process may run, or what is near a NIC. The default
/// is the whole machine (an unbound process).
class Binding {
public:
    Binding() = default;
    bool everything() const { return threads_ == nullptr; }

private:
    explicit Binding(std::shared_ptr<const hwloc_bitmap_s> threads) : threads_(std::move(threads)) {}
    std::shared_ptr<const hwloc_bitmap_s> threads_;
    friend class Machine;
};

}  // namespace strata::topology
