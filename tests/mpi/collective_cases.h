#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check.h"
#include "operators.h"
#include "typed_layout.h"

// One call of a collective, its arguments derived from a few numbers, with a serial oracle: every rank
// computes the contributions of all ranks and its own expected result.
namespace strata::testing {

enum class Collective {
    bcast,
    reduce,
    allreduce,
    allgather,
    allgatherv,
    barrier,
    gather,
    gatherv,
    scatter,
    scatterv
};
inline constexpr int collective_count = 10;
/// "bcast", ...
const char* name_of(Collective collective);
bool has_root(Collective collective);
bool reduces(Collective collective);
/// Returns whether every rank may have a block of another size.
bool has_counts(Collective collective);
std::vector<Collective> all_collectives();
/// Parses "bcast,reduce" or "all". Aborts with the list of known names at an unknown one.
std::vector<Collective> parse_collectives(const std::string& text);

struct CollectiveCase {
    Collective collective = Collective::bcast;
    /// Taken modulo the number of ranks, so that ranks outside the communicator can use the case too.
    int root = 0;
    bool in_place = false;
    /// All ranks use the plain datatype; otherwise each rank uses its own, of equal signature (reductions:
    /// the same derived one).
    bool plain = false;
    /// How a case without items is passed: as count 0, otherwise as items without data.
    bool count_zero = false;
    /// Buffers are passed at MPI_BOTTOM, with datatypes of absolute addresses. Requires can_be_at_bottom().
    bool at_bottom = false;
    /// Arguments that are not significant on this rank are garbage instead of null.
    bool absurd = false;
    /// Includes cases that Open MPI 4.1.4 itself gets wrong: see CaseLimits.
    bool any_types = false;
    /// Sends no messages beside the collective's own, for communicators with wildcard receives: does not
    /// compare times and bits between ranks.
    bool quiet = false;
    ItemKind kind = ItemKind::integer;  ///< moved items
    int items = 0;                      ///< items per block (v-variants: the largest), or reduced values
    std::size_t op = 0;                 ///< index in Operators
    std::uint64_t key = 1;              ///< seed of all data
};

struct CaseLimits {
    std::vector<Collective> collectives = all_collectives();
    /// Returns roughly how many bytes a rank holds in the end.
    std::size_t bytes = 1 << 20;
    /// Includes cases that MPI allows and Open MPI 4.1.4 gets wrong. It hangs in Allgatherv with send types
    /// of different sizes (coll/tuned multiplies its own send type's size by the receive counts) and where
    /// a rank passes items without data while the root of a v-variant has count 0. It loses data when a
    /// rank copies more than 64 KiB to itself from items that are one block each with gaps between them.
    /// Its ring Allreduce writes outside its temporary memory when items do not begin at the buffer's
    /// address. Its Reduce takes MPI_BOTTOM, which is null, for a missing buffer.
    bool any_types = false;
    /// Excludes derived datatypes, MPI_BOTTOM and records. Open MPI 5.0.7 inspects only the buffer's
    /// address to detect GPU memory, and its coll/cuda copies reduction data from that address even where
    /// items begin elsewhere. It copies every element of a record separately, which takes minutes when
    /// processes share a GPU.
    bool plain = false;
};

/// False for reductions with predefined operators, which take no derived datatypes, and for those that may
/// be passed through to Open MPI: see CaseLimits.
bool can_be_at_bottom(const CollectiveCase& what, const Operators& operators);
/// Returns a random case for communicators of up to `ranks` ranks.
CollectiveCase random_case(Random& common, int ranks, const Operators& operators, const CaseLimits& limits);
/// Returns readable text: "gather to 3, 17 items of kind 1, in place".
std::string describe(const CollectiveCase& what, const Operators& operators);

/// Calls the collective on `comm`, and checks this rank's results and that no other byte was written.
/// Returns a fingerprint of the result, the same for every correct implementation, or 0 where there is none
/// (no result on this rank, or sums of doubles in any order). Collective; sums in any order and barriers
/// also exchange point-to-point messages on `comm` unless the case is quiet.
std::uint64_t run_case(Session& session, MPI_Comm comm, const CollectiveCase& what,
                       const Operators& operators);

/// A Barrier entered at skewed times: no rank may leave before the last has entered, by one clock for all
/// ranks. Sends point-to-point messages on `comm` afterwards; rank 0 reports.
void checked_barrier(Session& session, MPI_Comm comm, std::uint64_t key);
/// Checks that the ranks of `comm` hold equal bits. Sends point-to-point messages on `comm`; rank 0
/// reports.
void expect_equal_on_all(Session& session, MPI_Comm comm, Stream mine);

}  // namespace strata::testing
