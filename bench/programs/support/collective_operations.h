// The collective operations that collective_latency measures: what each rank contributes, the call, and what
// has to come out, computed without any other rank's help.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "agreed_start.h"
#include "calls.h"

namespace bench {

// One operation on data of one size, with this rank's buffers. All ranks call the members with the same
// arguments; the root has no meaning for operations without one.
class Collective {
public:
    explicit Collective(Calls& calls) : calls_(&calls) {}
    virtual ~Collective() = default;

    // Who does it from now on, with the same ranks.
    void let(Calls& calls) { calls_ = &calls; }

    // Puts the contribution in place, makes every byte of the result wrong, and lets whoever does the
    // operation make what it needs for this root. Collective.
    void prepare(std::uint64_t repetition, int root) {
        fill_in(repetition, root);
        calls_->prepare(root);
    }
    virtual void call(int root) = 0;
    // Bytes of this rank's result that are not what they have to be.
    virtual std::int64_t wrong_bytes(std::uint64_t repetition, int root) = 0;

    // The rank with whose return the operation is over; everybody: with that of the last one.
    virtual int awaited(int /*root*/) const { return Conductor::everybody; }
    bool awaits_me(int root) const {
        return awaited(root) == Conductor::everybody || awaited(root) == calls_->rank();
    }
    // Size of the data in bytes, after rounding.
    virtual std::uint64_t bytes() const = 0;

protected:
    virtual void fill_in(std::uint64_t repetition, int root) = 0;

    Calls* calls_;
};

// `calls` has to outlive it.
using MakeCollective = std::unique_ptr<Collective> (*)(std::uint64_t size, Calls& calls);

struct Operation {
    std::string_view name;      // as --op takes it
    std::string_view function;  // of MPI
    MakeCollective make;
    bool rooted = true;
    bool sized = true;  // false: it moves no data, and its check are times (see collective_latency)
};

std::span<const Operation> all_operations();
const Operation& operation_named(std::string_view name);  // throws std::out_of_range

}  // namespace bench
