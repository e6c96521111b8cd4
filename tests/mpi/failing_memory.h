#pragma once
#include <string_view>

// Memory that runs out on demand. A program that is linked with this gets its operator new from here, and
// malloc as far as the plugin itself calls it (for Open MPI's objects), or Open MPI's algorithms of collectives.
namespace strata::testing {

/// Which of the allocations on this rank fail, counted from arm() on.
class FailingMemory {
public:
    /// How an allocation fails.
    enum class How {
        once,     ///< one; later ones are served
        lasting,  ///< nor are later ones
        other,    ///< as once, by an exception that is none of memory (new only)
        object,   ///< as once; only those by malloc count, for Open MPI's objects
    };

    /// From now on allocation number `failing` fails, counted from 0; -1: none, they are only counted.
    void set(long failing, How how);
    /// Whether allocations of this rank count. Off while the test itself works.
    void arm(bool on) { armed_ = on; }
    /// None counts before the plugin is loaded: hwloc may load others' libraries before.
    void wait_for_plugin() { waits_for_plugin_ = true; }
    /// Those of Open MPI's own algorithms count instead.
    void be_of_open_mpi() { of_open_mpi_ = true; }
    bool is_of_open_mpi() const { return of_open_mpi_; }
    bool armed() const { return armed_; }

    long asked() const { return asked_; }
    bool failed() const { return failed_; }

    /// For the allocating functions: whether this allocation, `by_malloc` or not, is to fail.
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

/// "once", "lasting", "other", "object"; anything else is How::once.
FailingMemory::How failure_from_name(std::string_view name);

}  // namespace strata::testing
