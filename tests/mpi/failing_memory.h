#pragma once
#include <string_view>

// Allocation failures on demand. A program linked with this gets its operator new from here; calls of
// malloc from the plugin itself (for Open MPI's objects) or from Open MPI's collective algorithms also come
// here.
namespace strata::testing {

/// Which of the allocations on this rank fail, counted from arm() on.
class FailingMemory {
public:
    /// How an allocation fails.
    enum class How {
        once,     ///< one fails; later ones succeed
        lasting,  ///< this and all later ones fail
        other,    ///< like once, with another exception than std::bad_alloc (new only)
        object,   ///< like once; only malloc counts, for Open MPI's objects
    };

    /// From now on allocation number `failing` fails, counted from 0; -1: only count.
    void set(long failing, How how);
    /// Whether allocations of this rank count. The test switches it off for its own work.
    void arm(bool on) { armed_ = on; }
    /// Counts nothing before the plugin is loaded: hwloc may load other libraries before.
    void wait_for_plugin() { waits_for_plugin_ = true; }
    /// Counts allocations of Open MPI's own algorithms instead.
    void be_of_open_mpi() { of_open_mpi_ = true; }
    bool is_of_open_mpi() const { return of_open_mpi_; }
    bool armed() const { return armed_; }

    long asked() const { return asked_; }
    bool failed() const { return failed_; }

    /// For the allocating functions: returns whether this allocation (`by_malloc` or not) must fail.
    bool fails(bool by_malloc);
    bool throws_other() const { return how_ == How::other; }

private:
    bool armed_ = false;
    bool waits_for_plugin_ = false;
    bool of_open_mpi_ = false;
    long asked_ = 0;
    long failing_ = -1;
    How how_ = How::once;
    bool failed_ = false;
};

FailingMemory& failing_memory();

/// Parses "once", "lasting", "other", "object"; anything else is How::once.
FailingMemory::How failure_from_name(std::string_view name);

}  // namespace strata::testing
