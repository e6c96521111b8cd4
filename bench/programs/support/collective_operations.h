// The collective operations that collective_latency measures: each rank's contribution, the call, and
// the expected result, which every rank computes alone.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "agreed_start.h"
#include "calls.h"

namespace bench {

// One operation on data of one size with this rank's buffers. All ranks call the members with the same
// arguments; operations without a root ignore it.
class Collective {
public:
    explicit Collective(Calls& calls) : calls_(&calls) {}
    virtual ~Collective() = default;

    // Sets the implementation for the following calls; it has the same ranks.
    void let(Calls& calls) { calls_ = &calls; }

    // Writes the contribution, makes every byte of the result wrong, and prepares the implementation for
    // this root. Collective.
    void prepare(std::uint64_t repetition, int root) {
        fill_in(repetition, root);
        calls_->prepare(root);
    }
    virtual void call(int root) = 0;
    // Returns the number of wrong bytes in this rank's result.
    virtual std::int64_t wrong_bytes(std::uint64_t repetition, int root) = 0;

    // Returns the rank whose return ends the operation; `all_ranks` if the last return of all ranks ends
    // it.
    virtual int awaited(int /*root*/) const { return Conductor::all_ranks; }
    bool awaits_me(int root) const {
        return awaited(root) == Conductor::all_ranks || awaited(root) == calls_->rank();
    }
    // Returns the size of the data in bytes after rounding.
    virtual std::uint64_t bytes() const = 0;

protected:
    virtual void fill_in(std::uint64_t repetition, int root) = 0;

    Calls* calls_;
};

// `calls` has to outlive the result.
using MakeCollective = std::unique_ptr<Collective> (*)(std::uint64_t size, Calls& calls);

struct Operation {
    std::string_view name;      // name that --op takes
    std::string_view function;  // name of the MPI function
    MakeCollective make;
    bool rooted = true;
    bool sized = true;  // false: it moves no data, and times are its check (see collective_latency)
};

std::span<const Operation> all_operations();
const Operation& operation_named(std::string_view name);  // throws std::out_of_range

}  // namespace bench
